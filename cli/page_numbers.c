// Numbers of a page: arrays in base64, little-endian, as browsers read them (RFC 4648, section 4).
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "page.h"

static char* base64(const unsigned char* bytes, size_t n)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char* text = malloc(4*((n + 2)/3) + 1);
  char* p = text;
  for (size_t i = 0; text && i < n; i += 3) {
    size_t left = n - i;
    unsigned v = (unsigned)bytes[i] << 16;
    if (left > 1) v |= (unsigned)bytes[i + 1] << 8;
    if (left > 2) v |= bytes[i + 2];
    *p++ = digit[v >> 18];
    *p++ = digit[v >> 12 & 63];
    *p++ = left > 1 ? digit[v >> 6 & 63] : '=';
    *p++ = left > 2 ? digit[v & 63] : '=';
  }
  if (text) *p = '\0';
  return text;
}

static void put(unsigned char* out, uint64_t bits, int bytes)
{
  for (int i = 0; i < bytes; i++) out[i] = (unsigned char)(bits >> 8*i);
}

static void put_number(unsigned char* out, double value, int bytes)
{
  uint64_t wide;
  uint32_t narrow;
  float f = (float)value;
  memcpy(&wide, &value, sizeof wide);
  memcpy(&narrow, &f, sizeof narrow);
  if (bytes == 8) put(out, wide, 8);
  else if (bytes == 4) put(out, narrow, 4);
  else out[0] = value >= 0 && value <= 255 ? (unsigned char)value : 255;
}

static bool all_equal(long n, const double* value)
{
  for (long i = 1; i < n; i++)
    if (value[i] != value[0]) return false;
  return n > 0 && isfinite(value[0]);
}

// In 65000 steps from the lowest to the highest value; 65535 is a value that is none
static bool add_steps(cJSON* object, long n, const double* value)
{
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (long i = 0; i < n; i++) {
    if (!isfinite(value[i])) continue;
    low = fmin(low, value[i]);
    high = fmax(high, value[i]);
  }
  double step = high > low ? (high - low)/65000 : 1;
  unsigned char* packed = malloc(2*(size_t)n + 1);
  for (long i = 0; packed && i < n; i++)
    put(packed + 2*i, isfinite(value[i]) ? (uint64_t)((value[i] - low)/step + 0.5) : 65535, 2);
  char* text = packed ? base64(packed, 2*(size_t)n) : NULL;
  bool done = text && cJSON_AddStringToObject(object, "type", "u16") && cJSON_AddStringToObject(object, "data", text);
  cli_json_number(object, "low", high >= low ? low : 0);
  cli_json_number(object, "step", step);
  free(text);
  free(packed);
  return done;
}

bool cli_page_numbers(cJSON* object, const char* type, long n, const double* value)
{
  int bytes = strcmp(type, "f64") == 0 ? 8 : strcmp(type, "f32") == 0 ? 4 : 1;
  if (all_equal(n, value)) {
    cli_json_number(object, "constant", value[0]);
    return true;
  }
  if (strcmp(type, "u16") == 0) return add_steps(object, n, value);
  unsigned char* packed = malloc((size_t)n*(size_t)bytes + 1);
  for (long i = 0; packed && i < n; i++) put_number(packed + i*bytes, value[i], bytes);
  char* text = packed ? base64(packed, (size_t)n*(size_t)bytes) : NULL;
  bool done = text && cJSON_AddStringToObject(object, "type", type) && cJSON_AddStringToObject(object, "data", text);
  free(text);
  free(packed);
  return done;
}
