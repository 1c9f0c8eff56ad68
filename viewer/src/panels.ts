// The tabs beside the scene: plots, energy and residual, events, the model with its settings and warnings.
import { column, STATES, type Column, type Numbers, type Run } from "./data";
import { el, listed, num, plain, put, rich } from "./format";
import { PhasePortrait } from "./phase";
import type { Player } from "./player";
import { curveValues, firstLook, groups, rateOf } from "./quantities";
import { onTheme, palette } from "./theme";
import { TimePlot, type Curve } from "./timeplot";

function label(run: Run, c: Column): string {
  return plain(c.name, run.velocities);
}

/** A plot of any quantities against time, with a list to choose them from and their present values. */
class ChosenPlot {
  readonly element: HTMLElement;
  private plot: TimePlot;
  private legend = el("div", { class: "legend" });
  private values: [HTMLElement, Column][] = [];

  constructor(private run: Run, private player: Player, private chosen: string[]) {
    this.plot = new TimePlot(run, player, { height: 190 });
    this.element = el("section", { class: "card" }, el("div", { class: "card-head" }, this.legend, this.menu()),
                      this.plot.element);
    player.listen(() => this.update());
    onTheme(() => this.show());
    this.show();
  }

  private menu(): HTMLElement {
    const list = el("div", { class: "menu-list" });
    const menu = el("details", { class: "menu" }, el("summary", { title: "choose what is plotted" }, "choose ▾"), list);
    menu.addEventListener("toggle", () => { if (menu.open) this.fillMenu(list); });
    document.addEventListener("click", (e) => {
      if (menu.open && !menu.contains(e.target as Node)) menu.open = false;
    });
    return menu;
  }

  private fillMenu(list: HTMLElement): void {
    list.replaceChildren();
    for (const g of groups(this.run)) {
      const box = el("fieldset", {}, el("legend", {}, g.title));
      for (const c of g.columns) {
        const input = el("input", { type: "checkbox", "data-name": c.name });
        input.checked = this.chosen.includes(c.name);
        input.addEventListener("change", () => {
          this.chosen = input.checked ? [...this.chosen, c.name] : this.chosen.filter((n) => n !== c.name);
          this.show();
        });
        box.append(el("label", {}, input, rich(c.name, this.run.velocities), c.unit ? el("small", {}, ` ${c.unit}`) : null));
      }
      list.append(box);
    }
  }

  private show(): void {
    const columns = this.chosen.map((n) => column(this.run, n)).filter((c): c is Column => !!c);
    const p = palette();
    this.values = [];
    this.legend.replaceChildren(...columns.map((c, i) => {
      const value = el("b");
      this.values.push([value, c]);
      const dot = el("span", { class: "dot" });
      dot.style.background = p.curves[i % p.curves.length];
      return el("span", { class: "key" }, dot, rich(c.name, this.run.velocities), " ", value);
    }));
    this.plot.set(columns.map((c, i): Curve => ({
      label: label(this.run, c), unit: c.unit, values: () => curveValues(c), colour: i, steps: c.name.startsWith("state."),
    })));
    this.update();
  }

  private update(): void {
    const i = this.player.row;
    for (const [e, c] of this.values) {
      put(e, c.name.startsWith("state.") ? STATES[c.values[i]] ?? "?" : `${num(c.values[i])} ${c.unit}`);
    }
  }
}

function choice(run: Run, value: string, changed: (name: string) => void, title: string): HTMLSelectElement {
  const select = el("select", { title, "aria-label": title });
  for (const g of groups(run)) {
    const group = el("optgroup", { label: g.title });
    for (const c of g.columns) group.append(el("option", { value: c.name }, listed(c.name, run.velocities)));
    select.append(group);
  }
  select.value = value;
  select.addEventListener("change", () => changed(select.value));
  return select;
}

// The coordinate that goes through its range most often: its portrait is a cycle, if there is one
function swingsMost(run: Run, names: string[]): string | undefined {
  let best: string | undefined, most = 0;
  for (const name of names) {
    const v = column(run, name)?.values;
    if (!v || !rateOf(run, name)) continue;
    let low = Infinity, high = -Infinity, way = 0;
    for (let i = 0; i < run.rows; i++) {
      low = Math.min(low, v[i]);
      high = Math.max(high, v[i]);
      if (i > 0) way += Math.abs(v[i] - v[i - 1]);
    }
    const times = high > low ? way / (high - low) : 0;
    if (times > most * 1.5 || best === undefined) [best, most] = [name, times];
  }
  return best;
}

