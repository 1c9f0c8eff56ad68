// What each solver is, in words: one row per solver, in the order of its table.
#include <stickslip/solvers.h>

static const ss_solver_about lcp[SS_LCP_SOLVER_COUNT] = {
  [SS_LCP_AUTO]        = {"block-pivot where n >= 64 or A is small and symmetric, lemke, newton-fb, newton-min", "",
                          "a failure proves nothing, unless Lemke's ray does"},
  [SS_LCP_LEMKE]       = {"Lemke's path with the lexicographic ratio test, several covering vectors",
                          "Cottle, Pang & Stone 1992, section 4.4", "dense, O(n^3); ends on rays in bimatrix games"},
  [SS_LCP_PGS]         = {"projected Gauss-Seidel with relaxation", "Cryer 1971",
                          "approximate; slow if A is badly conditioned"},
  [SS_LCP_NEWTON_MIN]  = {"semismooth Newton for min(x, y) = 0, damped, several starts",
                          "De Luca, Facchinei & Kanzow 2000", "may stall in a local minimum"},
  [SS_LCP_NEWTON_FB]   = {"semismooth Newton for the Fischer-Burmeister function, damped, several starts",
                          "De Luca, Facchinei & Kanzow 1996", "may stall in a local minimum"},
  [SS_LCP_BLOCK_PIVOT] = {"block principal pivoting, single pivots when it stalls",
                          "Kostreva 1978; Júdice & Pires 1994", "P-matrices only: fails on most frictional problems"},
};

static const ss_solver_about mlcp[SS_MLCP_SOLVER_COUNT] = {
  [SS_MLCP_AUTO]    = {"mlcp-path, then mlcp-pfb-rlm, then mlcp-pfb-plm", "",
                       "a failure proves nothing, unless equations contradict each other"},
  [SS_MLCP_PATH]    = {"pivoting: free unknowns into the basis, then a Lemke path",
                       "Mylapilli & Jain 2017, section 3.2", "dense, O(n^3); may end on a ray"},
  [SS_MLCP_PFB_RLM] = {"penalised Fischer-Burmeister, Levenberg-Marquardt",
                       "Mylapilli & Jain 2017, sections 3.3 and 5.1", "may stall in a local minimum"},
  [SS_MLCP_PFB_PLM] = {"penalised Fischer-Burmeister, projected Levenberg-Marquardt",
                       "Mylapilli & Jain 2017, section 5.2", "may stall in a local minimum"},
};

static const ss_solver_about friction[SS_FRICTION_METHODS] = {
  [SS_FRICTION_AUTO]   = {"exact cone: an LCP if small and planar, then nsgs, newton, ipm, admm in turn", "",
                          "a failure proves nothing"},
  [SS_FRICTION_NSGS]   = {"exact cone: block Gauss-Seidel, each contact solved exactly", "Jourdan, Alart & Jean 1998",
                          "slow in stacks and for large mass ratios"},
  [SS_FRICTION_NEWTON] = {"exact cone: primal-dual semismooth Newton with a vanishing proximal term",
                          "Alart & Curnier 1991", "local: may need a good start; factors must fit in memory"},
  [SS_FRICTION_IPM]    = {"exact cone: interior point with Nesterov-Todd scaling, finished by newton",
                          "Vandenberghe 2010", "no warm start; factors must fit in memory"},
  [SS_FRICTION_ADMM]   = {"exact cone: alternating directions with one cached factor",
                          "Boyd et al. 2011", "slow last digits; the factor must fit in memory"},
  [SS_FRICTION_MLCP_PATH] = {"facets, turned until the cone is exact; MLCPs by pivoting",
                             "Mylapilli & Jain 2017, section 3",
                             "dense: at most 1000 unknowns (6 per spatial contact)"},
  [SS_FRICTION_MLCP_PFB_RLM] = {"facets, turned; MLCPs by Fischer-Burmeister and Levenberg-Marquardt",
                                "Mylapilli & Jain 2017, sections 3.3 and 5.1", "dense: at most 250 unknowns"},
  [SS_FRICTION_MLCP_PFB_PLM] = {"facets, turned; MLCPs by Fischer-Burmeister and projected Levenberg-Marquardt",
                                "Mylapilli & Jain 2017, sections 3.3 and 5.2", "dense: at most 250 unknowns"},
  [SS_FRICTION_MNCP_RLM] = {"exact cone: Todorov's equations by Levenberg-Marquardt",
                            "Mylapilli & Jain 2017, sections 4 and 5.1; Todorov 2010", "dense: at most 450 rows"},
  [SS_FRICTION_MNCP_PLM] = {"exact cone: Todorov's equations by projected Levenberg-Marquardt",
                            "Mylapilli & Jain 2017, sections 4 and 5.2; Todorov 2010", "dense: at most 450 rows"},
};

static const ss_solver_about nothing = {"", "", ""};

ss_solver_about ss_lcp_solver_about(ss_lcp_solver solver)
{
  return (int)solver >= 0 && solver < SS_LCP_SOLVER_COUNT ? lcp[solver] : nothing;
}

ss_solver_about ss_mlcp_solver_about(ss_mlcp_solver solver)
{
  return (int)solver >= 0 && solver < SS_MLCP_SOLVER_COUNT ? mlcp[solver] : nothing;
}

ss_solver_about ss_friction_method_about(ss_friction_method method)
{
  return (int)method >= 0 && method < SS_FRICTION_METHODS ? friction[method] : nothing;
}

ss_solver_about ss_lcp_enumerate_about(void)
{
  return (ss_solver_about){"every solution: all 2^n complementary bases, faces by vertices and rays",
                           "Cottle, Pang & Stone 1992, section 1.3", "n <= 20; seconds at n = 20"};
}
