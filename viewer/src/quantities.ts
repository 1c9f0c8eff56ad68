// The quantities of a run in groups, for the lists to choose from.
import type { Column, Run } from "./data";

export interface Group { title: string; columns: Column[] }

export function groups(run: Run): Group[] {
  const out: Group[] = [];
  const add = (title: string, test: (name: string) => boolean) => {
    const columns = run.columns.filter((c) => test(c.name));
    if (columns.length) out.push({ title, columns });
  };
  const coordinates = new Set(run.coordinates), rates = new Set(run.velocities.map((v) => "u_" + v));
  add("coordinates", (n) => coordinates.has(n));
  add("rates", (n) => rates.has(n));
  for (const c of run.contacts) {
    add(`contact ${c.name}`, (n) => n.endsWith("." + c.name) && !n.startsWith("energy.") && !n.startsWith("state.") &&
      !n.startsWith("sensor."));
  }
  add("sensors", (n) => n.startsWith("sensor."));
  add("contact states", (n) => n.startsWith("state."));
  add("constraints", (n) => (n.startsWith("Lambda.") || n.startsWith("F.")) && !run.contacts.some((c) => n.endsWith("." + c.name)));
  add("energies", (n) => n.startsWith("energy."));
  add("solver", (n) => ["residual", "iterations", "status", "choice"].includes(n));
  return out;
}

function span(c: Column): number {
  let low = Infinity, high = -Infinity;
  for (const v of c.values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return high > low ? high - low : 0;
}

/** The coordinates that are worth a first look: at most three that share a unit. Of many, those that move most. */
export function firstLook(run: Run): string[] {
  const units = new Map<string, Column[]>();
  for (const name of run.coordinates) {
    const c = run.columns.find((k) => k.name === name);
    if (c && c.unit) units.set(c.unit, [...(units.get(c.unit) ?? []), c]);
  }
  if (!units.size) return run.coordinates.slice(0, 3);
  const best = [...units.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  const three = best.length <= 3 ? best : [...best].sort((a, b) => span(b) - span(a)).slice(0, 3);
  return apart(three).map((c) => c.name);
}

// Small motions far from each other would be straight lines on one scale: then only the largest of them
function apart(list: Column[]): Column[] {
  const largest = [...list].sort((a, b) => span(b) - span(a))[0];
  let low = Infinity, high = -Infinity;
  for (const c of list) {
    low = Math.min(low, c.values[0]);
    high = Math.max(high, c.values[0]);
  }
  return largest && span(largest) > 0 && span(largest) < 0.05 * (high - low) ? [largest] : list;
}

/** What is round-off of quantities with a unit: little against the largest of them, of their rates or what they are rates
 *  of, in some fifty rows. Plots are not narrower. 0 for numbers without a unit. */
export function noiseOf(run: Run, unit: string): number {
  const base = (u: string) => u.replace(/\/s$/, ""), step = Math.max(1, Math.floor(run.rows / 50));
  let largest = 0;
  for (const c of unit ? run.columns : []) {
    if (base(c.unit) !== base(unit)) continue;
    for (let i = 0; i < run.rows; i += step) largest = Math.max(largest, Math.abs(c.values[i]) || 0);
  }
  return 1e-12 * largest;
}

/** The rate of a coordinate: u_x of x; of a free body u_ball.vx of ball.px. */
export function rateOf(run: Run, name: string): Column | undefined {
  const find = (n: string) => run.columns.find((c) => c.name === n);
  return find(`u_${name}`) ?? find(`u_${name.replace(/\.p([xyz])$/, ".v$1")}`);
}

/** Values for a curve: what is not finite is a hole in it. */
export function curveValues(c: Column): Column["values"] | (number | null)[] {
  for (const v of c.values) {
    if (!Number.isFinite(v)) return Array.from(c.values, (x) => (Number.isFinite(x) ? x : null));
  }
  return c.values;
}
