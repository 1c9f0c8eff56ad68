// The files of a scene: <include> puts what another file holds in its place. Lines of all files are counted one after
// the other, so that one number tells file and line (ss_scene_place).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"
#include "io/mjcf.h"

enum { MOST_FILES = 1000, MOST_NESTED = 32 };

// ---- places ----

void ss_scene_place(const ss_scene* scene, int line, const char** file, int* there)
{
  if (!scene || !file || !there) return;
  *file = scene->file;
  *there = line;
  for (int i = 0; i < scene->n_source && scene->source[i].before < line; i++) {
    *file = scene->source[i].file;
    *there = line - scene->source[i].before;
  }
}

static int count_lines(const char* text, size_t length)
{
  int n = 1;
  for (const char* end = text + length; text < end && (text = memchr(text, '\n', (size_t)(end - text))); text++) n++;
  return n;
}

static void shift(ss_xml_node* node, int lines)
{
  node->line += lines;
  for (ss_xml_attribute* a = node->attribute; a; a = a->next) a->line += lines;
  for (ss_xml_node* child = node->child; child; child = child->next) shift(child, lines);
}

// One more file in the list, so many lines long; *before: those of the files before it
static ss_status add_source(ss_mjcf* r, const char* file, int lines, int* before)
{
  ss_mj_scene* s = r->out;
  int n = s->scene.n_source;
  if (!SS_MJ_GROW(s->source, s->source_room, n)) return ss_mj_memory(r);
  s->source[n] = (ss_scene_source){.file = ss_pool_copy(&s->pool, file, strlen(file)), .before = r->n_line};
  if (!s->source[n].file) return ss_mj_memory(r);
  *before = r->n_line;
  if (lines > INT32_MAX/2 - r->n_line)
    return ss_error_set(r->error, SS_ERR_INPUT, "the files of the scene have too many lines");
  r->n_line += lines;
  s->scene.n_source++;
  s->scene.source = s->source;
  return SS_OK;
}

ss_status ss_mj_main_source(ss_mjcf* r, const char* text, size_t length)
{
  int before;
  return add_source(r, r->file, count_lines(text, length), &before);
}

// ---- files ----

const char* ss_mj_folder(ss_mjcf* r, const char* file)
{
  const char* slash = strrchr(file, '/');
  return ss_pool_copy(&r->out->pool, file, slash ? (size_t)(slash - file) + 1 : 0);
}

static bool keep_part(ss_mjcf* r, ss_xml* xml)
{
  if (!SS_MJ_GROW(r->part, r->part_room, r->n_part)) return false;
  r->part[r->n_part++] = xml;
  return true;
}

ss_status ss_mj_open(ss_mjcf* r, const ss_xml_node* by, const char* path, ss_xml_node** root)
{
  size_t length;
  int before;
  ss_error error = {0};
  if (r->n_part >= MOST_FILES)
    return ss_mj_error_at(r, by, "%s: more than %d files in one scene", by->name, MOST_FILES);
  char* text = ss_read_file(path, &length, &error);
  if (!text) {
    ss_mj_error_at(r, by, "%s: %.300s", by->name, error.text);
    if (r->error) r->error->status = SS_ERR_FILE;
    return SS_ERR_FILE;
  }
  ss_xml* xml = ss_xml_parse(text, length, path, r->error);
  ss_status st = xml ? add_source(r, path, count_lines(text, length), &before) : SS_ERR_INPUT;
  free(text);
  if (xml && !keep_part(r, xml)) {
    ss_xml_destroy(xml);
    return ss_mj_memory(r);
  }
  if (st < 0) return st;
  *root = ss_xml_root(xml);
  shift(*root, before);
  return SS_OK;
}

// ---- include ----

// The file that is being read, and those that include it
typedef struct chain {
  const char* path;
  const char* folder;
  dev_t device;
  ino_t number;
  int depth;
  const struct chain* above;
} chain;

static ss_status expand(ss_mjcf* r, ss_xml_node* node, int depth, const chain* in);

