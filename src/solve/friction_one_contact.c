// One contact alone, exactly.
#include "solve/friction_one_contact.h"

bool ss_solve_one_contact(int dim, const double* G, const double* q, double mu, double bound, double* alpha,
                          double* Lambda)
{
  return ss_one_contact(dim, G, q, mu, bound, 1e-8, alpha, Lambda);
}
