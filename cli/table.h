// A table on the terminal: cells are given row by row, columns are as wide as their widest cell.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>
#include <stickslip/base.h>

typedef struct cli_table {
  int columns;        ///
  const char* align;  ///< one letter per column: 'l' left, 'r' right
  char* text;         ///< all cells, each ended by 0
  size_t used, size;  ///< bytes of text
  bool failed;        ///< memory was short
} cli_table;

/// `align` stays the caller's and gives the number of columns.
cli_table cli_table_create(const char* align);

/// The next cell.
void cli_table_cell(cli_table* table, const char* format, ...) SS_PRINTF(2, 3);

/// Prints on stdout, each line behind `indent` spaces, and releases the table. False if memory was short.
bool cli_table_print(cli_table* table, int indent);

/// Releases a table that is not printed.
void cli_table_free(cli_table* table);

/// Columns that a UTF-8 text takes on a terminal.
int cli_text_width(const char* text);

#endif
