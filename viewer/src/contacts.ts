// The contacts at the present instant: state, gap, velocities, impulses, and where the impulse lies in its cone. Most text
// models have a fixed list of them. Where they come and go, those are listed that were ever closed, or, if these are many,
// those that the row has.
import { type EverClosed, touchOf } from "./closed";
import { column, isInitial, STATES, valueAt, type Column, type Numbers, type Run, type Touch } from "./data";
import { el, num, put } from "./format";
import type { Player } from "./player";
import { onTheme, palette } from "./theme";

/** What a line shows; velocities and impulses are N, T or N, T1, T2; NaN: not known. */
interface Entry {
  name: string;
  state: number;  // -1: not known
  gap: number | undefined;
  gamma: (number | undefined)[];
  Lambda: (number | undefined)[];
  force?: (number | undefined)[];  // where the run has them
  mu: number;
  kind: string;
}

const MOST = 40, FEW = 12, ROW = 31, HEAD = 94;
const SVG = "http://www.w3.org/2000/svg";

function svg(tag: string, attrs: Record<string, string>): SVGElement {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  return e;
}

// Few digits: what is very small is known to be so, and what is less than any round-off is nothing. Powers of ten must not
// be cut off by the column.
function brief(v: number): string {
  const size = Math.abs(v), digits = size < 1e-9 || size >= 1e10 ? 1 : size < 1e-3 || size >= 1e5 ? 2 : 3;
  return Number.isNaN(v) ? "–" : size < 1e-18 ? "0" : num(v, digits);
}

/** A line of the table, filled anew for every row of the run. */
class Line {
  readonly element = el("tr");
  private name = el("td", { class: "name" });
  private dot = el("span", { class: "dot" });
  private state = el("span");
  private cells: HTMLElement[];
  private cone = svg("svg", { height: "28", role: "img", "aria-label": "in its cone" });
  private area: SVGElement | null = null;
  private arrow = svg("line", { class: "cone-arrow" });
  private drawn = "";
  private colour = "";

  constructor(tangents: number, forces: boolean, private below: boolean) {
    const more = forces && !below ? 1 + tangents : 0;
    this.cells = Array.from({ length: 3 + 2 * tangents + more }, () => el("td", { class: "number" }));
    this.element.append(this.name, el("td", { class: "state" }, this.dot, this.state), ...this.cells,
                        el("td", { class: "cone" }, this.cone));
  }

  show(e: Entry): void {
    const p = palette(), colour = p.states[e.state] ?? p.muted;
    put(this.name, e.name);
    if (this.name.title !== e.name) this.name.title = e.name;
    put(this.state, e.state < 0 ? "–" : STATES[e.state] ?? "?");
    if (this.colour !== colour) this.dot.style.background = this.colour = colour;
    this.element.classList.toggle("is-open", e.state <= 0);
    const text = (v: number | undefined) => (v === undefined ? "" : brief(v)), force = (e.force ?? []).map(text);
    const impulse = e.Lambda.map((v, k) => text(v) + (this.below && force[k] ? `\n${force[k]}` : ""));
    [text(e.gap), ...e.gamma.map(text), ...impulse, ...force].slice(0, this.cells.length).forEach((v, k) => put(this.cells[k], v));
    this.drawCone(e, colour);
  }

  // In the plane from the side, the normal to the right; in space from above: within the circle it sticks
  private drawCone(e: Entry, colour: string): void {
    const flat = e.kind !== "spatial", N = e.Lambda[0] ?? 0, shape = `${flat} ${e.mu}`;
    if (shape !== this.drawn) {
      this.drawn = shape;
      const k = Math.min(40, 13 / e.mu);
      this.area = !(e.mu > 0) ? null : flat
        ? svg("path", { d: `M4 14 L${4 + k} ${14 - e.mu * k} L${4 + k} ${14 + e.mu * k} Z`, class: "cone-area" })
        : svg("circle", { cx: "28", cy: "14", r: "12", class: "cone-area" });
      this.cone.setAttribute("viewBox", flat ? "0 0 56 28" : "14 0 28 28");
      this.cone.setAttribute("width", flat ? "56" : "28");
      this.cone.replaceChildren(...(this.area ? [this.area, this.arrow] : []));
    }
    if (!this.area) return;
    const [x, y] = flat ? [4, 14] : [28, 14], k = Math.min(40, 13 / e.mu);
    const to = !(N > 0) ? [x, y] : flat ? [x + k, y - (k * (e.Lambda[1] ?? 0)) / N]
      : [x + (12 * (e.Lambda[1] ?? 0)) / (e.mu * N), y - (12 * (e.Lambda[2] ?? 0)) / (e.mu * N)];
    const ends: Record<string, number> = { x1: x, y1: y, x2: to[0], y2: to[1] };
    for (const [name, v] of Object.entries(ends)) this.arrow.setAttribute(name, v.toFixed(2));
    this.arrow.setAttribute("stroke", colour);
  }
}

