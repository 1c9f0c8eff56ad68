// The contacts at the present instant: state, gap, velocities, impulses, and where the impulse lies in its cone.
import { column, STATES, valueAt, type Column, type Run } from "./data";
import { el, num } from "./format";
import type { Player } from "./player";
import { onTheme, palette } from "./theme";

interface Line {
  row: HTMLElement;
  state: HTMLElement;
  dot: HTMLElement;
  cells: HTMLElement[];
  cone: SVGElement | null;
  columns: (Column | undefined)[];
  stateColumn: Column | undefined;
  mu: number;
}

const MOST = 60;
const SVG = "http://www.w3.org/2000/svg";

function svg(tag: string, attrs: Record<string, string>): SVGElement {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  return e;
}

export class ContactPanel {
  readonly element = el("section", { class: "contacts", "aria-label": "contacts" });
  private lines: Line[] = [];
  private summary = el("div", { class: "step-info" });
  private listed = -1;

  constructor(private run: Run, private player: Player) {
    this.fill();
    player.listen(() => this.update());
    player.listenData(() => this.fill());
    onTheme(() => this.update());
  }

  // Contacts of scenes come as they are met
  private fill(): void {
    if (this.listed === this.run.contacts.length) return;
    this.listed = this.run.contacts.length;
    this.lines = [];
    this.element.replaceChildren();
    if (this.listed) this.build();
    else this.element.append(el("p", { class: "empty" }, this.run.space ? "No contact has been closed." : "The model has no contacts."));
    this.element.append(this.summary);
  }

  private build(): void {
    const units = ["m", "m/s", "m/s", "N s", "N s"];
    const names: [string, string][] = [["gap", ""], ["γ", "N"], ["γ", "T"], ["Λ", "N"], ["Λ", "T"]];
    const head = el("tr", {}, el("th", {}, "contact"), el("th", {}, "state"));
    names.forEach(([name, sub], i) => {
      head.append(el("th", { class: "number" }, name, sub ? el("sub", {}, sub) : null, " ", el("small", {}, units[i])));
    });
    head.append(el("th", { title: "the impulse in its friction cone" }, "cone"));
    const body = el("tbody");
    for (const c of this.run.contacts.slice(0, MOST)) body.append(this.line(c.name, c.kind, c.mu ?? 0));
    this.element.append(el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), body)));
    if (this.run.contacts.length > MOST) {
      this.element.append(el("p", { class: "empty" }, `${MOST} of ${this.run.contacts.length} contacts are listed.`));
    }
  }

  private line(name: string, kind: string, mu: number): HTMLElement {
    const get = (q: string) => column(this.run, `${q}.${name}`);
    const dot = el("span", { class: "dot" }), state = el("span"), row = el("tr");
    const cells = [0, 1, 2, 3, 4].map(() => el("td", { class: "number" }));
    const friction = kind === "planar" && mu > 0;
    const cone = friction ? this.cone(mu) : null;
    row.append(el("td", { class: "name" }, name), el("td", { class: "state" }, dot, state), ...cells,
               el("td", { class: "cone" }, cone));
    this.lines.push({
      row, state, dot, cells, cone, mu, stateColumn: get("state"),
      columns: [get("gap"), get("gamma_N"), get("gamma_T") ?? get("gamma_T1"), get("Lambda_N"),
                get("Lambda_T") ?? get("Lambda_T1")],
    });
    return row;
  }

  // The cone opens to the right, along the normal
  private cone(mu: number): SVGElement {
    const g = svg("svg", { viewBox: "0 0 56 28", width: "56", height: "28", role: "img" });
    const k = Math.min(40, 13 / mu);
    g.append(svg("path", { d: `M4 14 L${4 + k} ${14 - mu * k} L${4 + k} ${14 + mu * k} Z`, class: "cone-area" }),
             svg("line", { x1: "4", y1: "14", x2: "4", y2: "14", class: "cone-arrow" }));
    return g;
  }

  update(): void {
    const i = this.player.row, p = palette();
    for (const l of this.lines) {
      const s = valueAt(l.stateColumn, i) ?? 0;
      const text = STATES[s] ?? "?";
      if (l.state.textContent !== text) l.state.textContent = text;
      l.dot.style.background = p.states[s] ?? p.muted;
      l.row.classList.toggle("is-open", s === 0);
      l.columns.forEach((c, k) => {
        const cell = c ? num(c.values[i], 3) : "";
        if (l.cells[k].textContent !== cell) l.cells[k].textContent = cell;
      });
      this.point(l, i, p.states[s] ?? p.muted);
    }
    const r = valueAt(column(this.run, "residual"), i), n = valueAt(column(this.run, "iterations"), i);
    const residual = r === undefined ? "" : `residual ${num(r, 2)}`, iterations = n === undefined ? "" : `${n} iterations`;
    this.summary.textContent = [`row ${i + 1} of ${this.run.rows}`, residual, iterations].filter((x) => x).join(" · ");
  }

  private point(l: Line, i: number, colour: string): void {
    const arrow = l.cone?.lastElementChild;
    if (!arrow) return;
    const N = valueAt(l.columns[3], i) ?? 0, T = valueAt(l.columns[4], i) ?? 0, size = Math.hypot(N, T);
    const k = size > 0 ? Math.min(40, 13 / l.mu) * Math.hypot(1, l.mu) / Math.hypot(1, l.mu) : 0;
    arrow.setAttribute("x2", String(size > 0 && N > 0 ? 4 + k : 4));
    arrow.setAttribute("y2", String(size > 0 && N > 0 ? 14 - (k * T) / N : 14));
    arrow.setAttribute("stroke", colour);
  }
}
