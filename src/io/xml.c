// XML by libxml2, copied into a light tree. A scan of the text goes first: it refuses what we never want (document
// types, and with them entities; deep nesting), and finds the line where each tag and attribute begins, which libxml2
// does not keep: it knows where a tag ends.
#include "io/xml.h"
#include <libxml/parser.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "io/mjcf_pool.h"

struct ss_xml {
  ss_pool pool;
  ss_xml_node* root;
};

// ---- the scan ----

// Lines of start tags and of their attributes, in the order of the text: a tag is -line, an attribute is line.
typedef struct scan {
  const char *at, *end;
  int line;
  int depth, elements;
  int* place;
  size_t n, capacity;
  bool failed;  // memory
} scan;

static void note(scan* s, int place)
{
  if (s->n == s->capacity) {
    size_t capacity = s->capacity ? 2*s->capacity : 256;
    int* more = realloc(s->place, capacity*sizeof *more);
    if (!more) { s->failed = true; return; }
    s->place = more;
    s->capacity = capacity;
  }
  s->place[s->n++] = place;
}

static bool starts(const scan* s, const char* with)
{
  size_t n = strlen(with);
  return (size_t)(s->end - s->at) >= n && memcmp(s->at, with, n) == 0;
}

static void skip(scan* s, size_t n)
{
  for (; n && s->at < s->end; n--) s->line += *s->at++ == '\n';
}

