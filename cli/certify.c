// `stickslip solve --certify`: the residual once more, with twice the digits, beside the one that judged the solution.
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "solve.h"

double cli_certify(const cli_task* task, const double* x)
{
  ss_error error = {0};
  double r = NAN;
  switch (task->class) {
    case CLI_LCP: return ss_lcp_certify(&task->problem->lcp, x);
    case CLI_MLCP: return ss_mlcp_certify(&task->mixed, x);
    case CLI_CONTACT:
      if (task->law == CLI_SLIDING) return ss_contact_certify(&task->dense.p, x);
      if (ss_friction_certify(&task->contact, x, &r, &error) < 0)
        cli_warn("the residual cannot be certified: %s", error.text);
      return r;
    case CLI_CLASSES: break;
  }
  return NAN;
}

void cli_certificate_print(double residual, double certified)
{
  if (isnan(certified)) printf("certified not possible\n");
  else if (isinf(certified)) printf("certified no: numbers overflow or are not finite\n");
  else if (!isfinite(residual)) printf("certified %.2e, with twice the digits\n", certified);
  else printf("certified %.2e, with twice the digits; %.1e from the residual\n", certified, fabs(certified - residual));
}

void cli_certificate_json(cJSON* object, double residual, double certified)
{
  cJSON* o = cJSON_AddObjectToObject(object, "certificate");
  cli_json_number(o, "residual", certified);
  cli_json_number(o, "difference", fabs(certified - residual));
}

int cli_certificate_exit(int status, double certified, double tol)
{
  if (status != CLI_DONE || isnan(certified) || certified <= tol) return status;
  cli_warn("the certified residual %.2e is above the tolerance %.2e", certified, tol);
  return CLI_MISSED;
}
