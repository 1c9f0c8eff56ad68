// `stickslip forces`: contact forces of a run, per contact and per body.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces.h"

typedef struct forces_options {
  const char *contact, *body;
  double from, to, at;  // NAN: not given
  bool sum, loops, csv, json;
} forces_options;

#define AT(field) offsetof(forces_options, field)
static const cli_option options[] = {
  {"contact", 0, CLI_STRING, "NAME", AT(contact), "only this contact; no sums", NULL},
  {"body", 0, CLI_STRING, "NAME", AT(body), "only this body and its contacts; of scenes 'world' is one, too", NULL},
  {"at", 0, CLI_DOUBLE, "T", AT(at), "the last row up to this time, in seconds (default: the last row)", NULL},
  {"from", 0, CLI_DOUBLE, "T", AT(from), "--csv, --json: all rows from this time on, in seconds", NULL},
  {"to", 0, CLI_DOUBLE, "T", AT(to), "--csv, --json: all rows up to this time, in seconds", NULL},
  {"sum", 0, CLI_FLAG, NULL, AT(sum), "--csv: a line per row and body instead of row and contact", NULL},
  {"loops", 0, CLI_FLAG, NULL, AT(loops), "--csv: a line per row and bilateral row", NULL},
  {"csv", 0, CLI_FLAG, NULL, AT(csv), "print CSV: a line per row and contact", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print one JSON object: contacts and sums per body", NULL},
  {0},
};

const cli_command cli_forces_command = {
  .name = "forces", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "print the contact forces of a run",
  .purpose = "Prints what contacts did in the step that ended in a row of RUN, an HDF5 file written by 'stickslip "
             "run -o': impulses (Lambda, N s) and forces (F, N; time-stepping: the mean over the step, Lambda/dt; "
             "event-driven runs: the force at that time), in the contact frame (N, T1, T2) and, of "
             "scenes, in world axes: the force on body b; on body a it is the opposite. N points from a to b. "
             "Sums per body are forces on that body; their moments (M, N m) are about the origin "
             "of the body's frame, those on the world about the origin of the world. Limits and friction of joints "
             "have a generalised force (N of slides, N m of hinges and balls), limits away from the limit, friction "
             "along the velocity that it is named after, and are in no sum; nor are the rows of loops. Event-driven "
             "runs: the impulse is that since the last event or step; at an event there is a row before it and one "
             "after it, whose impulses are those of the event. Numbers are rounded; --json and --csv print all digits.",
  .options = options,
  .examples = "  stickslip forces run.h5\n"
              "  stickslip forces run.h5 --at 0.5 --body ball\n"
              "  stickslip forces run.h5 --from 0 --contact \"ball - floor\" --csv > forces.csv\n"
              "  stickslip forces run.h5 --from 0 --body ball --sum --csv > ball.csv\n",
  .main = cli_forces,
};

// ---- what is asked for ----

static int unknown(const char* option, const char* what, const cli_nearest* nearest, const char* all)
{
  if (nearest->best)
    return cli_usage(&cli_forces_command, "--%s: no %s '%s'; did you mean '%s'?", option, what, nearest->word,
                     nearest->best);
  return cli_usage(&cli_forces_command, "--%s: no %s '%s'; the run has %s", option, what, nearest->word,
                   all[0] ? all : "none");
}

static void append(char* all, size_t size, const char* name)
{
  size_t used = strlen(all);
  snprintf(all + used, size - used, "%s%s", used ? ", " : "", name);
}

static int find_contact(cli_run_forces* f, const char* name)
{
  cli_nearest nearest = {.word = name};
  char all[512] = "";
  for (int i = 0; i < f->info->n_contact; i++) {
    cli_nearest_offer(&nearest, f->info->contact[i]);
    append(all, sizeof all, f->info->contact[i]);
    if (strcmp(f->info->contact[i], name) != 0) continue;
    f->contact = i;
    return CLI_GO_ON;
  }
  return unknown("contact", "contact", &nearest, all);
}

static int find_body(cli_run_forces* f, const char* name)
{
  cli_nearest nearest = {.word = name};
  char all[512] = "";
  for (int i = f->machine ? SS_WORLD : 0; i < f->n_body; i++) {
    const char* body = cli_forces_body(f, i);
    cli_nearest_offer(&nearest, body);
    append(all, sizeof all, body);
    if (strcmp(body, name) != 0) continue;
    f->body = i;
    return CLI_GO_ON;
  }
  return unknown("body", "body", &nearest, all);
}

// The rows asked for: *from to before *end
static int find_rows(const cli_run_forces* f, const forces_options* o, long* from, long* end)
{
  long n = f->info->n_rows;
  double first = f->t[0], last = f->t[n - 1];
  bool range = !isnan(o->from) || !isnan(o->to);
  *end = n;
  *from = n - 1;
  if (!isnan(o->at)) {
    if (o->at < first || o->at > last + 1e-9*fabs(last) + f->info->run.step.dt)
      return cli_usage(&cli_forces_command, "--at %g: the run goes from %.9g s to %.9g s", o->at, first, last);
    while (*from > 0 && f->t[*from] > o->at + 1e-12*fabs(o->at)) (*from)--;
    *end = *from + 1;
  }
  if (!range) return CLI_GO_ON;
  for (*from = 0; *from < n && f->t[*from] < o->from; (*from)++) {}
  while (*end > *from && f->t[*end - 1] > o->to) (*end)--;
  return CLI_GO_ON;
}

static int check_options(const forces_options* o)
{
  const cli_command* c = &cli_forces_command;
  bool range = !isnan(o->from) || !isnan(o->to);
  if (o->csv && o->json) return cli_usage(c, "--csv and --json cannot both be given");
  if (range && !isnan(o->at)) return cli_usage(c, "--at and --from or --to cannot both be given");
  if (range && !o->csv && !o->json) return cli_usage(c, "--from and --to are of use with --csv or --json only; --at T "
                                                        "shows one row");
  if (o->from > o->to) return cli_usage(c, "--from %g is after --to %g", o->from, o->to);
  if (o->sum && !o->csv) return cli_usage(c, "--sum is of use with --csv only; the others have the sums anyway");
  if (o->sum && o->contact) return cli_usage(c, "--sum and --contact cannot both be given: a sum has all contacts");
  if (o->loops && (!o->csv || o->sum || o->contact || o->body))
    return cli_usage(c, "--loops goes with --csv, and not with --sum, --contact or --body");
  return CLI_GO_ON;
}

static int show(cli_run_forces* f, const forces_options* o)
{
  long from, end;
  int status = CLI_GO_ON;
  if ((o->body || o->sum) && !f->info->listed)
    return cli_usage(&cli_forces_command, "--%s: the model of the run has no bodies",
                     o->body ? "body" : "sum");
  if (o->contact) status = find_contact(f, o->contact);
  if (status == CLI_GO_ON && o->body) status = find_body(f, o->body);
  if (status == CLI_GO_ON) status = find_rows(f, o, &from, &end);
  if (status != CLI_GO_ON) return status;
  f->sums = f->info->listed && !o->contact && (!o->csv || o->sum);
  if (o->json) return cli_forces_json(f, from, end);
  cli_forces_line line = o->loops ? CLI_FORCES_LOOP : o->sum ? CLI_FORCES_BODY : CLI_FORCES_CONTACT;
  if (o->csv) return cli_forces_csv(f, from, end, line);
  status = cli_forces_read(f, from);
  return status == CLI_GO_ON ? cli_forces_table(f) : status;
}

int cli_forces(int argc, char** argv)
{
  forces_options o = {.from = NAN, .to = NAN, .at = NAN};
  int n;
  int status = cli_parse(&cli_forces_command, argc, argv, &o, &n);
  if (status == CLI_GO_ON) status = check_options(&o);
  if (status != CLI_GO_ON) return status;
  cli_run_forces f = {.contact = -1, .body = CLI_FORCES_ANY_BODY};
  status = cli_forces_open(&f, argv[1]);
  if (status == CLI_GO_ON) status = show(&f, &o);
  cli_forces_close(&f);
  return status;
}
