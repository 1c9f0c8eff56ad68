// Small functions around HDF5: silence, reasons, opening files, attributes.
#define _GNU_SOURCE  // F_OFD_SETLK: locks that belong to an open file rather than to the whole process
#include "io/h5.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// HDF5 has one state for the whole process
static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

ss_h5_voice ss_h5_silence(void)
{
  ss_h5_voice voice = {0};
  pthread_mutex_lock(&turn);
  H5Eget_auto2(H5E_DEFAULT, &voice.write, &voice.user);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return voice;
}

void ss_h5_speak(ss_h5_voice voice)
{
  H5Eset_auto2(H5E_DEFAULT, voice.write, voice.user);
  pthread_mutex_unlock(&turn);
}

// The thread that goes on in the child is another one for the lock, which it therefore makes anew
pid_t ss_h5_fork(void)
{
  pthread_mutex_lock(&turn);
  pid_t id = fork();
  if (id == 0) turn = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  else pthread_mutex_unlock(&turn);
  return id;
}

static herr_t keep_first(unsigned n, const H5E_error2_t* e, void* user)
{
  const char** reason = user;
  if (n == 0) *reason = e->desc;
  return 0;
}

// What HDF5's words mean to who has the file; the first that fits
static const char* plain_words(const char* reason)
{
  static const char* const table[][2] = {
    {"truncated", "it has been cut short"},
    {"lock", "another program is using it"},
    {"already open", "another program is using it"},
    {"checksum", "bytes have changed in it (a checksum is wrong)"},
    {"allocat", "memory is short, or a size in it is wrong"},
    {"filter", "its compressed data are damaged"},
    {"", "its structure is damaged"},
  };
  int i = 0;
  while (!strstr(reason, table[i][0])) i++;
  return table[i][1];
}

char* ss_h5_reason(char* out, size_t size)
{
  const char* reason = NULL;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  snprintf(out, size, "%s", reason ? plain_words(reason) : "");
  return out;
}

// ---- files ---------------------------------------------------------------------------------------------------------

hid_t ss_h5_create(const char* path, int* failure)
{
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // first by hand: this tells why if it fails
  if (fd < 0) return -1;
  close(fd);
  hid_t access = ss_h5_access(failure), layout = H5Pcreate(H5P_FILE_CREATE), file = -1;
  if (access >= 0 && layout >= 0 && H5Pset_file_space_strategy(layout, H5F_FSPACE_STRATEGY_NONE, 0, 1) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, layout, access);  // where things go is the driver's decision alone
  if (layout >= 0) H5Pclose(layout);
  if (access >= 0) H5Pclose(access);
  if (file < 0) { unlink(path); errno = *failure ? *failure : ENOMEM; }  // it could be opened: what else may be short
  return file;
}

