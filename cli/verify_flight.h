// The motion of scenes and planar bodies between the rows of an event-driven run, for `stickslip verify`.
#ifndef CLI_VERIFY_FLIGHT_H
#define CLI_VERIFY_FLIGHT_H

#include "verify.h"

/// What is summed along an arc beside impulses
enum { CLI_SUM_FRICTION, CLI_SUM_FORCES, CLI_SUM_DRIVE, CLI_SUMS };

/// An arc: the contacts of a row keep their states. Arrays of contacts and rows grow with these.
/// Forces between the ends of an arc, with their mean: a parabola, or a line with a kink just after the start or just
/// before the end. Kinks in between are between these two.
typedef enum cli_bend { CLI_BEND_EVEN, CLI_BEND_START, CLI_BEND_END } cli_bend;

typedef struct cli_flight {
  cli_verifier* c;
  const ss_operators* op;
  int nv, nq, nb;
  int n, rows, room;             ///< contacts; rows, bilateral ones first; contacts that there is room for
  uint64_t* key;                 ///< n
  ss_contact_state* mode;        ///< n
  int* row;                      ///< n: the first one of a contact
  const ss_contact_item* item;   ///< n: where the system was placed last
  double *q, *dq, *u, *M, *h;    ///< nq, nq, nv, nv nv, nv
  double *W, *w_hat, *w_bar;     ///< rows nv, rows, rows
  double* told;                  ///< rows: forces by the file, at the time that the system was placed at
  double *told_start, *told_end, *told_mean;  ///< rows: at both ends of the arc, and the mean over it
  double from, length;           ///< time of its start; how long it is, 0: told is the mean
  cli_bend bend;                 ///< how forces go from one end to the other
  double* W_start;               ///< rows nv: W there
  double *mu, *slide;            ///< n: where it slides; 2 n: the direction
  const double* most;            ///< nv: largest velocities so far; the caller's
  double *gap, *extent;          ///< nb: of the constraints
  long double *L, *a, *x;        ///< nv nv; nv: accelerations; nv: scratch
  long double *lambda, *A, *force, *unit;  ///< rows: forces; (rows + 1) rows, rows: scratch; rows: 1/sqrt(G_ii)
  long double* R;                ///< rows nv: M^-1 times the forces that belong to a unit of each unknown one
  long double *share, *part, *kept;  ///< rows; rows; 2 rows rows + 3 rows: scratch
  int *unknown, *order;          ///< rows, rows
  int *block, *member;           ///< rows: a number that unknown forces have in common that act on each other; scratch
  long double fall;              ///< the largest acceleration without unknown forces
  long double* term;             ///< rows: what W a + w_bar is made of then, by magnitude
  bool unique;                   ///< the forces of contacts are
  bool lost;                     ///< the model has no such contacts as the file where the system was placed last
  double products;               ///< spent on accelerations so far
} cli_flight;

/// Memory for a system; false if it is short. cli_flight_close() in any case.
bool cli_flight_open(cli_flight* f, cli_verifier* c);
void cli_flight_close(cli_flight* f);

/// The contacts of a row of the file, with their states. False if memory is short.
bool cli_flight_take(cli_flight* f, int n, const ss_run_contact* list);

/// Rows T1 and T2 of a contact may be stretched (ss_contact_item): the impulse, or force, in row k of contact i
double cli_flight_row_impulse(const cli_flight* f, int i, const double Lambda[3], int k);

/// gaps, M, W, w_hat at q, t. False if the system cannot be evaluated there.
bool cli_flight_place(cli_flight* f, const double* q, const double* u, double t);

/// ... and accelerations f->a, forces f->lambda
bool cli_flight_accelerate(cli_flight* f, const double* q, const double* u, double t);

/// W_r u
long double cli_flight_velocity(const cli_flight* f, int row, const double* u);

/// G_rr, with the factor of M where the system was placed last; f->x: M^-1 W_r
long double cli_flight_diagonal(cli_flight* f, int row);

enum { CLI_MOST_PARTS = 16 };  ///< of an arc that is followed in parts

/// Numbers of an arc: q, u, impulses of the rows, sums
int cli_flight_size(const cli_flight* f);

/// z: from y in time `length` on, by Gragg's midpoint rule and Bulirsch & Stoer's extrapolation (verify_extrapolate.c),
/// in so many parts or, where that does not settle, in more; in CLI_MOST_PARTS, halved where they do not.
/// left (as many as y): what the last order changed of each number of q, u and impulses, relative to its `size`. False
/// if the system cannot be evaluated, or memory is short.
bool cli_flight_follow(cli_flight* f, double t, long double length, int parts, const long double* y,
                       const long double* size, long double* z, long double* left);

#endif
