// XML as a light tree of elements and attributes, each with its line. Text between elements is not kept.
#ifndef SS_IO_XML_H
#define SS_IO_XML_H

#include <stickslip/base.h>

/// Elements nested deeper, or more of them, are refused.
#define SS_XML_DEPTH 1100
#define SS_XML_ELEMENTS 1000000

typedef struct ss_xml_attribute {
  const char* name;
  const char* value;
  int line;           ///< from 1
  const void* owner;  ///< NULL in what was read; free for whoever changes the value
  struct ss_xml_attribute* next;
} ss_xml_attribute;

typedef struct ss_xml_node {
  const char* name;
  int line;  ///< of its '<', from 1
  ss_xml_attribute* attribute;
  const void* context;         ///< NULL in what was read; free for whoever changes the tree
  struct ss_xml_node* parent;  ///< NULL at the root
  struct ss_xml_node* child;   ///< the first one
  struct ss_xml_node* next;    ///< sibling
} ss_xml_node;

/// A document: owns nodes, attributes and texts.
typedef struct ss_xml ss_xml;

/// Reads UTF-8 text. No document type, no entities but the five of XML, nothing fetched from anywhere. NULL and *error
/// (with line, and `name` as the file) if it is not valid.
ss_xml* ss_xml_parse(const char* text, size_t length, const char* name, ss_error* error);
void ss_xml_destroy(ss_xml* xml);  ///< NULL is fine
ss_xml_node* ss_xml_root(const ss_xml* xml);

/// The attribute of this name; NULL if there is none.
ss_xml_attribute* ss_xml_find(const ss_xml_node* node, const char* name);

/// Sets an attribute, new or not, for ever after. NULL if memory is short.
ss_xml_attribute* ss_xml_set(ss_xml* xml, ss_xml_node* node, const char* name, const char* value, const void* owner);

/// A new last child. NULL if memory is short.
ss_xml_node* ss_xml_add(ss_xml* xml, ss_xml_node* parent, const char* name);

#endif
