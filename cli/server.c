// The server on libwebsockets: who may connect, the page, the socket, and the time for everything else.
#include "server.h"
#include "server_masks.h"

#include <errno.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
  SECRET = 32,        // digits of 128 random bits
  CHUNK = 1 << 14,
  HEADERS = 2048,
  CONNECTIONS = 256,  // at a time; more are closed at once
  BACKLOG = 8 << 20,  // bytes that may wait for a page before it is dropped, besides the last message
  PATIENCE = 10,      // s that a page may read nothing, while something waits for it
};

// A message that waits to be sent
typedef struct outgoing {
  struct outgoing* next;
  bool binary;
  size_t n;
  unsigned char bytes[];  // LWS_PRE, then n
} outgoing;

struct cli_server {
  cli_server_def def;
  struct lws_context* context;
  struct lws* client;           // the page's socket; NULL if none
  struct lws_protocols protocols[2];
  lws_sorted_usec_list_t timer;
  char host[2][32];             // what the browser may call us
  char token[SECRET + 1];       // opens the page; "" once it was used
  char key[SECRET + 1];         // opens the socket
  char nonce[SECRET + 1];       // marks the script and the style of the page as ours
  char address[128];
  char* page[2];                // without and with the key
  size_t size[2];
  int connections;
  outgoing *first, *last;
  size_t waiting;
  time_t moved;                 // when a message was last sent, or began to wait
  char in[CLI_SERVER_MESSAGE + 1];
  size_t n_in;
  bool ends;
};

// What libwebsockets keeps for each connection
typedef struct session {
  const char* body;  // of the page that is being sent
  size_t left;
  bool replaced;     // another page has connected
} session;

const char* cli_server_missing(void) { return NULL; }

// ---- secrets -------------------------------------------------------------------------------------------------------

static bool make_secret(char* text)
{
  unsigned char bytes[SECRET/2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(text + 2*i, 3, "%02x", bytes[i]);
  return true;
}

// Takes the same time wherever they differ
static bool is_secret(const char* text, const char* secret)
{
  unsigned char difference = 0;
  if (!text || strlen(text) != SECRET || strlen(secret) != SECRET) return false;
  for (int i = 0; i < SECRET; i++) difference |= (unsigned char)(text[i] ^ secret[i]);
  return difference == 0;
}

// ---- who may connect -----------------------------------------------------------------------------------------------

// A page elsewhere can make its own name lead to 127.0.0.1 (DNS rebinding), but then the browser tells that name.
static bool has_our_host(const cli_server* s, struct lws* wsi)
{
  char host[64];
  if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0) return false;
  return strcmp(host, s->host[0]) == 0 || strcmp(host, s->host[1]) == 0;
}

static bool has_our_origin(const cli_server* s, struct lws* wsi)
{
  char origin[80];
  if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0) return false;
  if (strncmp(origin, "http://", 7) != 0) return false;
  return strcmp(origin + 7, s->host[0]) == 0 || strcmp(origin + 7, s->host[1]) == 0;
}