export class ContactPanel {
  readonly element = el("section", { class: "contacts", "aria-label": "contacts" });
  private lines: Line[] = [];
  private body = el("tbody");
  private more = el("p", { class: "empty" });
  private summary = el("div", { class: "step-info" });
  private tangents: number;
  private forces: boolean;
  private below: boolean;  // forces below impulses: there are three of each
  private scrolled = 0;
  private later = 0;
  private columns: { contact: number; state?: Column; values: (Column | undefined)[] }[] = [];

  constructor(private run: Run, private player: Player, private ever: EverClosed) {
    this.tangents = run.space ? 2 : 1;
    const t = touchOf(run);
    this.forces = t ? !t.n || !!t.F : run.columns.some((c) => c.name.startsWith("F_N.") || c.name.startsWith("F_T."));
    this.below = this.forces && this.tangents === 2;
    const table = el("table", { class: (run.space ? "space" : t ? "long" : "") + (this.forces ? " forces" : "") }, el("thead", {}, this.head()), this.body);
    this.element.append(el("div", { class: "scroll" }, table), this.more, this.summary);
    this.element.addEventListener("scroll", () => { this.scrolled = this.element.scrollTop; });
    this.find();
    this.setHeight();
    player.listen(() => this.update());
    player.listenData(() => this.find());
    onTheme(() => this.update());
  }

  private head(): HTMLElement {
    const T = this.tangents === 2 ? ["T1", "T2"] : ["T"];
    const names = [["gap", "", "m"], ...["N", ...T].map((s) => ["γ", s, "m/s"]), ...["N", ...T].map((s) => ["Λ", s, "N s"]),
                   ...(this.forces && !this.below ? ["N", ...T].map((s) => ["F", s, "N"]) : [])];
    const head = el("tr", {}, el("th", {}, "contact"), el("th", {}, "state"));
    const title = (name: string, sub: string, unit: string) => [name, sub ? el("sub", {}, sub) : null, " ", el("small", {}, unit)];
    for (const [name, sub, unit] of names) {
      const force = this.forces && this.below && name === "Λ" ? [el("br"), ...title("F", sub, "N")] : [];
      head.append(el("th", { class: "number" }, ...title(name, sub, unit), ...force));
    }
    head.append(el("th", { title: "the impulse in its friction cone; in space seen along the normal" }, "cone"));
    return head;
  }

  // A list that follows the row must not take and give room: its height is that of the longest, up to what the page allows
  private setHeight(): void {
    const t = touchOf(this.run);
    if (!t || this.ever.list.length <= FEW) return;
    let most = 0;
    for (let i = 0; t.n && i < this.run.rows; i++) most = Math.max(most, t.end[i] - (i > 0 ? t.end[i - 1] : 0));
    this.element.classList.add("follows");
    this.element.style.setProperty("--tall", `${HEAD + (this.below ? 14 : 0) + ROW * Math.min(most, MOST)}px`);
  }

  // Columns of the contacts of a fixed list; of a long one those that were ever closed come first
  private find(): void {
    const n = this.run.contacts.length, all = this.run.contacts.map((_, k) => k), ever = new Set(this.ever.list);
    const order = n > FEW ? [...this.ever.list, ...all.filter((k) => !ever.has(k))] : all, first = order.slice(0, MOST);
    if (touchOf(this.run) || first.join() === this.columns.map((c) => c.contact).join()) return;
    const get = (q: string, name: string) => column(this.run, `${q}.${name}`);
    this.columns = first.map((contact) => {
      const name = this.run.contacts[contact].name;
      return { contact, state: get("state", name),
               values: [get("gap", name), get("gamma_N", name), get("gamma_T", name) ?? get("gamma_T1", name),
                        get("Lambda_N", name), get("Lambda_T", name) ?? get("Lambda_T1", name),
                        get("F_N", name), get("F_T", name) ?? get("F_T1", name)] };
    });
  }

  private fixedEntries(i: number): Entry[] {
    return this.columns.map((c) => {
      const v = c.values.map((x) => valueAt(x, i)), contact = this.run.contacts[c.contact];
      return { name: contact.name, kind: contact.kind, mu: contact.mu ?? 0, state: valueAt(c.state, i) ?? 0, gap: v[0],
               gamma: v.slice(1, 3), Lambda: v.slice(3, 5), force: v.slice(5) };
    });
  }

