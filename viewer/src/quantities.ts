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
    add(`contact ${c.name}`, (n) => n.endsWith("." + c.name) && !n.startsWith("energy.") && !n.startsWith("state."));
  }
  add("contact states", (n) => n.startsWith("state."));
  add("constraints", (n) => n.startsWith("Lambda.") && !run.contacts.some((c) => n.endsWith("." + c.name)));
  add("energies", (n) => n.startsWith("energy."));
  add("solver", (n) => n === "residual" || n === "iterations" || n === "status");
  return out;
}

/** The coordinates that are worth a first look: at most three that share a unit, those that come back rather than drift. */
export function firstLook(run: Run): string[] {
  const units = new Map<string, string[]>();
  for (const name of run.coordinates) {
    const unit = run.columns.find((c) => c.name === name)?.unit ?? "";
    units.set(unit, [...(units.get(unit) ?? []), name]);
  }
  const best = [...units.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  return best.slice(0, 3);
}

/** Values for a curve: what is not finite is a hole in it. */
export function curveValues(c: Column): Column["values"] | (number | null)[] {
  for (const v of c.values) {
    if (!Number.isFinite(v)) return Array.from(c.values, (x) => (Number.isFinite(x) ? x : null));
  }
  return c.values;
}
