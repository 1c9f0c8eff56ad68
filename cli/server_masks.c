// Takes the place of recv() in this program and the libraries it is linked with. Bytes of connections of the server are
// looked at on their way; those of other sockets are not.
#undef _FORTIFY_SOURCE  // which makes recv() an inline function
#include "server_masks.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { SOCKETS = 1024, HEAD = 10, KEY = 4, MASKED = 0x80, LENGTH = 0x7f, SHORT = 126, LONG = 127 };
#define END_OF_REQUEST 0x0d0a0d0au  // CR LF CR LF

typedef struct stream {
  const void* owner;         // NULL: not of the server
  bool upgraded;
  uint32_t last;             // four bytes of the request
  int n_head;                // bytes of the head of a frame so far
  unsigned char head[HEAD];
  uint64_t left;             // of the frame behind its head: key and payload
} stream;

static stream streams[SOCKETS];

static stream* find(int fd) { return fd >= 0 && fd < SOCKETS && streams[fd].owner ? &streams[fd] : NULL; }

void cli_masks_open(int fd, const void* owner)
{
  if (fd >= 0 && fd < SOCKETS) streams[fd] = (stream){.owner = owner};
}

bool cli_masks_upgrade(int fd)
{
  stream* s = find(fd);
  if (!s || s->last != END_OF_REQUEST) return false;
  s->upgraded = true;
  return true;
}

void cli_masks_close(const void* owner)
{
  for (int fd = 0; fd < SOCKETS; fd++)
    if (streams[fd].owner == owner) streams[fd] = (stream){0};
}

// The length of a frame, behind its first two bytes where it is long
static uint64_t length_of(const stream* s)
{
  uint64_t length = s->head[1] & LENGTH;
  if (length < SHORT) return length;
  length = 0;
  for (int i = 2; i < s->n_head; i++) length = length << 8 | s->head[i];
  return length;
}

static bool is_whole(const stream* s)
{
  int code = s->n_head < 2 ? -1 : s->head[1] & LENGTH;
  return s->n_head == (code < SHORT ? 2 : code < LONG ? 4 : HEAD) && code >= 0;
}

// False: a frame is not masked
static bool take_frames(stream* s, const unsigned char* byte, size_t n)
{
  while (n) {
    size_t part = s->left < n ? (size_t)s->left : n;
    s->left -= part;
    byte += part;
    n -= part;
    if (!n) break;
    s->head[s->n_head++] = *byte++;
    n--;
    if (s->n_head == 2 && !(s->head[1] & MASKED)) return false;
    if (!is_whole(s)) continue;
    uint64_t length = length_of(s);
    s->left = length > UINT64_MAX - KEY ? UINT64_MAX : length + KEY;
    s->n_head = 0;
  }
  return true;
}

__attribute__((visibility("default"))) ssize_t recv(int fd, void* bytes, size_t size, int flags)
{
  ssize_t n = recvfrom(fd, bytes, size, flags, NULL, NULL);
  stream* s = find(fd);
  if (n <= 0 || !s || (flags & MSG_PEEK)) return n;
  const unsigned char* byte = bytes;
  for (ssize_t i = n > 4 ? n - 4 : 0; i < n && !s->upgraded; i++) s->last = s->last << 8 | byte[i];
  if (!s->upgraded || take_frames(s, byte, (size_t)n)) return n;
  errno = ECONNRESET;
  return -1;
}
