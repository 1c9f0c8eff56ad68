// Shuffle and deflate for numbers that a simulation writes, several times faster than a general compressor.
// Shuffle puts the first bytes of all elements together, then the second ones, ... (a plane each). Of a smooth double
// the upper planes (sign, exponent, first digits) repeat from row to row and the lower ones are noise: a plane that
// repeats becomes runs at the distance of one row in fixed Huffman codes; noise is stored as it is. No search, no
// adaptive tree. The result is an ordinary zlib stream [RFC 1950, RFC 1951].
#include "io/pack.h"
#include <stdbool.h>
#include <string.h>

enum { MATCH_MIN = 3, MATCH_MAX = 258, STORED_MAX = 65535, DISTANCE_MAX = 32768, END_OF_BLOCK = 256 };

// Bits go into a byte from the lowest up; `end` is where writing must stop, and full says that it was reached.
typedef struct bits {
  uint8_t* at;
  uint8_t* end;
  uint64_t hold;
  int held;
  bool full;
} bits;

static void put(bits* b, uint64_t value, int count)
{
  b->hold |= value << b->held;
  b->held += count;
  if (b->held < 32) return;
  if (b->end - b->at < 4) { b->full = true; b->held = 0; b->hold = 0; return; }
  for (int i = 0; i < 4; i++) b->at[i] = (uint8_t)(b->hold >> 8*i);
  b->at += 4;
  b->hold >>= 32;
  b->held -= 32;
}

static void put_to_byte(bits* b)
{
  for (; b->held > 0; b->held -= 8, b->hold >>= 8) {
    if (b->at == b->end) { b->full = true; break; }
    *b->at++ = (uint8_t)b->hold;
  }
  b->held = 0;
  b->hold = 0;
}

static unsigned reversed(unsigned code, int count)
{
  unsigned r = 0;
  for (int i = 0; i < count; i++) r |= (code >> i & 1) << (count - 1 - i);
  return r;
}

// The fixed Huffman codes of literals and lengths [RFC 1951, 3.2.6]
static void fixed_codes(ss_pack_codes* c)
{
  for (unsigned s = 0; s < 288; s++) {
    int count = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    unsigned code = s < 144 ? 0x30 + s : s < 256 ? 0x190 + s - 144 : s < 280 ? s - 256 : 0xc0 + s - 280;
    c->symbol[s] = (uint16_t)reversed(code, count);
    c->symbol_bits[s] = (uint8_t)count;
  }
}

// Lengths 3..257 in groups of 1, 2, 4, ... 32 per symbol, four (first eight) symbols each; 258 alone [RFC 1951, 3.2.5]
void ss_pack_codes_init(ss_pack_codes* c)
{
  *c = (ss_pack_codes){0};
  fixed_codes(c);
  unsigned length = MATCH_MIN;
  for (unsigned s = 257; s < 285; s++) {
    int extra = s < 265 ? 0 : (int)(s - 261)/4;
    for (unsigned i = 0; i < 1u << extra && length < MATCH_MAX; i++, length++) {
      c->match[length] = c->symbol[s] | i << c->symbol_bits[s];
      c->match_bits[length] = (uint8_t)(c->symbol_bits[s] + extra);
    }
  }
  c->match[MATCH_MAX] = c->symbol[285];
  c->match_bits[MATCH_MAX] = c->symbol_bits[285];
}

// The code of a distance: 5 bits, then extra bits; two codes for each power of two [RFC 1951, 3.2.5]
static uint32_t distance_code(unsigned distance, int* count)
{
  unsigned d = distance - 1, code = d;
  int extra = 0;
  if (d >= 4) {
    while (d >> (extra + 2)) extra++;   // d has extra + 2 binary digits
    code = 2u*(unsigned)extra + (d >> extra);
  }
  *count = 5 + extra;
  return reversed(code, 5) | (d & ((1u << extra) - 1)) << 5;
}

static void put_stored(bits* b, const uint8_t* p, size_t n)
{
  while (n) {
    size_t part = n < STORED_MAX ? n : STORED_MAX;
    put(b, 0, 3);
    put_to_byte(b);
    if ((size_t)(b->end - b->at) < part + 4) { b->full = true; return; }
    uint8_t head[4] = {(uint8_t)part, (uint8_t)(part >> 8), (uint8_t)~part, (uint8_t)(~part >> 8)};
    memcpy(b->at, head, 4);
    memcpy(b->at + 4, p, part);
    b->at += part + 4;
    p += part;
    n -= part;
  }
}

