// How HDF5 gets at the bytes of a run file: plain pread and pwrite, with one difference to HDF5's own driver. When a
// write fails (disk full, file too large, broken disk) HDF5 keeps what it could not write, tries again whenever
// something is closed, and may never come to an end. This driver instead notes the first failure and from then on drops
// all writes without telling HDF5. The file stays what it was at that moment, as after a kill, and everything closes.
// No `cmp`: two openings of one file are independent, so that a run can be read by the process that writes it.
// The driver also decides where things go in a file: see file_alloc.
#include "io/h5.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, GAP = 8 };

typedef struct driver_file {
  H5FD_t base;   // HDF5's part, first
  int fd;        //
  haddr_t eoa;   // end of what HDF5 has allocated
  haddr_t eof;   // end of the file
  int* failure;  // errno of the first failed write, 0 before; NULL if nobody wants it
} driver_file;

typedef struct driver_info { int* failure; } driver_info;

static H5FD_t* file_open(const char* name, unsigned flags, hid_t access, haddr_t maxaddr)
{
  (void)maxaddr;
  const driver_info* info = H5Pget_driver_info(access);
  int mode = flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY;
  if (flags & H5F_ACC_TRUNC) mode |= O_TRUNC;
  if (flags & H5F_ACC_CREAT) mode |= O_CREAT;
  if (flags & H5F_ACC_EXCL) mode |= O_EXCL;
  struct stat status;
  driver_file* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->fd = open(name, mode | O_CLOEXEC, 0666);
  if (f->fd < 0 || fstat(f->fd, &status) < 0) {
    if (f->fd >= 0) close(f->fd);
    free(f);
    return NULL;
  }
  f->eof = (haddr_t)status.st_size;
  f->failure = info ? info->failure : NULL;
  return &f->base;
}

static herr_t file_close(H5FD_t* base)
{
  driver_file* f = (driver_file*)base;
  if (close(f->fd) < 0 && f->failure && !*f->failure) *f->failure = errno;
  free(f);
  return 0;
}

// What HDF5 may do with the file: let readers follow a writer; read it with its own driver
static herr_t file_query(const H5FD_t* base, unsigned long* flags)
{
  (void)base;
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_SUPPORTS_SWMR_IO |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t file_get_eoa(const H5FD_t* base, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file*)base)->eoa;
}

static herr_t file_set_eoa(H5FD_t* base, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((driver_file*)base)->eoa = address;
  return 0;
}

static haddr_t file_get_eof(const H5FD_t* base, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file*)base)->eof;
}

// A kill can part a write where a page of memory ends: the kernel copies page by page and looks for signals in between.
// Half of a piece of metadata has a wrong checksum and takes all data with it. So nothing that fits into a page lies
// across the end of one, and what is longer (only the index of more than 30 million rows) starts with a page. Data may
// lie anywhere: they are written anew, or over themselves with the same bytes. The gap of 8 bytes keeps HDF5 from
// lengthening in place what lies at the end of the file.
static haddr_t file_alloc(H5FD_t* base, H5FD_mem_t type, hid_t transfer, hsize_t size)
{
  (void)transfer;
  driver_file* f = (driver_file*)base;
  haddr_t at = f->eoa, page = (at + PAGE - 1)/PAGE*PAGE;
  bool cut = at + size > page && at < page;
  if (cut && (size <= PAGE || type != H5FD_MEM_DRAW)) at = page;
  f->eoa = at + size + (at ? GAP : 0);
  return at;
}

// Allocated but never written reads as zeros, except for data: there it means that the file was cut off. After a failed
// write nothing can be read back, since it may not be there: HDF5 would wait, longer and longer, for it to appear.
static herr_t file_read(H5FD_t* base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void* buffer)
{
  (void)transfer;
  driver_file* f = (driver_file*)base;
  char* to = buffer;
  size_t done = 0;
  if (f->failure && *f->failure) return -1;
  while (done < size) {
    ssize_t got = pread(f->fd, to + done, size - done, (off_t)(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || (got == 0 && type == H5FD_MEM_DRAW)) return -1;
    if (got == 0) { memset(to + done, 0, size - done); break; }
    done += (size_t)got;
  }
  return 0;
}

static herr_t fail(driver_file* f)
{
  if (!f->failure) return -1;
  *f->failure = errno;
  return 0;
}

static herr_t file_write(H5FD_t* base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void* buffer)
{
  (void)type;
  (void)transfer;
  driver_file* f = (driver_file*)base;
  const char* from = buffer;
  if (f->failure && *f->failure) return 0;
  while (size) {
    ssize_t put = pwrite(f->fd, from, size, (off_t)address);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(f);
    from += put;
    address += (haddr_t)put;
    size -= (size_t)put;
  }
  if (address > f->eof) f->eof = address;
  return 0;
}

static herr_t file_truncate(H5FD_t* base, hid_t transfer, hbool_t closing)
{
  (void)transfer;
  (void)closing;
  driver_file* f = (driver_file*)base;
  if (f->eoa == f->eof || (f->failure && *f->failure)) return 0;
  if (ftruncate(f->fd, (off_t)f->eoa) < 0) return fail(f);
  f->eof = f->eoa;
  return 0;
}

// As HDF5's own driver does it; file systems without locks are let be
static herr_t file_lock(H5FD_t* base, hbool_t to_write)
{
  int how = (to_write ? LOCK_EX : LOCK_SH) | LOCK_NB;
  return flock(((driver_file*)base)->fd, how) < 0 && errno == EWOULDBLOCK ? -1 : 0;
}

static herr_t file_unlock(H5FD_t* base)
{
  flock(((driver_file*)base)->fd, LOCK_UN);
  return 0;
}

static hid_t registered = -1;  // the driver's number, while HDF5 knows the driver

// HDF5 forgets the driver: it is being closed as a whole
static herr_t forget(void)
{
  registered = -1;
  return 0;
}

static const H5FD_class_t driver = {
  .name = "stickslip",
  .terminate = forget,
  .maxaddr = ((haddr_t)1 << 62) - 1,
  .fc_degree = H5F_CLOSE_STRONG,
  .fapl_size = sizeof(driver_info),
  .open = file_open,
  .close = file_close,
  .query = file_query,
  .alloc = file_alloc,
  .get_eoa = file_get_eoa,
  .set_eoa = file_set_eoa,
  .get_eof = file_get_eof,
  .read = file_read,
  .write = file_write,
  .truncate = file_truncate,
  .lock = file_lock,
  .unlock = file_unlock,
  .fl_map = H5FD_FLMAP_DICHOTOMY,
};

// The driver is registered once and kept. HDF5 counts who uses it, and lets go of it before the close of the file that
// uses it last: a driver that nobody else holds would be freed and then called. A reader that meets metadata with a
// wrong checksum tries again after 1, 2, 4, ... ns, in case a writer is at it: 24 times is 17 ms.
hid_t ss_h5_access(int* failure)
{
  driver_info info = {failure};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (registered < 0) registered = H5FDregister(&driver);
  bool good = access >= 0 && registered >= 0 && H5Pset_driver(access, registered, &info) >= 0 &&
              H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
              H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_metadata_read_attempts(access, 24) >= 0;
  if (!good && access >= 0) { H5Pclose(access); access = -1; }
  return access;
}
