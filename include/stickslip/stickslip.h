// Stickslip: rigid multibody systems with hard contact, impact and Coulomb friction. Includes the whole public API.
#ifndef STICKSLIP_STICKSLIP_H
#define STICKSLIP_STICKSLIP_H

#include <stickslip/attempt.h>
#include <stickslip/base.h>
#include <stickslip/certify.h>
#include <stickslip/contact.h>
#include <stickslip/csv.h>
#include <stickslip/cycle.h>
#include <stickslip/dissipation.h>
#include <stickslip/draw.h>
#include <stickslip/friction.h>
#include <stickslip/impact.h>
#include <stickslip/law.h>
#include <stickslip/lcp.h>
#include <stickslip/ledger.h>
#include <stickslip/machine.h>
#include <stickslip/mlcp.h>
#include <stickslip/model.h>
#include <stickslip/polyhedral.h>
#include <stickslip/problem.h>
#include <stickslip/record.h>
#include <stickslip/scene.h>
#include <stickslip/shape.h>
#include <stickslip/simulate.h>
#include <stickslip/solutions.h>
#include <stickslip/solvers.h>
#include <stickslip/sparse.h>
#include <stickslip/system.h>
#include <stickslip/table.h>
#include <stickslip/tree.h>

#endif