static int refuse(struct lws* wsi, unsigned code, const char* why)
{
  if (lws_return_http_status(wsi, code, why)) return -1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// The answer to HEAD is no longer than its headers
static int refuse_head(struct lws* wsi, unsigned code)
{
  unsigned char room[LWS_PRE + HEADERS], *start = room + LWS_PRE, *p = start, *end = room + sizeof room - 1;
  if (lws_add_http_common_headers(wsi, code, "text/html", 0, &p, end)) return -1;
  if (lws_finalize_write_http_header(wsi, start, &p, end)) return -1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// ---- the page ------------------------------------------------------------------------------------------------------

// The first `old` in the page becomes `new`. The caller frees the result; `page` is freed.
static char* replace(char* page, size_t* n, const char* old, const char* new)
{
  size_t m = strlen(old), length = strlen(new), at = 0;
  while (page && at + m <= *n && memcmp(page + at, old, m) != 0) at++;
  char* out = page && at + m <= *n ? malloc(*n - m + length) : NULL;
  if (out) {
    memcpy(out, page, at);
    memcpy(out + at, new, length);
    memcpy(out + at + length, page + at + m, *n - at - m);
    *n += length - m;
  }
  free(page);
  return out;
}

static bool make_page(cli_server* s, int k, const char* key)
{
  char data[SECRET + 16], script[SECRET + 48], style[SECRET + 48];
  snprintf(data, sizeof data, "{\"live\":\"%s\"}", key);
  snprintf(script, sizeof script, "<script type=\"module\" nonce=\"%s\">", s->nonce);
  snprintf(style, sizeof style, "<style nonce=\"%s\">", s->nonce);
  char* page = malloc(s->def.page_size);
  if (page) memcpy(page, s->def.page, s->def.page_size);
  s->size[k] = s->def.page_size;
  page = replace(page, &s->size[k], "<style>", style);
  page = replace(page, &s->size[k], "<script type=\"module\">", script);
  s->page[k] = replace(page, &s->size[k], "@@STICKSLIP-RUN@@", data);
  return s->page[k] != NULL;
}

static bool add_header(struct lws* wsi, const char* name, const char* value, unsigned char** p, unsigned char* end)
{
  const unsigned char *a = (const unsigned char*)name, *b = (const unsigned char*)value;
  return lws_add_http_header_by_name(wsi, a, b, (int)strlen(value), p, end) == 0;
}

// The page may run its own script and talk to its own socket. HEAD gets what GET would, but for the page itself.
static int send_page(cli_server* s, struct lws* wsi, session* to, bool with_key, bool head)
{
  unsigned char room[LWS_PRE + HEADERS], *start = room + LWS_PRE, *p = start, *end = room + sizeof room - 1;
  char policy[400];
  snprintf(policy, sizeof policy,
           "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data: blob:; connect-src ws://%s "
           "ws://%s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
           s->nonce, s->nonce, s->host[0], s->host[1]);
  lws_filepos_t size = s->size[with_key];
  bool fits = lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", size, &p, end) == 0
              && add_header(wsi, "content-security-policy:", policy, &p, end)
              && add_header(wsi, "cache-control:", "no-store", &p, end)
              && add_header(wsi, "referrer-policy:", "no-referrer", &p, end)
              && add_header(wsi, "x-content-type-options:", "nosniff", &p, end)
              && add_header(wsi, "x-frame-options:", "DENY", &p, end)
              && add_header(wsi, "cross-origin-opener-policy:", "same-origin", &p, end)
              && add_header(wsi, "cross-origin-resource-policy:", "same-origin", &p, end);
  if (!fits || lws_finalize_write_http_header(wsi, start, &p, end)) return -1;
  if (head) return lws_http_transaction_completed(wsi) ? -1 : 0;
  *to = (session){.body = s->page[with_key], .left = s->size[with_key]};
  lws_callback_on_writable(wsi);
  return 0;
}

static int send_more(struct lws* wsi, session* to)
{
  unsigned char room[LWS_PRE + CHUNK];
  if (!to || !to->left) return 0;
  size_t n = to->left < CHUNK ? to->left : CHUNK;
  memcpy(room + LWS_PRE, to->body, n);
  bool last = n == to->left;
  if (lws_write(wsi, room + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n) return -1;
  to->body += n;
  to->left -= n;
  if (last) return lws_http_transaction_completed(wsi) ? -1 : 0;
  lws_callback_on_writable(wsi);
  return 0;
}

// What is wrong with a request, and its status; HTTP_STATUS_OK if it may have the page
static unsigned judge(const cli_server* s, struct lws* wsi, bool head, const char* path, const char* token,
                      const char** why)
{
  if (!has_our_host(s, wsi)) {
    *why = "this server is called 127.0.0.1";
    return HTTP_STATUS_FORBIDDEN;
  }
  *why = "there is nothing but GET /";
  if (!head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) return HTTP_STATUS_METHOD_NOT_ALLOWED;
  if (strcmp(path, "/") != 0) return HTTP_STATUS_NOT_FOUND;
  *why = "this address is not valid, or was used before: it opens the page once";
  return !token || is_secret(token, s->token) ? HTTP_STATUS_OK : HTTP_STATUS_FORBIDDEN;
}

// Without a token: again, in a tab that has its key. To ask for headers alone does not use up the token.
static int on_request(cli_server* s, struct lws* wsi, session* to, const char* path)
{
  char room[80];
  const char *token = lws_get_urlarg_by_name(wsi, "token=", room, sizeof room), *why;
  bool head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
  unsigned code = judge(s, wsi, head, path, token, &why);
  if (code != HTTP_STATUS_OK) return head ? refuse_head(wsi, code) : refuse(wsi, code, why);
  if (token && !head) s->token[0] = '\0';
  return send_page(s, wsi, to, token != NULL, head);
}

// ---- the socket ----------------------------------------------------------------------------------------------------

static int on_upgrade(cli_server* s, struct lws* wsi, const char* to)
{
  char path[32], room[80];
  bool fine = to && strcmp(to, "websocket") == 0 && has_our_host(s, wsi) && has_our_origin(s, wsi)
              && lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) > 0 && strcmp(path, "/socket") == 0
              && is_secret(lws_get_urlarg_by_name(wsi, "key=", room, sizeof room), s->key)
              && cli_masks_upgrade(lws_get_socket_fd(wsi));
  if (fine) return 0;
  return lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, "refused") ? -1 : 1;
}

static void forget_messages(cli_server* s)
{
  while (s->first) {
    outgoing* gone = s->first;
    s->first = gone->next;
    free(gone);
  }
  s->last = NULL;
  s->waiting = s->n_in = 0;
}

// A page that does not read: what waits for it would take ever more memory
static void drop_client(cli_server* s)
{
  struct lws* wsi = s->client;
  if (!wsi) return;
  s->client = NULL;
  forget_messages(s);
  s->def.closed(s->def.user);
  lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
}

static time_t seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

static void on_open(cli_server* s, struct lws* wsi, session* to)
{
  *to = (session){0};
  if (s->client) {
    ((session*)lws_wsi_user(s->client))->replaced = true;
    lws_callback_on_writable(s->client);
    s->def.closed(s->def.user);
  }
  forget_messages(s);
  s->client = wsi;
  s->def.opened(s->def.user);
}

static void on_close(cli_server* s, struct lws* wsi)
{
  if (wsi != s->client) return;
  s->client = NULL;
  forget_messages(s);
  s->def.closed(s->def.user);
}

static int on_writable(cli_server* s, struct lws* wsi, const session* to)
{
  if (to->replaced) {
    lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, (unsigned char*)"another page", 12);
    return -1;
  }
  outgoing* message = s->first;
  if (wsi != s->client || !message) return 0;
  int n = lws_write(wsi, message->bytes + LWS_PRE, message->n, message->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
  if (n < (int)message->n) return -1;
  s->first = message->next;
  if (!s->first) s->last = NULL;
  s->waiting -= message->n;
  s->moved = seconds();
  free(message);
  if (s->first) lws_callback_on_writable(wsi);
  return 0;
}

static int on_receive(cli_server* s, struct lws* wsi, const void* bytes, size_t n)
{
  if (wsi != s->client) return 0;
  if (n > CLI_SERVER_MESSAGE - s->n_in) {
    lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, (unsigned char*)"too large", 9);
    return -1;
  }
  if (n) memcpy(s->in + s->n_in, bytes, n);
  s->n_in += n;
  if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi)) return 0;
  s->in[s->n_in] = '\0';
  n = s->n_in;
  s->n_in = 0;
  s->def.message(s->def.user, lws_frame_is_binary(wsi) ? NULL : s->in, n);
  return 0;
}

