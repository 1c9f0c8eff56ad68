// YAML for the model reader, on libyaml's document tree.
#include "io/yaml.h"
#include "base/number.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// Whether a tab is among the blanks that a line begins with
static bool begins_with_tab(const char* text, size_t length, size_t line)
{
  size_t i = 0;
  for (; line && i < length; i++) line -= text[i] == '\n';
  while (i < length && text[i] == ' ') i++;
  return i < length && text[i] == '\t';
}

static ss_status parser_error(const ss_yaml* yaml, const yaml_parser_t* p, ss_error* error)
{
  if (p->error == YAML_MEMORY_ERROR || p->error == YAML_NO_ERROR)  // libyaml does not always say so
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  const char* problem = p->problem ? p->problem : "not valid YAML";
  bool tab = p->error == YAML_SCANNER_ERROR && begins_with_tab(yaml->text, yaml->length, p->problem_mark.line);
  const char* hint = tab ? "; the line is indented by a tab, which YAML does not allow: use blanks" : "";
  ss_status st = ss_error_set(error, SS_ERR_INPUT, "not valid YAML: %s%s%s%s", problem, p->context ? ", " : "",
                              p->context ? p->context : "", hint);
  if (error) {
    snprintf(error->file, sizeof error->file, "%s", yaml->file);
    bool reader = p->error == YAML_READER_ERROR;  // bytes that are no text have no mark
    error->line = reader ? 0 : (int)p->problem_mark.line + 1;
    error->column = reader ? 0 : (int)p->problem_mark.column + 1;
  }
  return st;
}

// A second document in the file, or garbage behind the first, is an error.
static ss_status check_end(ss_yaml* yaml, yaml_parser_t* parser, ss_error* error)
{
  yaml_document_t more;
  if (!yaml_parser_load(parser, &more)) return parser_error(yaml, parser, error);
  const yaml_node_t* second = yaml_document_get_root_node(&more);
  ss_status st = second ? ss_yaml_error(yaml, second, 0, error,
                                        "a model file holds one YAML document; this is a second one")
                        : SS_OK;
  yaml_document_delete(&more);
  return st;
}

// Names go to terminals: none may hold what controls them ("\x1b[...")
static ss_status check_characters(ss_yaml* yaml, ss_error* error)
{
  for (const yaml_node_t* n = yaml->document.nodes.start; n < yaml->document.nodes.top; n++) {
    if (n->type != YAML_SCALAR_NODE) continue;
    if (ss_has_control(ss_yaml_text(n))) return ss_yaml_error(yaml, n, 0, error, "this text holds a control character");
  }
  return SS_OK;
}

// libyaml takes time in proportion to the square of the depth of nested brackets; no model needs more than a few.
#define MAX_DEPTH 100

static ss_status check_depth(const char* text, size_t length, const char* file, ss_error* error)
{
  int depth = 0, line = 1;
  for (size_t i = 0; i < length; i++) {
    line += text[i] == '\n';
    if (text[i] == '[' || text[i] == '{') depth++;
    if ((text[i] == ']' || text[i] == '}') && depth > 0) depth--;
    if (depth <= MAX_DEPTH) continue;
    ss_error_set(error, SS_ERR_INPUT, "brackets are nested more than %d deep", MAX_DEPTH);
    if (error) {
      snprintf(error->file, sizeof error->file, "%s", file);
      error->line = line;
    }
    return SS_ERR_INPUT;
  }
  return SS_OK;
}

ss_status ss_yaml_parse(ss_yaml* yaml, const char* text, size_t length, const char* file, ss_error* error)
{
  *yaml = (ss_yaml){.file = file, .text = text, .length = length};
  if (check_depth(text, length, file, error) < 0) return SS_ERR_INPUT;
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  yaml_parser_set_input_string(&parser, (const unsigned char*)text, length);
  ss_status st = SS_OK;
  if (!yaml_parser_load(&parser, &yaml->document)) st = parser_error(yaml, &parser, error);
  else {
    yaml->loaded = true;
    if (!ss_yaml_root(yaml)) {
      st = ss_error_set(error, SS_ERR_INPUT, "the file is empty; a model needs at least coordinates and kinetic");
      if (error) snprintf(error->file, sizeof error->file, "%s", file);
    }
    else st = check_end(yaml, &parser, error);
    if (st == SS_OK) st = check_characters(yaml, error);
  }
  yaml_parser_delete(&parser);
  if (st < 0) ss_yaml_free(yaml);
  return st;
}

void ss_yaml_free(ss_yaml* yaml)
{
  if (yaml->loaded) yaml_document_delete(&yaml->document);
  yaml->loaded = false;
}

const yaml_node_t* ss_yaml_root(ss_yaml* yaml) { return yaml_document_get_root_node(&yaml->document); }

