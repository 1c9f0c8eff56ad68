// Chromium without a window, driven through its DevTools protocol over two pipes. A message is a JSON object ended by
// a zero byte; calls have numbers, and the answer has the number of its call.
// Methods and parameters: chromedevtools.github.io/devtools-protocol
#include "browser.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "progress.h"

enum { PATIENCE = 120 };  // seconds for an answer

// ---- start ----

static const char* const names[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
                                    "microsoft-edge", NULL};

static bool find_browser(const char* program, char path[CLI_PATH])
{
  const char* const given[] = {program, NULL};
  if (cli_find_program(program ? given : names, path)) return true;
  if (program) cli_error("--browser %s: there is no such program", program);
  else
    cli_error("no Chromium was found on the PATH; pictures are drawn by it. Install it (Debian: apt install chromium), "
              "or name one with --browser. Without it: 'report' makes a page for any browser, 'plot' draws curves.");
  return false;
}

// Two pipes, to the child and from it; our ends are not inherited, and none has a number that the child's have
static bool make_pipes(int ours[2], int theirs[2])
{
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    ours[i] = fcntl(ends[i == 0], F_DUPFD_CLOEXEC, 10);
    theirs[i] = fcntl(ends[i != 0], F_DUPFD_CLOEXEC, 10);
    close(ends[0]);
    close(ends[1]);
    if (ours[i] < 0 || theirs[i] < 0) return false;
  }
  return true;
}

// Graphics in software: the same picture on every machine. Its sandbox cannot be had by root.
static int start_program(cli_browser* b, char* path, const char* folder, int theirs[2])
{
  char profile[CLI_PATH + 32];
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
  static char flags[][44] = {
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-breakpad", "--disable-dev-shm-usage", "--disable-lcd-text", "--hide-scrollbars", "--mute-audio",
    "--password-store=basic", "--use-mock-keychain", "--force-color-profile=srgb", "--use-gl=angle",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-gpu-compositing",
    "--disable-gpu-rasterization", "--no-sandbox",
  };
  enum { N = sizeof flags/sizeof *flags };
  char* argv[N + 3] = {path, profile};
  int n = 2;
  for (int i = 0; i < (geteuid() == 0 ? N : N - 1); i++) argv[n++] = flags[i];
  argv[n] = NULL;
  snprintf(b->messages, sizeof b->messages, "%.900s/browser.log", folder);
  b->child = (cli_child){.argv = argv, .folder = folder, .messages = b->messages, .fd3 = theirs[0], .fd4 = theirs[1]};
  return cli_child_start(&b->child);
}

// ---- messages ----

static bool complain(cli_browser* b, const char* what)
{
  if (cli_interrupted()) {
    cli_note("interrupted; no picture was written");
    return false;
  }
  cli_child_messages(&b->child, "browser");
  cli_error("the browser %s", what);
  return false;
}

static bool send_text(cli_browser* b, const char* text)
{
  size_t n = strlen(text) + 1;  // with the zero
  while (n > 0) {
    ssize_t k = write(b->to, text, n);
    if (k < 0 && errno == EINTR && !cli_interrupted()) continue;
    if (k <= 0) return complain(b, "does not listen: it has ended");
    text += k;
    n -= (size_t)k;
  }
  return true;
}

static bool make_room(cli_browser* b)
{
  if (b->n < b->room) return true;
  size_t room = b->room ? 2*b->room : 1 << 16;
  char* text = realloc(b->text, room);
  if (!text) return cli_out_of_memory() == CLI_GO_ON;
  b->text = text;
  b->room = room;
  return true;
}

