// HDF5 files from elsewhere, read by a process of their own. HDF5 trusts the bytes of a file: a damaged one can crash
// it, overwrite memory, or keep it busy for ever. So a child of this process, with limits, opens the file and answers
// questions about it. Whatever befalls the child, here it is an error like any other. The answers are checked, too.
//
// What a program notices: a child process from open to close (a SIGCHLD when it ends; waitpid(-1) may take its status,
// which is fine), and one descriptor, closed on exec. No HDF5 is called in this process, so that several threads may
// read, each with a reader of its own. The child has no other descriptors, and writes nothing.
#ifndef SS_IO_H5_READER_H
#define SS_IO_H5_READER_H

#include <stdint.h>
#include <stickslip/base.h>
#include "io/run_schema.h"

typedef struct ss_h5_reader ss_h5_reader;

/// NULL and *error, with the path, if it cannot be opened. `expected` says in the error what it should be: "a run
/// file". *is_other (may be NULL) is true then if the file is there, but no HDF5 file at all.
ss_h5_reader* ss_h5_reader_open(const char* path, const char* expected, bool* is_other, ss_error* error);
void ss_h5_reader_close(ss_h5_reader* reader);  ///< NULL is allowed

/// Why a question had no answer, if not because what was asked for is not there: SS_OK then, else what befell the
/// child. Fills *error (may be NULL) if it is not SS_OK.
ss_status ss_h5_reader_failure(const ss_h5_reader* reader, ss_error* error);

/// Bytes that all of the file can be unpacked to, at most.
uint64_t ss_h5_reader_room(const ss_h5_reader* reader);

/// Whether there is an object at this path, and an attribute of an object.
bool ss_h5_reader_has(ss_h5_reader* reader, const char* object);
bool ss_h5_reader_has_attribute(ss_h5_reader* reader, const char* object, const char* name);

/// Attributes. The caller frees what it gets: a list and its texts are one block. NULL or false if the attribute is not
/// there, is of another type, or cannot be read.
char* ss_h5_reader_text(ss_h5_reader* reader, const char* object, const char* name);
char** ss_h5_reader_texts(ss_h5_reader* reader, const char* object, const char* name, int* n);
double* ss_h5_reader_numbers(ss_h5_reader* reader, const char* object, const char* name, int* n);
bool ss_h5_reader_number(ss_h5_reader* reader, const char* object, const char* name, double* value);
bool ss_h5_reader_integer(ss_h5_reader* reader, const char* object, const char* name, long* value);

enum { SS_H5_RANK = 3 };

typedef enum ss_h5_class { SS_H5_OTHER, SS_H5_INTEGER, SS_H5_FLOAT, SS_H5_ENUM, SS_H5_COMPOUND } ss_h5_class;

/// A data set: what it says of itself, and what can be in it.
typedef struct ss_h5_set {
  ss_h5_class class;
  int size;                   ///< bytes of a number in the file
  int rank;                   ///< more than SS_H5_RANK is told as such, without dims
  uint64_t dims[SS_H5_RANK];
  uint64_t room;              ///< bytes that the stored ones can be unpacked to, at most
} ss_h5_set;

/// False if there is no such data set.
bool ss_h5_reader_set(ss_h5_reader* reader, const char* path, ss_h5_set* set);

/// A block of a data set of this rank, from `first` in the first direction on, all of it in the others: size[] numbers.
/// `out` has room for them. False if it cannot be read.
bool ss_h5_reader_read(ss_h5_reader* reader, const char* path, ss_number number, int rank, uint64_t first,
                       const uint64_t size[SS_H5_RANK], void* out);

#endif