// Behind the next `mark`, or at the end
static void skip_past(scan* s, const char* mark)
{
  while (s->at < s->end && !starts(s, mark)) skip(s, 1);
  skip(s, strlen(mark));
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A start tag with its attributes; at its '<'
static void scan_tag(scan* s)
{
  note(s, -s->line);
  s->elements++;
  s->depth++;
  while (s->at < s->end && !is_blank(*s->at) && *s->at != '>' && *s->at != '/') skip(s, 1);
  while (s->at < s->end && *s->at != '>') {
    if (starts(s, "/>")) s->depth--;
    if (is_blank(*s->at) || *s->at == '/') { skip(s, 1); continue; }
    note(s, s->line);
    while (s->at < s->end && *s->at != '"' && *s->at != '\'' && *s->at != '>') skip(s, 1);
    if (s->at == s->end || *s->at == '>') break;  // not well formed; libxml2 will tell
    char quote[2] = {*s->at, 0};
    skip(s, 1);
    skip_past(s, quote);
  }
  skip(s, 1);
}

// An error at a line of the file; returns false
static bool refuse(const char* name, int line, ss_error* error, const char* text)
{
  ss_error_set(error, SS_ERR_INPUT, "%s", text);
  if (error) {
    error->line = line;
    snprintf(error->file, sizeof error->file, "%s", name);
  }
  return false;
}

static bool scan_text(scan* s, const char* name, ss_error* error)
{
  char text[128];
  while (s->at < s->end) {
    if (*s->at == 0) return refuse(name, s->line, error, "the file holds a zero byte; it is no text");
    if (*s->at != '<') skip(s, 1);
    else if (starts(s, "<!--")) { skip(s, 4); skip_past(s, "-->"); }
    else if (starts(s, "<![CDATA[")) skip_past(s, "]]>");
    else if (starts(s, "<!"))
      return refuse(name, s->line, error, "document types and entities (<!...>) are not accepted");
    else if (starts(s, "<?")) skip_past(s, "?>");
    else if (starts(s, "</")) { skip_past(s, ">"); s->depth--; }
    else scan_tag(s);
    if (s->depth > SS_XML_DEPTH) {
      snprintf(text, sizeof text, "elements are nested more than %d deep", SS_XML_DEPTH);
      return refuse(name, s->line, error, text);
    }
    if (s->elements > SS_XML_ELEMENTS) {
      snprintf(text, sizeof text, "more than %d elements", SS_XML_ELEMENTS);
      return refuse(name, s->line, error, text);
    }
  }
  if (s->failed) { ss_error_set(error, SS_ERR_MEMORY, "out of memory"); return false; }
  return s->elements || refuse(name, 0, error, "the file holds no XML element");
}

// ---- the tree ----

typedef struct copying {
  ss_xml* xml;
  const scan* scan;
  size_t next;  // place of the next tag or attribute
  bool failed;
  bool control;  // a text holds what controls terminals
} copying;

static int next_place(copying* c, int fallback, bool tag)
{
  if (c->next >= c->scan->n) return fallback;
  int place = c->scan->place[c->next++];
  return tag == (place < 0) ? abs(place) : fallback;
}

static const char* copy_text(copying* c, const xmlChar* text)
{
  const char* copy = ss_pool_copy(&c->xml->pool, (const char*)text, text ? strlen((const char*)text) : 0);
  if (!copy) c->failed = true;
  else if (ss_has_control(copy)) c->control = true;
  return copy;
}

static void copy_attributes(copying* c, const xmlNode* from, ss_xml_node* node)
{
  ss_xml_attribute** last = &node->attribute;
  for (const xmlNs* ns = from->nsDef; ns && c->next < c->scan->n; ns = ns->next) c->next++;  // xmlns=..., not kept
  for (const xmlAttr* a = from->properties; a && !c->failed; a = a->next) {
    ss_xml_attribute* copy = ss_pool_take(&c->xml->pool, sizeof *copy);
    if (!copy) { c->failed = true; return; }
    copy->line = next_place(c, node->line, false);
    if (a->ns) continue;  // of another language, e.g. xsi:schemaLocation
    copy->name = copy_text(c, a->name);
    xmlChar* value = xmlNodeListGetString(from->doc, a->children, 1);
    if (!value && a->children && a->children->content && a->children->content[0]) c->failed = true;
    copy->value = copy_text(c, value);
    xmlFree(value);
    *last = copy;
    last = &copy->next;
  }
}

// Recursion no deeper than SS_XML_DEPTH, which the scan has checked
static ss_xml_node* copy_node(copying* c, const xmlNode* from, ss_xml_node* parent)
{
  ss_xml_node* node = ss_pool_take(&c->xml->pool, sizeof *node);
  if (!node) { c->failed = true; return NULL; }
  node->name = copy_text(c, from->name);
  node->parent = parent;
  node->line = next_place(c, (int)xmlGetLineNo((xmlNode*)from), true);
  copy_attributes(c, from, node);
  ss_xml_node** last = &node->child;
  for (const xmlNode* n = from->children; n && !c->failed; n = n->next) {
    if (n->type != XML_ELEMENT_NODE) continue;
    *last = copy_node(c, n, node);
    if (*last) last = &(*last)->next;
  }
  return node;
}

// What libxml2 says, in one line
static void syntax_error(const xmlParserCtxt* ctxt, const char* name, ss_error* error)
{
  const xmlError* e = &ctxt->lastError;
  char text[256];
  snprintf(text, sizeof text, "not valid XML: %.200s", e->message ? e->message : "unknown reason");
  for (char* p = text; *p; p++)
    if (*p == '\n') *p = p[1] ? ' ' : 0;
  refuse(name, e->line, error, text);
  if (error && e->int2 > 0) error->column = e->int2;
}

static ss_xml* parse_scanned(const char* text, size_t length, const char* name, const scan* s, ss_error* error)
{
  xmlParserCtxt* ctxt = xmlNewParserCtxt();
  ss_xml* xml = calloc(1, sizeof *xml);
  xmlDoc* doc = NULL;
  bool good = false;
  errno = 0;
  if (ctxt && xml)
    doc = xmlCtxtReadMemory(ctxt, text, (int)length, NULL, "UTF-8",
                            XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES |
                            XML_PARSE_HUGE);
  // libxml2 goes on without what it had no memory for
  bool whole = ctxt && xml && ctxt->errNo != XML_ERR_NO_MEMORY && errno != ENOMEM;
  if (whole && !doc) syntax_error(ctxt, name, error);
  if (doc && whole) {
    copying c = {.xml = xml, .scan = s};
    const xmlNode* root = xmlDocGetRootElement(doc);
    if (root) xml->root = copy_node(&c, root, NULL);
    good = root && !c.failed && !c.control;
    if (c.control && !c.failed) refuse(name, 0, error, "a text of the file holds a control character");
    whole = root && !c.failed;
  }
  if (!whole) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  xmlFreeDoc(doc);
  xmlFreeParserCtxt(ctxt);
  if (good) return xml;
  ss_xml_destroy(xml);
  return NULL;
}

ss_xml* ss_xml_parse(const char* text, size_t length, const char* name, ss_error* error)
{
  if (length > SS_READ_LIMIT) {
    refuse(name, 0, error, "the text is larger than 64 MiB, the most that is read");
    return NULL;
  }
  scan s = {.at = text, .end = text + length, .line = 1};
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.at += 3;  // byte order mark
  ss_xml* xml = scan_text(&s, name, error) ? parse_scanned(text, length, name, &s, error) : NULL;
  free(s.place);
  return xml;
}

void ss_xml_destroy(ss_xml* xml)
{
  if (!xml) return;
  ss_pool_free(&xml->pool);
  free(xml);
}

ss_xml_node* ss_xml_root(const ss_xml* xml) { return xml->root; }

ss_xml_attribute* ss_xml_find(const ss_xml_node* node, const char* name)
{
  for (ss_xml_attribute* a = node->attribute; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a;
  return NULL;
}

ss_xml_attribute* ss_xml_set(ss_xml* xml, ss_xml_node* node, const char* name, const char* value, const void* owner)
{
  ss_xml_attribute* a = ss_xml_find(node, name);
  const char* copy = ss_pool_copy(&xml->pool, value, strlen(value));
  if (!a && copy) {
    a = ss_pool_take(&xml->pool, sizeof *a);
    const char* key = ss_pool_copy(&xml->pool, name, strlen(name));
    if (!a || !key) return NULL;
    a->name = key;
    a->line = node->line;
    a->next = node->attribute;
    node->attribute = a;
  }
  if (!copy) return NULL;
  a->value = copy;
  a->owner = owner;
  return a;
}

ss_xml_node* ss_xml_add(ss_xml* xml, ss_xml_node* parent, const char* name)
{
  ss_xml_node* node = ss_pool_take(&xml->pool, sizeof *node);
  const char* copy = ss_pool_copy(&xml->pool, name, strlen(name));
  if (!node || !copy) return NULL;
  node->name = copy;
  node->parent = parent;
  node->line = parent->line;
  ss_xml_node** last = &parent->child;
  while (*last) last = &(*last)->next;
  return *last = node;
}
