// Compression of a chunk of numbers, for HDF5's standard filters shuffle and deflate: whoever has HDF5 can read it.
#ifndef SS_IO_PACK_H
#define SS_IO_PACK_H

#include <stddef.h>
#include <stdint.h>

/// The code tables of the encoder; a constant once made.
typedef struct ss_pack_codes {
  uint16_t symbol[288];       ///< Huffman codes, first bit lowest
  uint8_t symbol_bits[288];   ///
  uint32_t match[259];        ///< code of the length 3..258, with its extra bits
  uint8_t match_bits[259];    ///
} ss_pack_codes;

void ss_pack_codes_init(ss_pack_codes* codes);

/// Packs n elements of `size` bytes (size > 1: shuffled first). Elements repeat best at the distance `period` (the
/// number of columns of a table). Returns the bytes in out, or 0 if they would not be fewer than n*size. `shuffled` and
/// `out` have room for n*size bytes each; out for 16 more.
size_t ss_pack(const ss_pack_codes* codes, const void* data, size_t n, size_t size, size_t period, uint8_t* shuffled,
               uint8_t* out);

#endif