// More text from the browser, until a time on the clock
static bool read_more(cli_browser* b, double until)
{
  while (!cli_interrupted()) {
    struct pollfd p = {.fd = b->from, .events = POLLIN};
    int ready = poll(&p, 1, 200);  // signals are looked at in between
    if (ready > 0) {
      if (!make_room(b)) return false;
      ssize_t k = read(b->from, b->text + b->n, b->room - b->n);
      if (k < 0 && errno == EINTR) continue;
      if (k <= 0) return complain(b, "has ended by itself");
      b->n += (size_t)k;
      return true;
    }
    if (cli_seconds() > until) return complain(b, "does not answer");
  }
  return complain(b, "");
}

// The next message; NULL if none comes in time
static cJSON* receive(cli_browser* b, double until)
{
  size_t seen = 0;
  for (;;) {
    char* end = b->n > seen ? memchr(b->text + seen, '\0', b->n - seen) : NULL;
    if (end) {
      size_t length = (size_t)(end - b->text) + 1;
      cJSON* message = cJSON_Parse(b->text);
      memmove(b->text, b->text + length, b->n - length);
      b->n -= length;
      if (!message) complain(b, "says something that cannot be understood");
      return message;
    }
    seen = b->n;
    if (!read_more(b, until)) return NULL;
  }
}

// Calls a method and waits for its result, which the caller deletes; takes the parameters. NULL on failure.
static cJSON* call(cli_browser* b, const char* method, cJSON* params)
{
  cJSON* message = cJSON_CreateObject();
  int id = ++b->calls;
  cJSON_AddNumberToObject(message, "id", id);
  cJSON_AddStringToObject(message, "method", method);
  if (b->session[0]) cJSON_AddStringToObject(message, "sessionId", b->session);
  cli_json_put(message, "params", params ? params : cJSON_CreateObject());
  char* text = cJSON_PrintUnformatted(message);
  cJSON_Delete(message);
  bool sent = text && send_text(b, text);
  cJSON_free(text);
  double until = cli_seconds() + PATIENCE;
  while (sent) {
    cJSON* answer = receive(b, until);
    if (!answer) return NULL;
    const cJSON* number = cJSON_GetObjectItem(answer, "id");
    const char* event = cJSON_GetStringValue(cJSON_GetObjectItem(answer, "method"));
    cJSON* result = number && number->valueint == id ? cJSON_DetachItemFromObject(answer, "result") : NULL;
    bool crashed = event && strcmp(event, "Inspector.targetCrashed") == 0;
    bool refused = !result && number && number->valueint == id;
    cJSON_Delete(answer);
    if (result) return result;
    if (crashed || refused) {
      complain(b, crashed ? "has lost the page: memory may be short" : method);
      return NULL;
    }
  }
  return NULL;
}

// ---- pages ----

static bool attach(cli_browser* b)
{
  cJSON* params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "url", "about:blank");
  cJSON* made = call(b, "Target.createTarget", params);
  const char* target = cJSON_GetStringValue(cJSON_GetObjectItem(made, "targetId"));
  cJSON* attached = NULL;
  if (target) {
    params = cJSON_CreateObject();
    cJSON_AddStringToObject(params, "targetId", target);
    cJSON_AddBoolToObject(params, "flatten", true);
    attached = call(b, "Target.attachToTarget", params);
  }
  const char* session = cJSON_GetStringValue(cJSON_GetObjectItem(attached, "sessionId"));
  if (session) snprintf(b->session, sizeof b->session, "%s", session);
  cJSON_Delete(made);
  cJSON_Delete(attached);
  return b->session[0] != '\0';
}

static bool set_size(cli_browser* b, int width, int height)
{
  cJSON* params = cJSON_CreateObject();
  cJSON_AddNumberToObject(params, "width", width);
  cJSON_AddNumberToObject(params, "height", height);
  cJSON_AddNumberToObject(params, "deviceScaleFactor", 1);
  cJSON_AddBoolToObject(params, "mobile", false);
  cJSON* result = call(b, "Emulation.setDeviceMetricsOverride", params);
  cJSON_Delete(result);
  return result != NULL;
}

