// Questions and answers between a reader of HDF5 and the process that reads for it. Both are the same program, so
// structs go as they are.
#ifndef SS_IO_H5_PROCESS_H
#define SS_IO_H5_PROCESS_H

#include <stdint.h>
#include <stickslip/base.h>
#include <sys/types.h>

enum { SS_H5_PATH = 1024, SS_H5_DIMS = 3 };

typedef enum ss_h5_what {
  SS_H5_ASK_OPENED,     ///< whether the file could be opened; the text says why not
  SS_H5_ASK_OBJECT,     ///< whether there is one
  SS_H5_ASK_ATTRIBUTE,  ///< whether there is one
  SS_H5_ASK_TEXTS,      ///< n texts, each with its NUL
  SS_H5_ASK_NUMBERS,    ///< n doubles
  SS_H5_ASK_INTEGER,    ///< an int64_t
  SS_H5_ASK_SET,        ///< an ss_h5_set
  SS_H5_ASK_DATA,       ///< as many bytes as were asked for
} ss_h5_what;

typedef struct ss_h5_question {
  ss_h5_what what;
  int number, rank;             ///< of data: an ss_number
  uint64_t first, size[SS_H5_DIMS];
  char object[SS_H5_PATH], name[SS_H5_PATH];
} ss_h5_question;

typedef struct ss_h5_answer {
  int32_t good;                 ///< 0: there is none, or it cannot be read
  int32_t no_memory;            ///< there was not enough
  int32_t n;                    ///< entries
  uint64_t bytes;               ///< that follow
} ss_h5_answer;

/// The process that reads, seen from here.
typedef struct ss_h5_process {
  pid_t id;
  int socket;  ///< -1: it has come to an end
} ss_h5_process;

/// Starts it; false and errno if that fails.
bool ss_h5_process_start(ss_h5_process* process, const char* path, const char* expected);
void ss_h5_process_stop(ss_h5_process* process);

/// Sends the question and gets the answer. The bytes that follow, at most `most`, come in a block with a NUL behind
/// them that the caller frees, or to `out` if that is not NULL. SS_OK; SS_ERR_FILE if the process has died, is silent
/// for a minute or says what cannot be; SS_ERR_MEMORY.
ss_status ss_h5_process_ask(ss_h5_process* process, const ss_h5_question* question, ss_h5_answer* answer, uint64_t most,
                            void* out, void** body);

/// The other side: opens the file and answers until nobody asks any more.
void ss_h5_serve(int socket, const char* path, const char* expected);

/// All bytes, however many calls and signals it takes. False at the end of the stream and on failure.
bool ss_h5_send(int socket, const void* data, size_t size);
bool ss_h5_receive(int socket, void* data, size_t size);

#endif
