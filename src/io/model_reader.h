// What the parts of the model reader share: the file, the names known so far, the pieces of the system.
#ifndef SS_IO_MODEL_READER_H
#define SS_IO_MODEL_READER_H

#include "io/model.h"
#include "io/yaml.h"
#include "system/expr.h"

typedef enum ss_symbol_kind { SS_PARAMETER, SS_COORDINATE, SS_DEFINITION } ss_symbol_kind;

// A name that expressions may use.
typedef struct ss_symbol {
  const char* name;  ///< text of a YAML node: lives as long as the document
  ss_symbol_kind kind;
  ss_expr value;
  ss_expr rate;      // of a coordinate; of a definition once it is asked for; -1: none yet
  bool used;         // by an expression
} ss_symbol;

typedef struct ss_reader {
  ss_model* model;
  const ss_model_def* def;
  ss_error* error;
  ss_yaml yaml;
  bool* override_used;
  ss_graph graph;
  ss_symbol* symbol;
  int n_symbol, symbol_room;
  // what goes into the system
  const char** coordinate;
  const char** unit;
  ss_contact_def* contact;
  ss_lagrangian_contact* contact_expr;
  const yaml_node_t** contact_slide;  // for messages
  int n_contact;
  char** side_name;  // of contacts that stand for a side of a kink (io/model_split.c)
  int n_side_name;
  const char** constraint_name;
  ss_expr* constraint;
  int n_constraint;
  ss_expr* force;
  const char** sensor_name;
  const char** sensor_unit;
  ss_expr* sensor;
  int n_sensor;
  ss_expr kinetic, potential, damping;
  int nl;  // coordinates of the text; those of free bodies follow
  double* given_to;  // nv: what the last digit of an initial value stands for; 0: it is meant as it stands
  struct ss_reader_bodies* bodies;  // NULL: none (io/model_bodies.h)
} ss_reader;

// The text of a value and where it came from: a node of the file, or an override.
typedef struct ss_value {
  const char* text;  // NULL: the file does not give it
  const yaml_node_t* node;
  const ss_override* override;
} ss_value;

/// "out of memory" into the reader's error.
ss_status ss_reader_memory(ss_reader* r);

/// A contact whose gap is the least of several becomes one for each of them.
ss_status ss_reader_split_contacts(ss_reader* r);

/// A section of the file; NULL if it is not there.
const yaml_node_t* ss_reader_section(ss_reader* r, const char* key);

/// An error about a value, at its place. Returns SS_ERR_INPUT.
ss_status ss_value_error(ss_reader* r, const ss_value* v, size_t offset, const char* text);

/// The value at a path: an override if there is one (also under its bare name, if not NULL), else the node's.
ss_status ss_value_get(ss_reader* r, const yaml_node_t* node, const char* path, const char* bare, ss_value* v);

/// The value of `key` in a mapping (which may be NULL); its path is "prefix.key".
ss_status ss_value_member(ss_reader* r, const yaml_node_t* mapping, const char* prefix, const char* key, ss_value* v);

/// The value as an expression that may depend on `allowed` (SS_DEPENDS_...) only; `what` names it in messages.
ss_status ss_value_expr(ss_reader* r, const ss_value* v, int allowed, const char* what, ss_expr* e);

/// ... or as a finite number.
ss_status ss_value_number(ss_reader* r, const ss_value* v, const char* what, double* number);

/// What the last digit of a decimal stands for: 1e-4 of "-0.1036". 0 for what is no decimal, and for those with fewer
/// than four significant digits: they are meant as they stand.
double ss_value_given_to(const char* text);

/// Whether text is a name: letters, digits, _, bytes of UTF-8; not a digit first; at most 80 bytes.
bool ss_is_name(const char* text);

/// A new name must be one, not be reserved, and be new.
ss_status ss_reader_check_name(ss_reader* r, const yaml_node_t* node, const char* what);
ss_status ss_reader_add_symbol(ss_reader* r, ss_symbol symbol);

/// The system at its initial state: regular mass matrix, finite forces and energies; warns of violated gaps.
ss_status ss_reader_check_initial(ss_reader* r);

#endif
