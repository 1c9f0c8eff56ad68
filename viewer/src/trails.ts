// Trails, in the plane and in space.
import type { Run } from "./data";

/** How much of the past a trail shows, s. */
export function trailSpan(run: Run): number {
  const whole = run.t[run.rows - 1] - run.t[0];
  return Math.max(1e-9, Math.min(whole, Math.max(0.4, 0.1 * whole)));
}