const yaml_node_t* ss_yaml_node(ss_yaml* yaml, int number) { return yaml_document_get_node(&yaml->document, number); }

// The column of a byte inside a scalar: libyaml counts characters, we are given bytes of UTF-8.
static int column_inside(const yaml_node_t* node, size_t offset)
{
  int column = (int)node->start_mark.column + 1;
  if (node->type != YAML_SCALAR_NODE || node->start_mark.line != node->end_mark.line) return column;
  if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) column++;
  for (size_t i = 0; i < offset && i < node->data.scalar.length; i++)
    column += (node->data.scalar.value[i] & 0xC0) != 0x80;
  return column;
}

ss_status ss_yaml_error(const ss_yaml* yaml, const yaml_node_t* node, size_t offset, ss_error* error,
                        const char* format, ...)
{
  char text[sizeof error->text];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  ss_error_set(error, SS_ERR_INPUT, "%s", text);
  if (error) {
    snprintf(error->file, sizeof error->file, "%s", yaml->file);
    error->line = (int)node->start_mark.line + 1;
    error->column = column_inside(node, offset);
  }
  return SS_ERR_INPUT;
}

int ss_yaml_pairs(const yaml_node_t* mapping)
{
  return (int)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

const yaml_node_t* ss_yaml_key(ss_yaml* yaml, const yaml_node_t* mapping, int i)
{
  return ss_yaml_node(yaml, mapping->data.mapping.pairs.start[i].key);
}

const yaml_node_t* ss_yaml_value(ss_yaml* yaml, const yaml_node_t* mapping, int i)
{
  return ss_yaml_node(yaml, mapping->data.mapping.pairs.start[i].value);
}

const char* ss_yaml_text(const yaml_node_t* scalar) { return (const char*)scalar->data.scalar.value; }

const yaml_node_t* ss_yaml_get(ss_yaml* yaml, const yaml_node_t* mapping, const char* key)
{
  for (int i = 0; i < ss_yaml_pairs(mapping); i++)
    if (strcmp(ss_yaml_text(ss_yaml_key(yaml, mapping, i)), key) == 0) return ss_yaml_value(yaml, mapping, i);
  return NULL;
}

static ss_status unknown_key(const ss_yaml* yaml, const yaml_node_t* key, const char* what, const char* const* keys,
                             int n, ss_error* error)
{
  const char* near = ss_suggest(ss_yaml_text(key), keys, n);
  if (near)
    return ss_yaml_error(yaml, key, 0, error, "unknown key '%.80s' in %s; did you mean '%s'?", ss_yaml_text(key), what,
                         near);
  ss_text list = {0};
  for (int i = 0; i < n; i++) ss_text_append(&list, "%s%s", i ? ", " : "", keys[i]);
  bool cut = strpbrk(ss_yaml_text(key), "()+-*/^<>. ") || isdigit((unsigned char)*ss_yaml_text(key));
  const char* hint = cut ? " (inside {...} an expression with a comma must be quoted)" : "";
  ss_status st = ss_yaml_error(yaml, key, 0, error, "unknown key '%.80s' in %s; known are: %s%s", ss_yaml_text(key),
                               what,
                               list.data ? list.data : "", hint);
  ss_text_free(&list);
  return st;
}

// Pairs are compared one by one: more than this many make no sensible model and would take long.
#define MAX_PAIRS 10000

ss_status ss_yaml_check_mapping(ss_yaml* yaml, const yaml_node_t* node, const char* what, const char* const* keys,
                                int n, ss_error* error)
{
  if (node->type != YAML_MAPPING_NODE)
    return ss_yaml_error(yaml, node, 0, error, "%s must be a mapping (name: value, ...)", what);
  int pairs = ss_yaml_pairs(node);
  if (pairs > MAX_PAIRS) return ss_yaml_error(yaml, node, 0, error, "%s has more than %d entries", what, MAX_PAIRS);
  for (int i = 0; i < pairs; i++) {
    const yaml_node_t* key = ss_yaml_key(yaml, node, i);
    if (key->type != YAML_SCALAR_NODE) return ss_yaml_error(yaml, key, 0, error, "a key of %s must be a name", what);
    if (strlen(ss_yaml_text(key)) != key->data.scalar.length)
      return ss_yaml_error(yaml, key, 0, error, "a key of %s holds a zero byte", what);
    for (int j = 0; j < i; j++)
      if (strcmp(ss_yaml_text(key), ss_yaml_text(ss_yaml_key(yaml, node, j))) == 0)
        return ss_yaml_error(yaml, key, 0, error, "'%.80s' stands twice in %s", ss_yaml_text(key), what);
    bool known = n == 0;
    for (int j = 0; j < n && !known; j++) known = strcmp(ss_yaml_text(key), keys[j]) == 0;
    if (!known) return unknown_key(yaml, key, what, keys, n, error);
  }
  return SS_OK;
}
