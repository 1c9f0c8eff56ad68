// What of a picture is shown: contacts, forces, cones, trails, the grid. Buttons and keys change it.
import { isHidden } from "./wishes";

export const PARTS = ["forces", "cones", "trails"] as const;
export type Part = (typeof PARTS)[number] | "contacts" | "grid";

const hidden = new Set<Part>((["contacts", "forces", "cones", "trails", "grid"] as Part[]).filter(isHidden));
const listeners: (() => void)[] = [];

export function isShown(part: Part): boolean { return !hidden.has(part); }

export function setShown(part: Part, shown: boolean): void {
  if (shown) hidden.delete(part);
  else hidden.add(part);
  for (const f of listeners) f();
}

export function togglePart(part: Part): void { setShown(part, hidden.has(part)); }

export function onParts(f: () => void): void { listeners.push(f); }