static void on_connect(cli_server* s, struct lws* wsi)
{
  s->connections++;
  cli_masks_open(lws_get_socket_fd(wsi), wsi);
}

static void on_disconnect(cli_server* s, struct lws* wsi)
{
  s->connections -= s->connections > 0;
  cli_masks_close(wsi);
}

static int on_event(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t n)
{
  cli_server* s = lws_context_user(lws_get_context(wsi));
  switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return s->connections >= CONNECTIONS;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: on_connect(s, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: on_disconnect(s, wsi); return 0;
    case LWS_CALLBACK_HTTP: return on_request(s, wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_more(wsi, user);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return on_upgrade(s, wsi, in);
    case LWS_CALLBACK_ESTABLISHED: on_open(s, wsi, user); return 0;
    case LWS_CALLBACK_CLOSED: on_close(s, wsi); return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return on_writable(s, wsi, user);
    case LWS_CALLBACK_RECEIVE: return on_receive(s, wsi, in, n);
    case LWS_CALLBACK_HTTP_BODY:  // nobody sends us one
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return -1;
    default: return 0;
  }
}

bool cli_server_send(cli_server* s, bool binary, const void* bytes, size_t n)
{
  if (s->client && s->waiting > BACKLOG) drop_client(s);
  if (!s->client) return true;
  outgoing* message = malloc(sizeof *message + LWS_PRE + n);
  if (!message) return false;
  *message = (outgoing){.binary = binary, .n = n};
  memcpy(message->bytes + LWS_PRE, bytes, n);
  if (!s->first) s->moved = seconds();
  if (s->last) s->last->next = message;
  else s->first = message;
  s->last = message;
  s->waiting += n;
  lws_callback_on_writable(s->client);
  return true;
}

size_t cli_server_waiting(const cli_server* s) { return s->waiting; }

// ---- opening, time, closing ----------------------------------------------------------------------------------------

static void on_time(lws_sorted_usec_list_t* timer)
{
  cli_server* s = lws_container_of(timer, struct cli_server, timer);
  double wait = s->def.tick(s->def.user);
  if (s->first && seconds() - s->moved > PATIENCE) drop_client(s);
  s->ends = wait < 0;
  if (s->ends) lws_cancel_service(s->context);  // else it waits for its next time-out, for up to 30 s
  else lws_sul_schedule(s->context, 0, &s->timer, on_time, (lws_usec_t)(1e6*wait) + 1);
}

static bool listen_on(cli_server* s, ss_error* error)
{
  s->protocols[0] = (struct lws_protocols){.name = "stickslip", .callback = on_event,
                                           .per_session_data_size = sizeof(session),
                                           .rx_buffer_size = CLI_SERVER_MESSAGE};
  struct lws_context_creation_info info = {
    .port = s->def.port, .iface = "127.0.0.1", .protocols = s->protocols, .gid = (gid_t)-1, .uid = (uid_t)-1, .user = s,
    .options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_VALIDATE_UTF8
               | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
  };
  lws_set_log_level(0, NULL);
  s->context = lws_create_context(&info);
  struct lws_vhost* host = s->context ? lws_get_vhost_by_name(s->context, "default") : NULL;
  int port = host ? lws_get_vhost_listen_port(host) : -1;
  if (port <= 0) {
    int wanted = s->def.port;
    if (wanted) ss_error_set(error, SS_ERR_FILE, "port %d of 127.0.0.1 cannot be opened; is it in use?", wanted);
    else ss_error_set(error, SS_ERR_FILE, "no port of 127.0.0.1 can be opened");
    return false;
  }
  snprintf(s->host[0], sizeof s->host[0], "127.0.0.1:%d", port);
  snprintf(s->host[1], sizeof s->host[1], "localhost:%d", port);
  snprintf(s->address, sizeof s->address, "http://%s/?token=%s", s->host[0], s->token);
  return true;
}

cli_server* cli_server_open(const cli_server_def* def, ss_error* error)
{
  cli_server* s = calloc(1, sizeof *s);
  if (!s) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  s->def = *def;
  bool fine = make_secret(s->token) && make_secret(s->key) && make_secret(s->nonce);
  if (!fine) ss_error_set(error, SS_ERR_FILE, "the system has no random numbers: %s", strerror(errno));
  if (fine && !(make_page(s, 0, "") && make_page(s, 1, s->key))) {
    ss_error_set(error, SS_ERR_FILE, "the viewer of this build is damaged, or memory is short");
    fine = false;
  }
  if (fine && listen_on(s, error)) return s;
  cli_server_close(s);
  return NULL;
}

const char* cli_server_address(const cli_server* s) { return s->address; }

void cli_server_run(cli_server* s)
{
  lws_sul_schedule(s->context, 0, &s->timer, on_time, 1);
  while (!s->ends && lws_service(s->context, 0) >= 0) {}
}

void cli_server_close(cli_server* s)
{
  if (!s) return;
  s->client = NULL;
  if (s->context) lws_context_destroy(s->context);
  forget_messages(s);
  free(s->page[0]);
  free(s->page[1]);
  free(s);
}