// Beside the including file; if there is none, beside the scene
static ss_status include_path(ss_mjcf* r, const ss_xml_node* node, const chain* in, char* path, size_t size)
{
  const ss_xml_attribute* a = ss_xml_find(node, "file");
  const char* folders[2] = {in->folder, r->set.folder};
  if (!a || !*a->value) return ss_mj_error_at(r, node, "include needs the attribute 'file'");
  for (const ss_xml_attribute* other = node->attribute; other; other = other->next)
    if (other != a) return ss_mj_error_at(r, node, "include has no attribute '%.60s', only 'file'", other->name);
  if (node->child) return ss_mj_error_at(r, node->child, "include has nothing inside");
  for (int i = 1; i >= 0; i--) {
    const char* folder = *a->value == '/' ? "" : folders[1 - i];
    if (snprintf(path, size, "%s%s", folder, a->value) >= (int)size)
      return ss_mj_error_at(r, node, "include: the name of the file is longer than %d bytes", (int)size - 1);
    if (!i || access(path, R_OK) == 0) return SS_OK;
  }
  return SS_OK;
}

static ss_status check_chain(ss_mjcf* r, const ss_xml_node* node, const chain* part)
{
  if (part->depth > MOST_NESTED)
    return ss_mj_error_at(r, node, "include: files are nested more than %d deep", MOST_NESTED);
  for (const chain* c = part->above; c; c = c->above)
    if (part->number && c->number == part->number && c->device == part->device)
      return ss_mj_error_at(r, node, "include: '%.200s' includes itself", part->path);
  return SS_OK;
}

static void identify(chain* c)
{
  struct stat info;
  if (stat(c->path, &info) != 0) return;
  c->device = info.st_dev;
  c->number = info.st_ino;
}

// In the place of *at: what stands in its file. *at is then the first of that, or what follows
static ss_status include(ss_mjcf* r, ss_xml_node** at, int depth, const chain* in)
{
  ss_xml_node *node = *at, *root = NULL;
  char path[1024];
  ss_status st = include_path(r, node, in, path, sizeof path);
  chain part = {.path = path, .depth = in->depth + 1, .above = in};
  if (st < 0) return st;
  identify(&part);
  if ((st = check_chain(r, node, &part)) < 0 || (st = ss_mj_open(r, node, path, &root)) < 0) return st;
  if (strcmp(root->name, "robot") == 0)
    return ss_mj_error_at(r, node, "include: '%.200s' is a URDF file, which cannot be a part of a scene", path);
  if (!(part.folder = ss_mj_folder(r, path))) return ss_mj_memory(r);
  root->parent = node->parent;
  if ((st = expand(r, root, depth - 1, &part)) < 0) return st;
  ss_xml_node** last = &root->child;
  for (; *last; last = &(*last)->next) (*last)->parent = node->parent;
  *last = node->next;
  *at = root->child;
  return SS_OK;
}

static ss_status expand(ss_mjcf* r, ss_xml_node* node, int depth, const chain* in)
{
  if (depth > SS_XML_DEPTH) return ss_mj_error_at(r, node, "elements are nested more than %d deep", SS_XML_DEPTH);
  ss_xml_node** at = &node->child;
  const ss_xml_node* done = NULL;  // the first one behind what was included, which has been expanded
  for (bool inside = false; *at;) {
    if (inside && *at == done) inside = false;
    if (!inside && strcmp((*at)->name, "include") == 0) {
      done = (*at)->next;
      inside = true;
      ss_status st = include(r, at, depth + 1, in);
      if (st < 0) return st;
      continue;
    }
    ss_status st = inside ? SS_OK : expand(r, *at, depth + 1, in);
    if (st < 0) return st;
    at = &(*at)->next;
  }
  return SS_OK;
}

ss_status ss_mj_include(ss_mjcf* r, ss_xml_node* root, const char* path, const char* folder)
{
  chain in = {.path = path, .folder = folder};
  identify(&in);
  return expand(r, root, 1, &in);
}