function phaseCard(run: Run, player: Player): HTMLElement | null {
  const looks = firstLook(run), first = (run.space ? looks[0] : swingsMost(run, looks)) ?? run.coordinates[0] ?? "";
  let x = column(run, first), y = rateOf(run, first) ?? x;
  if (!x || !y) return null;
  const portrait = new PhasePortrait(run, player);
  const show = () => { if (x && y) portrait.set(x, y); };
  const pickY = choice(run, y.name, (n) => { y = column(run, n); show(); }, "upwards");
  const pickX = choice(run, x.name, (n) => {
    x = column(run, n);
    const rate = rateOf(run, n);
    if (rate) {
      y = rate;
      pickY.value = rate.name;
    }
    show();
  }, "to the right");
  show();
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h3", {}, "phase portrait"), el("span", { class: "picks" }, pickY, " against ", pickX)),
    portrait.element);
}

export function plotsPanel(run: Run, player: Player): HTMLElement {
  const first = firstLook(run), rates = first.map((n) => rateOf(run, n)?.name).filter((n): n is string => !!n);
  const list = el("div", { class: "cards" });
  const more = el("button", { class: "add", type: "button" }, "+ another plot");
  more.addEventListener("click", () => more.before(new ChosenPlot(run, player, first).element));
  list.append(new ChosenPlot(run, player, first).element);
  const phase = phaseCard(run, player);
  if (phase) list.append(phase);
  if (rates.length) list.append(new ChosenPlot(run, player, rates).element);
  list.append(more);
  return list;
}

// ---- energy and residual ----

const PARTS: [string, string][] = [
  ["energy.loss_friction", "lost in friction"], ["energy.loss_normal", "lost in impacts"],
  ["energy.potential", "potential, above its lowest"], ["energy.kinetic", "kinetic"],
];
const PUT_IN = ["energy.work_forces", "energy.work_drive", "energy.work_projection", "energy.defect"];

// T + V + losses = what was there at the start + what was put in: the left side stacked, the right side dashed
function energyCurves(run: Run): Numbers[] {
  const n = run.rows, sum = new Float64Array(n), curves: Numbers[] = [];
  const potential = column(run, "energy.potential")?.values;
  let lowest = Infinity;
  for (let i = 0; potential && i < n; i++) lowest = Math.min(lowest, potential[i]);
  for (const [name] of PARTS) {
    const v = column(run, name)?.values;
    if (!v) continue;
    const shift = name === "energy.potential" ? lowest : 0;
    for (let i = 0; i < n; i++) sum[i] += v[i] - shift;
    curves.push(Float64Array.from(sum));
  }
  const total = new Float64Array(n).fill(sum[0]);
  for (const name of PUT_IN) {
    const v = column(run, name)?.values;
    for (let i = 0; v && i < n; i++) total[i] += v[i] - v[0];
  }
  curves.push(total);
  return curves;
}

function energyCard(run: Run, player: Player): HTMLElement {
  if (!column(run, "energy.kinetic")) {
    return el("section", { class: "card" }, el("h3", {}, "energy"),
              el("p", { class: "empty" }, "The run was made without energy accounting."));
  }
  let values = energyCurves(run);
  player.listenData(() => { values = energyCurves(run); });
  const plot = new TimePlot(run, player, { height: 240, stacked: true }), legend = el("div", { class: "legend" });
  const curves = PARTS.filter(([name]) => column(run, name)).map(([, text], k): Curve => (
    { label: text, unit: "J", values: () => values[k], colour: [5, 1, 2, 0][k], fill: true }));
  curves.push({ label: "start + put in", unit: "J", values: () => values[values.length - 1], dashed: true });
  const dots: [HTMLElement, Curve][] = [];
  for (const c of [...curves].reverse()) {
    const dot = el("span", { class: c.dashed ? "dash" : "dot" });
    dots.push([dot, c]);
    legend.append(el("span", { class: "key" }, dot, c.label));
  }
  const paint = () => {
    const p = palette();
    for (const [dot, c] of dots) if (!c.dashed) dot.style.background = p.curves[(c.colour ?? 0) % p.curves.length];
  };
  paint();
  onTheme(paint);
  plot.set(curves);
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h3", {}, "where the energy is")),
            legend, plot.element, ledger(run, player));
}

