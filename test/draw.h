// Random numbers that are the same everywhere, from `seed` on.
#ifndef TEST_DRAW_H
#define TEST_DRAW_H

static unsigned long seed;

static inline double uniform(double a, double b)
{
  seed = seed*6364136223846793005u + 1442695040888963407u;
  return a + (b - a)*(double)(seed >> 33)/2147483648.0;
}

#endif
