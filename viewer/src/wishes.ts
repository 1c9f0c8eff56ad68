// What the address asks for: page.html?t=0.5&theme=dark, or the same behind a #.

const wishes = new URLSearchParams(location.search);
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) wishes.set(name, value);

export function wish(name: string): string | null {
  return wishes.get(name);
}

export function wishedNumber(name: string): number | null {
  const value = Number(wishes.get(name) ?? NaN);
  return Number.isFinite(value) ? value : null;
}

/** Whether a part of the picture is to be left out: hide=cones,trails. */
export function isHidden(part: string): boolean {
  return (wishes.get("hide") ?? "").split(",").includes(part);
}

/** The motion alone, for pictures. */
export const isPlain = wishes.get("plain") === "1";