// How many bytes from p on, at most limit, equal those `distance` before
static size_t run_length(const uint8_t* p, size_t distance, size_t limit)
{
  const uint8_t* before = p - distance;
  size_t i = 0;
  while (i + 8 <= limit && memcmp(p + i, before + i, 8) == 0) i += 8;
  while (i < limit && p[i] == before[i]) i++;
  return i;
}

// A block of fixed Huffman codes: runs at one distance, all else literally
static void put_runs(bits* b, const ss_pack_codes* c, const uint8_t* p, size_t n, size_t distance)
{
  int d_bits;
  uint32_t d_code = distance_code((unsigned)distance, &d_bits);
  put(b, 1u << 1, 3);
  for (size_t i = 0; i < n && !b->full;) {
    size_t limit = n - i < MATCH_MAX ? n - i : MATCH_MAX;
    size_t run = i < distance ? 0 : run_length(p + i, distance, limit);
    if (run < MATCH_MIN) {
      put(b, c->symbol[p[i]], c->symbol_bits[p[i]]);
      i++;
    } else {
      put(b, c->match[run], c->match_bits[run]);
      put(b, d_code, d_bits);
      i += run;
    }
  }
  put(b, c->symbol[END_OF_BLOCK], c->symbol_bits[END_OF_BLOCK]);
}

// Whether half of the bytes or more equal the one a row before. Otherwise literals of 8 or 9 bits eat up the gain.
static bool repeats(const uint8_t* p, size_t n, size_t distance)
{
  size_t same = 0;
  for (size_t i = distance; i < n; i++) same += p[i] == p[i - distance];
  return 2*same >= n;
}

// Adler-32: a = 1 + sum of bytes, b = sum of the a's, modulo 65521 [RFC 1950, 8.2]. In blocks of 32 bytes,
// b grows by 32 a + sum (32 - i) p_i, which needs no chain of additions; 5536 bytes cannot overflow 32 bits.
static uint32_t adler32(const uint8_t* p, size_t n)
{
  enum { BLOCK = 32, SAFE = 5536 };
  uint32_t a = 1, b = 0;
  while (n) {
    size_t part = n < SAFE ? n : SAFE;
    n -= part;
    for (; part >= BLOCK; part -= BLOCK, p += BLOCK) {
      uint32_t sum = 0, weighted = 0;
      for (uint32_t i = 0; i < BLOCK; i++) { sum += p[i]; weighted += (BLOCK - i)*p[i]; }
      b += BLOCK*a + weighted;
      a += sum;
    }
    for (; part; part--) { a += *p++; b += a; }
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}

// Plane j holds byte j of each element: what HDF5's filter does
static void shuffle(const uint8_t* in, size_t n, size_t size, uint8_t* out)
{
  if (size == 8) {  // nearly always: one load per element
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < 8; j++) out[j*n + i] = in[8*i + j];
    return;
  }
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < n; i++) out[j*n + i] = in[i*size + j];
}

size_t ss_pack(const ss_pack_codes* codes, const void* data, size_t n, size_t size, size_t period, uint8_t* shuffled,
               uint8_t* out)
{
  const uint8_t* plane = data;
  size_t total = n*size;
  if (total < 16) return 0;
  if (size > 1) { shuffle(data, n, size, shuffled); plane = shuffled; }
  uint32_t check = adler32(plane, total);
  bits b = {.at = out, .end = out + total};
  put(&b, 0x0178, 16);  // deflate, window of 32 KiB, fastest algorithm, check bits
  size_t distance = period >= 1 && period <= DISTANCE_MAX ? period : 1;
  for (size_t j = 0; j < size && !b.full; j++, plane += n) {
    if (repeats(plane, n, distance)) put_runs(&b, codes, plane, n, distance);
    else put_stored(&b, plane, n);
  }
  put(&b, 1 | 1u << 1, 3);  // the last block, empty
  put(&b, codes->symbol[END_OF_BLOCK], codes->symbol_bits[END_OF_BLOCK]);
  put_to_byte(&b);
  for (int i = 3; i >= 0; i--) put(&b, check >> 8*i & 0xff, 8);  // highest byte first
  put_to_byte(&b);
  return b.full || b.at == b.end ? 0 : (size_t)(b.at - out);
}
