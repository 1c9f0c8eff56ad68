// Numbers that look random and are the same on every machine.
#ifndef SS_SOLVE_PSEUDO_RANDOM_H
#define SS_SOLVE_PSEUDO_RANDOM_H

#include <stdint.h>

/// 53 bits (splitmix64)
static inline double ss_pseudo_random_bits(uint64_t* seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27))*0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11);
}

/// Uniform in [-1, 1)
static inline double ss_pseudo_random(uint64_t* seed) { return ss_pseudo_random_bits(seed)/4503599627370496.0 - 1; }

/// Uniform in (0, 1)
static inline double ss_pseudo_random_part(uint64_t* seed)
{
  return (ss_pseudo_random_bits(seed) + 0.5)/9007199254740992.0;
}

#endif
