// Tables with aligned columns. Names may hold Greek letters, so widths are counted in characters, not bytes.
#include "table.h"
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_table cli_table_create(const char* align)
{
  return (cli_table){.columns = (int)strlen(align), .align = align};
}

int cli_text_width(const char* text)
{
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;  // continuation bytes take no room
  return width;
}

void cli_table_cell(cli_table* table, const char* format, ...)
{
  enum { CELL = 512 };
  if (table->size - table->used < CELL) {
    size_t size = 2*table->size + 8*CELL;
    char* text = realloc(table->text, size);
    if (!text) {
      table->failed = true;
      return;
    }
    table->text = text;
    table->size = size;
  }
  va_list args;
  va_start(args, format);
  int n = vsnprintf(table->text + table->used, CELL, format, args);
  va_end(args);
  if (n >= CELL) n = CELL - 1;
  table->used += (size_t)(n < 0 ? 0 : n) + 1;
}

static void measure(const cli_table* table, int* width)
{
  int column = 0;
  for (size_t at = 0; at < table->used; at += strlen(table->text + at) + 1) {
    int w = cli_text_width(table->text + at);
    if (w > width[column]) width[column] = w;
    column = (column + 1) % table->columns;
  }
}

// No blanks at the end of a line: a last column that is aligned left is not padded.
static void print_cells(const cli_table* table, const int* width, int indent)
{
  int column = 0;
  for (size_t at = 0; at < table->used; at += strlen(table->text + at) + 1) {
    const char* cell = table->text + at;
    int pad = width[column] - cli_text_width(cell);
    bool last = column == table->columns - 1;
    printf("%*s", column ? 2 : indent, "");
    if (table->align[column] == 'r') printf("%*s%s", pad, "", cell);
    else printf("%s%*s", cell, last ? 0 : pad, "");
    if (last) putchar('\n');
    column = (column + 1) % table->columns;
  }
}

void cli_table_free(cli_table* table)
{
  free(table->text);
  *table = cli_table_create(table->align);
}

bool cli_table_print(cli_table* table, int indent)
{
  int* width = calloc((size_t)table->columns, sizeof *width);
  bool printed = width && !table->failed;
  if (printed) {
    measure(table, width);
    print_cells(table, width, indent);
  }
  free(width);
  cli_table_free(table);
  if (!printed) cli_out_of_memory();
  return printed;
}