bool cli_browser_open(cli_browser* b, const char* program, const char* folder, int width, int height)
{
  char path[CLI_PATH];
  int ours[2] = {-1, -1}, theirs[2] = {-1, -1};
  *b = (cli_browser){.to = -1, .from = -1};
  if (!find_browser(program, path)) return false;
  bool piped = make_pipes(ours, theirs);
  int number = piped ? start_program(b, path, folder, theirs) : errno;
  for (int i = 0; i < 2; i++)
    if (theirs[i] >= 0) close(theirs[i]);
  b->to = ours[0];
  b->from = ours[1];
  if (number == 0) return attach(b) && set_size(b, width, height);
  cli_error("%s could not be started: %s", path, strerror(number));
  return false;
}

bool cli_browser_go(cli_browser* b, const char* url)
{
  cJSON* params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "url", url);
  cJSON* result = call(b, "Page.navigate", params);
  const char* failure = cJSON_GetStringValue(cJSON_GetObjectItem(result, "errorText"));
  if (failure) cli_error("the browser cannot open %s: %s", url, failure);
  bool good = result && !failure;
  cJSON_Delete(result);
  return good;
}

bool cli_browser_run(cli_browser* b, const char* script)
{
  cJSON* params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "expression", script);
  cJSON_AddBoolToObject(params, "awaitPromise", true);
  cJSON_AddBoolToObject(params, "returnByValue", true);
  cJSON* answer = call(b, "Runtime.evaluate", params);
  if (!answer) return false;
  const cJSON* result = cJSON_GetObjectItem(answer, "result");
  bool good = cJSON_IsTrue(cJSON_GetObjectItem(result, "value"));
  const char* why = cJSON_GetStringValue(cJSON_GetObjectItem(result, "value"));
  if (!why) why = cJSON_GetStringValue(cJSON_GetObjectItem(result, "description"));
  if (!good) cli_error("the page cannot be drawn: %s", why ? why : "no reason is given");
  cJSON_Delete(answer);
  return good;
}

// Bytes of base64 (RFC 4648, section 4); NULL if it is none
static unsigned char* decode(const char* text, size_t* n)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char value[256], *bytes = malloc(strlen(text)/4*3 + 3);
  unsigned bits = 0, held = 0;
  memset(value, 255, sizeof value);
  for (unsigned i = 0; i < 64; i++) value[(unsigned char)digit[i]] = (unsigned char)i;
  for (*n = 0; bytes && *text && *text != '='; text++) {
    unsigned v = value[(unsigned char)*text];
    if (v > 63) break;
    bits = (bits << 6 | v) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[(*n)++] = (unsigned char)(bits >> held);
  }
  return bytes;
}

unsigned char* cli_browser_picture(cli_browser* b, size_t* n)
{
  cJSON* params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "format", "png");
  cJSON_AddBoolToObject(params, "optimizeForSpeed", true);
  cJSON* result = call(b, "Page.captureScreenshot", params);
  const char* data = cJSON_GetStringValue(cJSON_GetObjectItem(result, "data"));
  unsigned char* bytes = data ? decode(data, n) : NULL;
  if (result && (!bytes || *n < 8 || memcmp(bytes, "\211PNG", 4) != 0)) {
    complain(b, "took no picture");
    free(bytes);
    bytes = NULL;
  }
  cJSON_Delete(result);
  return bytes;
}

// Asked to close it ends in an orderly way; the session is not asked, it would not answer
void cli_browser_close(cli_browser* b)
{
  static const char close_it[] = "{\"id\":1000000,\"method\":\"Browser.close\"}";
  if (b->child.pid > 0 && b->to >= 0) {
    ssize_t written = write(b->to, close_it, sizeof close_it);
    cli_child_wait(&b->child, written == sizeof close_it ? 5 : 0);
  }
  if (b->to >= 0) close(b->to);
  if (b->from >= 0) close(b->from);
  free(b->text);
  *b = (cli_browser){.to = -1, .from = -1};
}