// As many bytes as there are, up to n; -1 and errno if they cannot be read
static int read_bytes(int fd, unsigned char* to, int n)
{
  int done = 0;
  while (done < n) {
    ssize_t got = read(fd, to + done, (size_t)(n - done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (int)got;
  }
  return done;
}

// The first bytes of the file: 12 if there are as many. Negative and *error if it cannot be read.
static int read_head(const char* path, unsigned char head[12], ss_error* error)
{
  struct stat info;
  int got = -1, fd = -1;
  bool known = stat(path, &info) == 0;  // a pipe is not opened: its writer would begin, and find its reader gone
  if (known && !S_ISREG(info.st_mode))
    ss_error_set(error, SS_ERR_FILE, "'%s' is %s, not a run file", path,
                 S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
  else if (!known || (fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0)
    ss_error_set(error, SS_ERR_FILE, "cannot open '%s': %s", path, strerror(errno));
  else if ((got = read_bytes(fd, head, 12)) < 0)
    ss_error_set(error, SS_ERR_FILE, "cannot read '%s': %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return got;
}

// The superblock says in its byte 11 that a writer has the file open in a way that readers can follow: flag 4
// [HDF5 File Format Specification 3.0, II.A]. A killed writer leaves it behind.
static hid_t open_by_flags(const char* path, unsigned flags, hid_t access)
{
  return H5Fopen(path, H5F_ACC_RDONLY | (flags & 4 ? H5F_ACC_SWMR_READ : 0), access);
}

// Why the first bytes are not those of an HDF5 file
static const char* why_not(int got, const unsigned char* head)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  if (got == 0) return "it is empty";
  if (memcmp(head, signature, sizeof signature) != 0) return "it does not begin as an HDF5 file does";
  return got < 12 ? "it ends within the head of an HDF5 file" : NULL;
}

// The head of an HDF5 file; false and *error if it has none
static bool is_hdf5(const char* path, const char* expected, unsigned char head[12], ss_error* error)
{
  int got = read_head(path, head, error);
  const char* why = got < 0 ? NULL : why_not(got, head);
  if (why) ss_error_set(error, SS_ERR_FILE, "'%s' is not %s: %s", path, expected, why);
  return got >= 0 && !why;
}

bool ss_h5_is_hdf5(const char* path, const char* expected, ss_error* error)
{
  unsigned char head[12] = {0};
  return is_hdf5(path, expected, head, error);
}

hid_t ss_h5_open(const char* path, const char* expected, ss_error* error)
{
  unsigned char head[12] = {0};
  char reason[256];
  if (!is_hdf5(path, expected, head, error)) return -1;
  hid_t access = ss_h5_access(NULL);
  hid_t file = access < 0 ? -1 : open_by_flags(path, head[8] >= 3 ? head[11] : 0, access);
  if (file < 0)
    ss_error_set(error, SS_ERR_FILE, "'%s' is damaged or in use: %s", path,
                 ss_h5_reason(reason, sizeof reason)[0] ? reason : "memory may be short");
  if (access >= 0) H5Pclose(access);
  return file;
}

// The lock is on a byte beyond any data, out of the way of other locks
int ss_h5_lock(const char* path)
{
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
  if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) >= 0) return fd;
  if (errno != EAGAIN && errno != EACCES) return fd;  // a file system without locks
  close(fd);
  errno = EAGAIN;
  return -1;
}

// ---- attributes ----------------------------------------------------------------------------------------------------

// Texts have a fixed length: HDF5 keeps texts of variable length in a heap without checksums, and may never come back
// from reading a damaged one.
static hid_t text_type(size_t length)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && (H5Tset_size(type, length) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
                    H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

// Bytes of the text that fit into the room, with no letter of several bytes cut in two
static size_t cut(const char* text, size_t room)
{
  size_t length = strlen(text);
  if (length <= room) return length;
  while (room && ((unsigned char)text[room] & 0xc0) == 0x80) room--;
  return room;
}

// n < 0: a single value
static bool put(hid_t object, const char* name, hid_t type, int n, const void* value)
{
  hsize_t size = n < 0 ? 1 : (hsize_t)n;
  hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  hid_t attribute = space < 0 ? -1 : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = attribute >= 0 && (n == 0 || H5Awrite(attribute, type, value) >= 0);
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return good;
}

// n texts, cut to `room` bytes each and filled up with zeros
static bool put_padded(hid_t object, const char* name, int n, const char* const* text, size_t room)
{
  size_t count = n < 0 ? 1 : (size_t)n;
  char* padded = calloc(count + 1, room);
  hid_t type = text_type(room);
  for (size_t i = 0; padded && i < count; i++) memcpy(padded + i*room, text[i], cut(text[i], room));
  bool good = padded && type >= 0 && put(object, name, type, n, padded);
  if (type >= 0) H5Tclose(type);
  free(padded);
  return good;
}

bool ss_h5_put_texts(hid_t object, const char* name, int n, const char* const* text)
{
  size_t longest = 1;
  for (int i = 0; i < (n < 0 ? 1 : n); i++)
    if (strlen(text[i]) > longest) longest = strlen(text[i]);
  return put_padded(object, name, n, text, longest);
}

bool ss_h5_put_text(hid_t object, const char* name, const char* text)
{
  return ss_h5_put_texts(object, name, -1, &text);
}

bool ss_h5_put_text_with_room(hid_t object, const char* name, const char* text, size_t room)
{
  return put_padded(object, name, -1, &text, room);
}

bool ss_h5_put_number(hid_t object, const char* name, double value)
{
  return put(object, name, H5T_NATIVE_DOUBLE, -1, &value);
}

bool ss_h5_put_numbers(hid_t object, const char* name, int n, const double* value)
{
  return put(object, name, H5T_NATIVE_DOUBLE, n, value);
}

bool ss_h5_put_integer(hid_t object, const char* name, long value)
{
  return put(object, name, H5T_NATIVE_LONG, -1, &value);
}

bool ss_h5_change_text(hid_t object, const char* name, const char* text)
{
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
  size_t room = type < 0 ? 0 : H5Tget_size(type);
  char* padded = room ? calloc(1, room) : NULL;
  if (padded) memcpy(padded, text, cut(text, room));
  bool good = padded && H5Awrite(attribute, type, padded) >= 0;
  free(padded);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  return good;
}

enum { ENTRIES_MAX = 1 << 24 };

// Opens the attribute if its values are of this class; *n is how many there are
static hid_t open_attribute(hid_t object, const char* name, H5T_class_t class, int* n)
{
  if (H5Aexists(object, name) <= 0) return -1;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return -1;
  hid_t type = H5Aget_type(attribute);
  hid_t space = H5Aget_space(attribute);
  hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  bool good = type >= 0 && H5Tget_class(type) == class && count >= 0 && count < ENTRIES_MAX;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (!good) { H5Aclose(attribute); return -1; }
  *n = (int)count;
  return attribute;
}

enum { TEXT_MAX = 1 << 28 };  // bytes of all texts of an attribute

// n texts of `length` bytes each, padded by zeros, as a list of strings in one block with them
static char** unpad(const char* padded, size_t length, int n)
{
  char** list = malloc((size_t)(n + 1)*sizeof(char*) + (size_t)n*(length + 1));
  if (!list) return NULL;
  char* to = (char*)(list + n + 1);
  for (int i = 0; i < n; i++, to += length + 1) {
    list[i] = to;
    memcpy(to, padded + (size_t)i*length, length);
    to[length] = 0;
  }
  list[n] = NULL;
  return list;
}

char** ss_h5_get_texts(hid_t object, const char* name, int* n)
{
  hid_t attribute = open_attribute(object, name, H5T_STRING, n);
  if (attribute < 0) return NULL;
  hid_t type = H5Aget_type(attribute);
  size_t length = type < 0 || H5Tis_variable_str(type) ? 0 : H5Tget_size(type);
  bool good = length > 0 && length <= TEXT_MAX/((size_t)*n + 1);
  char* padded = good ? calloc((size_t)*n + 1, length) : NULL;
  char** list = padded && (!*n || H5Aread(attribute, type, padded) >= 0) ? unpad(padded, length, *n) : NULL;
  free(padded);
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return list;
}

char* ss_h5_get_text(hid_t object, const char* name)
{
  int n = 0;
  char** list = ss_h5_get_texts(object, name, &n);
  char* text = list && n == 1 ? malloc(strlen(list[0]) + 1) : NULL;
  if (text) strcpy(text, list[0]);
  free(list);
  return text;
}

double* ss_h5_get_numbers(hid_t object, const char* name, int* n)
{
  hid_t attribute = open_attribute(object, name, H5T_FLOAT, n);
  if (attribute < 0) return NULL;
  double* value = calloc((size_t)*n + 1, sizeof *value);
  if (value && *n && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) < 0) { free(value); value = NULL; }
  H5Aclose(attribute);
  return value;
}

bool ss_h5_get_number(hid_t object, const char* name, double* value)
{
  int n = 0;
  hid_t attribute = open_attribute(object, name, H5T_FLOAT, &n);
  if (attribute < 0) return false;
  bool good = n == 1 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
  H5Aclose(attribute);
  return good;
}

bool ss_h5_get_integer(hid_t object, const char* name, long* value)
{
  int n = 0;
  hid_t attribute = open_attribute(object, name, H5T_INTEGER, &n);
  if (attribute < 0) return false;
  bool good = n == 1 && H5Aread(attribute, H5T_NATIVE_LONG, value) >= 0;
  H5Aclose(attribute);
  return good;
}