// The ledger in numbers, at the present instant
function ledger(run: Run, player: Player): HTMLElement {
  const table = el("table", { class: "ledger" });
  const cells: [HTMLElement, Column][] = [];
  for (const c of run.columns.filter((x) => x.name.startsWith("energy."))) {
    const cell = el("td", { class: "number" });
    cells.push([cell, c]);
    table.append(el("tr", {}, el("td", {}, rich(c.name, [])), cell, el("td", {}, c.unit)));
  }
  const update = () => {
    if (table.closest("[hidden]")) return;
    for (const [cell, c] of cells) put(cell, num(c.values[player.row], 5));
  };
  player.listen(update);
  update();
  return table;
}

function residualCard(run: Run, player: Player): HTMLElement {
  const residual = column(run, "residual");
  const card = el("section", { class: "card" }, el("h3", {}, "residual of each step's contact problem"));
  if (!residual) return card;
  const plot = new TimePlot(run, player, { height: 180, log: true });
  const floor = 1e-17;  // steps without contact have none at all
  const zero = el("p", { class: "empty" }, "Every residual is zero.");
  const look = () => {
    zero.hidden = residual.values.some((v: number) => v > floor);
    plot.element.hidden = !zero.hidden;
  };
  player.listenData(look);
  look();
  plot.set([{ label: "residual", unit: "", values: () => Array.from(residual.values, (v) => (v > floor ? v : null)), colour: 0 },
            { label: "tolerance", unit: "", values: () => new Float64Array(run.rows).fill(run.tol), dashed: true }]);
  card.append(zero, el("div", { class: "legend" }, el("span", { class: "key" }, el("span", { class: "dash" }),
              `tolerance ${num(run.tol, 2)}`)), plot.element);
  return card;
}

export function energyPanel(run: Run, player: Player): HTMLElement {
  return el("div", { class: "cards" }, energyCard(run, player), residualCard(run, player));
}

// ---- the model ----

function pairs(list: [string, string][]): HTMLElement {
  const table = el("table", { class: "pairs" });
  for (const [name, value] of list) table.append(el("tr", {}, el("th", {}, name), el("td", {}, value)));
  return table;
}

function honesty(run: Run): HTMLElement {
  const list = el("ul", { class: "notes" });
  const c = run.counts, missed = c.not_solved ?? 0;
  const good = (text: string) => list.append(el("li", { class: "good" }, text));
  if (run.status === "complete") good("The run is complete.");
  if (!missed) good(`Every step met the tolerance ${num(run.tol, 2)}; the largest residual is ${num(c.max_residual ?? NaN, 2)}.`);
  for (const text of run.info) list.append(el("li", {}, text));
  for (const text of run.notes) list.append(el("li", { class: "warn" }, text));
  return list;
}

export function modelPanel(run: Run): HTMLElement {
  const c = run.counts;
  const figures: [string, string][] = [
    ["steps", String(c.steps ?? "–")], ["events", String(c.events ?? "–")], ["impacts", String(c.impacts ?? "–")],
    ["largest residual", num(c.max_residual ?? NaN, 3)], ["deepest penetration", `${num(c.max_penetration ?? NaN, 3)} m`],
    ["steps that missed the tolerance", String(c.not_solved ?? "–")],
    ["rows in this page", `${run.rows} of ${run.rowsTotal}`],
  ];
  const link = el("a", { href: encodeURIComponent(run.file), title: "all of the data, beside this page" }, run.file);
  const table = pairs(figures);
  table.append(el("tr", {}, el("th", {}, "all of the data"), el("td", {}, link)));
  return el("div", { class: "cards" },
    el("section", { class: "card" }, el("h3", {}, "what to know about this run"), honesty(run)),
    el("section", { class: "card two" }, el("div", {}, el("h3", {}, "settings"), pairs(run.settings)),
       el("div", {}, el("h3", {}, "figures"), table)),
    el("section", { class: "card" }, el("h3", {}, "model"), run.source ? el("p", { class: "source" }, run.source) : null,
       el("pre", { tabindex: "0" }, run.text)));
}