  // What the k-th entry of the rows tells of a contact; of one that is not near only that it is open
  private entry(t: Touch, contact: number, k: number): Entry {
    const c = this.run.contacts[contact], rows = c?.kind === "spatial" ? 3 : c?.kind === "planar" ? 2 : 1;
    const shown = this.tangents + 1, nothing = Array.from({ length: shown }, () => undefined);
    const same = { name: c?.name ?? "?", kind: c?.kind ?? "", mu: c?.mu ?? 0 };
    if (k < 0) return { ...same, state: 0, gap: undefined, gamma: nothing, Lambda: nothing, force: nothing };
    const pick = (v?: Numbers[]) => nothing.map((_, n) => (v && n < rows ? v[n][k] : undefined));
    const normal = t.fx[k] * t.nx[k] + t.fy[k] * t.ny[k] + t.fz[k] * t.nz[k];
    return { ...same, state: t.state[k], gap: t.gap?.[k], gamma: pick(t.g), force: pick(t.F),
             Lambda: t.L ? pick(t.L) : nothing.map((_, n) => (n ? undefined : normal)) };
  }

  // A list that stays as it is while contacts open and close
  private everEntries(t: Touch, i: number): Entry[] {
    const place = new Map<number, number>();
    for (let k = i > 0 ? t.end[i - 1] : 0; k < (t.n ? t.end[i] : 0); k++) place.set(t.contact[k], k);
    return this.ever.list.map((contact) => this.entry(t, contact, place.get(contact) ?? -1));
  }

  // Those of the row: closed ones first, then the others that are near
  private rowEntries(t: Touch, i: number): Entry[] {
    const first = i > 0 ? t.end[i - 1] : 0, last = t.n ? t.end[i] : 0, list: Entry[] = [];
    for (const closed of [true, false]) {
      for (let k = first; k < last && list.length < MOST; k++) {
        if ((t.state[k] !== 0) === closed) list.push(this.entry(t, t.contact[k], k));
      }
    }
    return list;
  }

  private entriesOf(t: Touch | null, i: number): Entry[] {
    const list = !t ? this.fixedEntries(i) : this.ever.list.length <= FEW ? this.everEntries(t, i) : this.rowEntries(t, i);
    if (!isInitial(this.run, i)) return list;
    const unknown = (v: (number | undefined)[]) => v.map((x) => (x === undefined ? x : NaN));
    return list.map((e) => ({ ...e, state: -1, gamma: unknown(e.gamma), Lambda: unknown(e.Lambda), force: unknown(e.force ?? []) }));
  }

  // The numbers of the step that led to the row
  private stepText(i: number): string {
    if (isInitial(this.run, i)) return "before the first step";
    const r = valueAt(column(this.run, "residual"), i), n = valueAt(column(this.run, "iterations"), i);
    const residual = r === undefined ? "" : `residual of the step ${num(r, 2)}`;
    return [residual, n === undefined ? "" : `${n} iteration${n === 1 ? "" : "s"}`].filter((x) => x).join(" · ");
  }

  private moreText(listed: number, all: number, i: number): string {
    const listsRows = touchOf(this.run) !== null;
    if (listsRows ? !this.ever.list.length : !all) return listsRows ? "No contact has been closed." : "The model has no contacts.";
    if (all > listed && listed >= MOST) return `${listed} of ${all} contacts are listed.`;
    if (listed) return "";
    return isInitial(this.run, i) ? "Contacts are not known before the first step." : "Nothing touches now.";
  }

  private fillLines(list: Entry[], first: number, last: number): void {
    this.lines.forEach((line, k) => {
      const unused = k >= list.length;
      if (line.element.hidden !== unused) line.element.hidden = unused;
      if (!unused && k >= first && k < last) line.show(list[k]);
    });
  }

  update(): void {
    const i = this.player.row, t = touchOf(this.run), list = this.entriesOf(t, i);
    while (this.lines.length < list.length) {
      const line = new Line(this.tangents, this.forces, this.below);
      this.lines.push(line);
      this.body.append(line.element);
    }
    const first = Math.floor(this.scrolled / ROW), last = first + Math.ceil((0.34 * window.innerHeight) / ROW) + 1;
    this.fillLines(list, first, last);
    clearTimeout(this.later);  // lines that are out of sight can wait until the time bar does
    if (list.length > last || first > 0) this.later = window.setTimeout(() => this.fillLines(list, 0, list.length), 120);
    const ofRow = t?.n ? t.end[i] - (i > 0 ? t.end[i - 1] : 0) : 0, all = t ? ofRow : this.run.contacts.length;
    put(this.more, this.moreText(list.length, all, i));
    this.element.classList.toggle("none", !list.length);
    put(this.summary, [`row ${i + 1} of ${this.run.rows}`, this.stepText(i)].filter((x) => x).join(" · "));
  }
}
