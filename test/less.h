// Sanitizers make steps ten to twenty times as long, and look at memory rather than at figures: under them tests try
// one in LESS of what they repeat.
#ifndef SS_TEST_LESS_H
#define SS_TEST_LESS_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LESS = 10 };
#else
enum { LESS = 1 };
#endif

#endif
