// YAML for the model reader: a document, its nodes with their places, mappings checked for keys.
#ifndef SS_IO_YAML_H
#define SS_IO_YAML_H

#include <stickslip/base.h>
#include <yaml.h>

/// A document in memory. The nodes are libyaml's, numbered; 0 is no node.
typedef struct ss_yaml {
  yaml_document_t document;
  const char* file;  ///< for messages
  const char* text;  ///< length; only while it is parsed
  size_t length;
  bool loaded;
} ss_yaml;

/// Parses text: one document whose root is a mapping.
ss_status ss_yaml_parse(ss_yaml* yaml, const char* text, size_t length, const char* file, ss_error* error);
void ss_yaml_free(ss_yaml* yaml);

const yaml_node_t* ss_yaml_root(ss_yaml* yaml);
const yaml_node_t* ss_yaml_node(ss_yaml* yaml, int number);

/// Error at a node (plus offset bytes inside a scalar). Returns status.
ss_status ss_yaml_error(const ss_yaml* yaml, const yaml_node_t* node, size_t offset, ss_error* error,
                        const char* format, ...) SS_PRINTF(5, 6);

/// The value of a key of a mapping; NULL if it is not there.
const yaml_node_t* ss_yaml_get(ss_yaml* yaml, const yaml_node_t* mapping, const char* key);

/// Pairs of a mapping: their number, and key (a scalar's text) and value of pair i.
int ss_yaml_pairs(const yaml_node_t* mapping);
const yaml_node_t* ss_yaml_key(ss_yaml* yaml, const yaml_node_t* mapping, int i);
const yaml_node_t* ss_yaml_value(ss_yaml* yaml, const yaml_node_t* mapping, int i);

/// The text of a scalar, NUL-terminated.
const char* ss_yaml_text(const yaml_node_t* scalar);

/// Checks that node is a mapping with scalar keys, none twice, all among `keys` (n; n = 0: any key is fine).
ss_status ss_yaml_check_mapping(ss_yaml* yaml, const yaml_node_t* node, const char* what, const char* const* keys,
                                int n, ss_error* error);

#endif
