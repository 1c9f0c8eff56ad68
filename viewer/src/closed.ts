// Which contacts were ever closed. Of many possible ones only these are worth a place; in a live run more of them come,
// and those that have a place keep it.
import { column, indexAt, type Run, type Touch } from "./data";

/** The contacts of rows, where they come and go. */
export function touchOf(run: Run): Touch | null {
  return run.space?.touch ?? run.touch ?? null;
}

// The entries of the rows from `first` on
function eachTouch(touch: Touch, first: number, rows: number, f: (row: number, k: number) => void): void {
  if (!touch.n) return;
  for (let i = first; i < rows; i++) {
    for (let k = i > 0 ? touch.end[i - 1] : 0; k < touch.end[i]; k++) f(i, k);
  }
}

/** Calls f(row, contact, state) for all that is closed in the rows from `first` on. */
function eachClosed(run: Run, first: number, f: (row: number, contact: number, state: number) => void): void {
  const touch = touchOf(run);
  if (touch) {
    eachTouch(touch, first, run.rows, (i, k) => { if (touch.state[k]) f(i, touch.contact[k], touch.state[k]); });
    return;
  }
  run.contacts.forEach((c, n) => {
    const state = column(run, `state.${c.name}`)?.values;
    for (let i = first; state && i < run.rows; i++) if (state[i]) f(i, n, state[i]);
  });
}

/** Tells which rows are new since it was asked last. */
class News {
  private last = -Infinity;

  /** The first new row; 0 if the run has begun anew. */
  first(run: Run): number {
    const t = run.t, known = run.rows > 0 && t[run.rows - 1] >= this.last && t[0] <= this.last;
    const from = known ? indexAt(t, this.last) + 1 : 0;
    this.last = run.rows ? t[run.rows - 1] : -Infinity;
    return from;
  }
}

/** The numbers of the contacts that were ever closed, in their order. */
export class EverClosed {
  private found = new Set<number>();
  private news = new News();
  list: number[] = [];
  /** The states that were seen. */
  readonly states = new Set<number>();

  constructor(private run: Run) { this.update(); }

  update(): void {
    const before = this.found.size, { n, contact } = this.run.events;
    for (let i = 0; i < n; i++) if (contact[i] >= 0) this.found.add(contact[i]);  // also between two rows
    eachClosed(this.run, this.news.first(this.run), (_, contact, state) => {
      this.found.add(contact);
      this.states.add(state);
    });
    if (this.found.size > before) this.list = [...this.found].sort((a, b) => a - b);
  }
}

export interface Band {
  name: string;
  states: Uint8Array;  // row by row
}

// The points of two bodies are one band: "cube0 - floor [2]", "ring p301 - brush e27"
export function pairOf(name: string): string {
  return name.replace(/ \[\d+\]$/, "").replace(/ [pe]\d+(?= - |$)/g, "");
}

// Of several points the one that slips tells more than those that stick
const RANK = [0, 1, 3, 3, 2, 3];

/** States over time: of a fixed list of contacts these, of bodies that meet anywhere each pair; at most so many. */
export class Bands {
  list: Band[] = [];
  private news = new News();
  private places = new Map<string, number>();
  private names: string[] = [];  // of contacts

  constructor(private run: Run, private most: number) { this.update(); }

  private nameOf(contact: number): string {
    const known = this.names[contact], name = known ?? this.run.contacts[contact]?.name ?? "?";
    return known ?? (this.names[contact] = touchOf(this.run) ? pairOf(name) : name);
  }

  // Those that were closed most, in the order of the contacts; a short list of contacts is there as it is
  private choose(first: number): void {
    const { run } = this, count = new Map<string, number>(), names: string[] = [];
    if (!touchOf(run) && run.contacts.length <= this.most) names.push(...run.contacts.map((c) => c.name));
    else {
      eachClosed(run, first, (_, c) => count.set(this.nameOf(c), (count.get(this.nameOf(c)) ?? 0) + 1));
      const room = this.most - this.list.length, fresh = [...count.keys()].filter((n) => !this.places.has(n));
      const best = new Set(fresh.sort((a, b) => count.get(b)! - count.get(a)!).slice(0, room));
      run.contacts.forEach((_, c) => {
        if (best.delete(this.nameOf(c))) names.push(this.nameOf(c));
      });
    }
    for (const name of names.filter((n) => !this.places.has(n))) {
      this.places.set(name, this.list.length);
      this.list.push({ name, states: new Uint8Array(0) });
    }
  }

  update(): void {
    const { run } = this, first = this.news.first(run);
    this.choose(first);
    for (const band of this.list) {
      const kept = band.states.subarray(Math.max(0, band.states.length - first));  // the oldest rows may have gone
      band.states = new Uint8Array(run.rows);
      band.states.set(kept, first - kept.length);
    }
    eachClosed(run, first, (i, c, state) => {
      const states = this.list[this.places.get(this.nameOf(c)) ?? -1]?.states;
      if (states && (RANK[state] ?? 0) > (RANK[states[i]] ?? 0)) states[i] = state;
    });
  }
}
