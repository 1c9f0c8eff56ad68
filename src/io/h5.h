// Small functions around HDF5, shared by the writer and the reader of run files. None of them prints.
#ifndef SS_IO_H5_H
#define SS_IO_H5_H

#include <hdf5.h>
#include <stickslip/base.h>
#include <sys/types.h>

/// HDF5 may be used between the two calls: by one thread at a time, since it knows nothing of threads itself, and with
/// its own messages switched off (they would go to standard error). They may be nested.
typedef struct ss_h5_voice {
  H5E_auto2_t write;
  void* user;
} ss_h5_voice;

ss_h5_voice ss_h5_silence(void);
void ss_h5_speak(ss_h5_voice voice);

/// fork() while no thread is in the midst of HDF5, so that the child may use it.
pid_t ss_h5_fork(void);

/// The deepest message of HDF5's error stack in plain words ("it has been cut short"), or "". Returns out.
char* ss_h5_reason(char* out, size_t size);

/// Creates the file, which must not exist, in the format of HDF5 1.10. After the first failed write *failure holds its
/// errno and nothing more is written, while HDF5 goes on as if it were: for the file it is as if the process had been
/// killed. *failure must outlive the file. Negative and errno if it cannot be created.
hid_t ss_h5_create(const char* path, int* failure);

/// Whether the file begins as an HDF5 file does; *error (with path) if not. `expected` says there what it should be:
/// "a run file".
bool ss_h5_is_hdf5(const char* path, const char* expected, ss_error* error);

/// Opens a file for reading in whatever state its writer left it. Negative and *error (with path) if it cannot be. A
/// file that is damaged can crash HDF5: others are read by ss_h5_reader_open().
hid_t ss_h5_open(const char* path, const char* expected, ss_error* error);

/// Marks the file as being written, until the descriptor is closed or the process dies. Returns the descriptor; -1 and
/// errno on failure, EAGAIN if another one has it. For a check whether there is a writer: lock and close.
int ss_h5_lock(const char* path);

/// Attributes of an object. Texts are UTF-8, filled up with zeros to the longest of a list. All false on failure.
bool ss_h5_put_text(hid_t object, const char* name, const char* text);
bool ss_h5_put_texts(hid_t object, const char* name, int n, const char* const* text);
bool ss_h5_put_number(hid_t object, const char* name, double value);
bool ss_h5_put_numbers(hid_t object, const char* name, int n, const double* value);
bool ss_h5_put_integer(hid_t object, const char* name, long value);

/// A text that may change later, to one of at most `room` bytes (a longer one is cut).
bool ss_h5_put_text_with_room(hid_t object, const char* name, const char* text, size_t room);
bool ss_h5_change_text(hid_t object, const char* name, const char* text);

/// The caller frees what it gets: a list and its texts are one block. NULL or false if the attribute is not there, is
/// of another type, or memory is short. *n is the number of entries found.
char* ss_h5_get_text(hid_t object, const char* name);
char** ss_h5_get_texts(hid_t object, const char* name, int* n);
double* ss_h5_get_numbers(hid_t object, const char* name, int* n);
bool ss_h5_get_number(hid_t object, const char* name, double* value);
bool ss_h5_get_integer(hid_t object, const char* name, long* value);

/// File access with the driver of h5_driver.c. failure may be NULL (then failed writes are HDF5's to handle).
hid_t ss_h5_access(int* failure);

#endif
