// The controls of a live simulation: parameters, how it is computed, records.
import { el, num, plain } from "./format";
import type { Live, Parameter } from "./live";

const WORTH = /(friction|frictionloss|restitution|restitution-tangential|damping|stiffness|gravity|timestep|kp|kv|mass|density)$/;
const FIRST = /^(mu|eps|nu|e|g|k|c|d)(_|$)|\.(mu|friction)$|^option\./;  // friction, restitution, stiffness, gravity come first
const MOST_SCENE = 14, MOST_TEXT = 30;

interface Range { low: number; high: number }

// How far a slider goes: what the quantity can be, or about twice its value
function rangeOf(path: string, v: number): Range {
  if (/(^|[._])(eps|restitution)/.test(path) || /restitution/.test(path)) return { low: 0, high: 1 };
  if (/(^|\.)mu|friction$/.test(path)) return { low: 0, high: Math.max(1, 2 * v) };
  if (/gravity$/.test(path)) return { low: -20, high: 20 };
  if (/timestep$|dt$/.test(path)) return { low: v / 10, high: 5 * v };
  if (v > 0) return { low: 0, high: 3 * v };
  if (v < 0) return { low: 3 * v, high: 0 };
  return { low: 0, high: 1 };
}

// Units of the keys of scenes; parameters of text models have none of their own
const UNITS: [RegExp, string][] = [[/\.gravity$/, "m/s²"], [/\.timestep$/, "s"], [/\.mass$/, "kg"], [/\.density$/, "kg/m³"]];

function unitOf(path: string): string {
  return UNITS.find(([key]) => key.test(path))?.[1] ?? "";
}

// Of several numbers in a value the one that matters: mu of a friction, otherwise the largest
function mainPart(path: string, parts: number[]): number {
  if (/friction$/.test(path)) return 0;
  let best = 0;
  parts.forEach((v, i) => { if (Math.abs(v) > Math.abs(parts[best])) best = i; });
  return best;
}

function numbersOf(text: string): number[] | null {
  const parts = text.trim().split(/\s+/).map(Number);
  return parts.length && parts.length <= 10 && parts.every((v) => Number.isFinite(v)) ? parts : null;
}

function short(v: number): string {
  return String(Number(v.toPrecision(4)));
}

/** A value of the model: a slider and a field. At most one change is on its way; of several the last counts. */
class ValueRow {
  readonly element: HTMLElement;
  private slider = el("input", { type: "range", min: "0", max: "1", step: "0.001" });
  private field = el("input", { type: "text", inputmode: "decimal", size: "8" });
  private back = el("button", { type: "button", class: "text small", title: "as it was" }, "↺");
  private parts: number[] | null;
  private part = 0;
  private range: Range = { low: 0, high: 1 };
  private first: string;
  private wanted: string | null = null;
  private busy = false;

  constructor(private live: Live, private parameter: Parameter) {
    this.first = parameter.value;
    this.parts = numbersOf(parameter.value);
    if (this.parts) {
      this.part = mainPart(parameter.path, this.parts);
      this.range = rangeOf(parameter.path, this.parts[this.part]);
    }
    const label = parameter.path.includes(".") ? parameter.path : plain(parameter.path, []);
    const unit = unitOf(parameter.path);
    this.slider.hidden = !this.parts;
    this.slider.setAttribute("aria-label", parameter.path);
    this.field.setAttribute("aria-label", `${parameter.path}, value`);
    this.slider.addEventListener("input", () => {
      const f = Number(this.slider.value), { low, high } = this.range;
      this.set(this.text(low + f * (high - low)));
    });
    this.field.addEventListener("change", () => {
      const v = Number(this.field.value.replace(",", "."));
      if (!this.parts) this.set(this.field.value.trim());
      else if (this.field.value.trim() && Number.isFinite(v)) this.set(this.text(v));
      else this.show();
    });
    this.back.addEventListener("click", () => this.set(this.first));
    this.element = el("div", { class: "value", "data-path": parameter.path },
      el("label", { title: parameter.path }, label, unit ? el("small", {}, ` ${unit}`) : null), this.slider, this.field, this.back);
    this.show();
  }

  private text(v: number): string {
    return this.parts!.map((x, i) => (i === this.part ? short(v) : String(x))).join(" ");
  }

  private set(value: string): void {
    if (!value) return;
    this.wanted = value;
    this.parameter.value = value;
    this.show();
    void this.push();
  }

  private async push(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.wanted !== null) {
      const value = this.wanted;
      this.wanted = null;
      const error = await this.live.ask({ do: "set", path: this.parameter.path, value });
      if (error) this.live.notice(error);
    }
    this.busy = false;
    this.update(this.live.parameters.find((p) => p.path === this.parameter.path));
  }

  /** As the tool has it. */
  update(p: Parameter | undefined): void {
    if (this.busy || !p || document.activeElement === this.field) return;
    this.parameter.value = p.value;
    this.show();
  }

  private show(): void {
    const parts = numbersOf(this.parameter.value);
    if (parts && this.parts) {
      const v = parts[this.part] ?? 0, { low, high } = this.range;
      if (v > high) this.range.high = v;
      if (v < low) this.range.low = v;
      this.parts = parts;
      this.slider.value = String((v - this.range.low) / (this.range.high - this.range.low || 1));
      this.field.value = short(v);
    } else this.field.value = this.parameter.value;
    this.back.style.visibility = this.parameter.value === this.first ? "hidden" : "visible";
  }
}

class Values {
  readonly element = el("section", { class: "card" });
  private rows = new Map<string, ValueRow>();
  private list = el("div", { class: "values" });

  constructor(private live: Live) {
    const space = live.run.space !== null;
    const first = space ? live.parameters.filter((p) => WORTH.test(p.path) && numbersOf(p.value)) : live.parameters;
    const sorted = [...first].sort((a, b) => Number(FIRST.test(b.path)) - Number(FIRST.test(a.path)));
    for (const p of sorted.slice(0, space ? MOST_SCENE : MOST_TEXT)) this.add(p);
    this.element.append(el("div", { class: "card-head" }, el("h3", {}, "parameters")), this.list, this.more());
    live.listen(() => this.update());
  }

  private add(p: Parameter): void {
    if (this.rows.has(p.path)) return;
    const row = new ValueRow(this.live, { ...p });
    this.rows.set(p.path, row);
    this.list.append(row.element);
  }

  // Any value of the model, by its path
  private more(): HTMLElement {
    const names = el("datalist", { id: "paths" }), field = el("input", { type: "text", list: "paths", placeholder: "path of another value", "aria-label": "path" });
    const button = el("button", { type: "button", class: "text" }, "add");
    for (const p of this.live.parameters) names.append(el("option", { value: p.path }));
    const go = () => {
      const path = field.value.trim();
      if (!path) return;
      this.add(this.live.parameters.find((p) => p.path === path) ?? { path, value: "" });
      field.value = "";
    };
    button.addEventListener("click", go);
    field.addEventListener("keydown", (e) => { if (e.key === "Enter") go(); });
    return el("div", { class: "more" }, field, button, names);
  }

  private update(): void {
    for (const [path, row] of this.rows) row.update(this.live.parameters.find((p) => p.path === path));
  }
}

// notFor: the integrators that have no use for it
function chooser(live: Live, name: "integrator" | "solver" | "impact" | "project", label: string,
                 notFor: string[] = []): HTMLElement {
  const select = el("select", { "aria-label": label, "data-setting": name });
  for (const c of live.choices[name]) select.append(el("option", { value: c }, c));
  select.addEventListener("change", async () => {
    const error = await live.ask({ do: "settings", [name]: select.value });
    if (error) live.notice(error);
    select.value = live.settings[name];
  });
  const show = () => {
    select.value = live.settings[name];
    select.disabled = notFor.includes(live.settings.integrator);
  };
  live.listen(show);
  show();
  return el("label", {}, el("span", {}, label), select);
}

function stepSize(live: Live): HTMLElement {
  const field = el("input", { type: "text", inputmode: "decimal", size: "9", "aria-label": "step size", "data-setting": "dt" });
  field.addEventListener("change", async () => {
    const error = await live.ask({ do: "settings", dt: Number(field.value) });
    if (error) live.notice(error);
    field.value = String(live.settings.dt);
  });
  const show = () => { if (document.activeElement !== field) field.value = String(live.settings.dt); };
  live.listen(show);
  show();
  return el("label", {}, el("span", {}, "step size, s"), field);
}

function settingsCard(live: Live): HTMLElement {
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h3", {}, "how it is computed")),
    el("div", { class: "settings" }, chooser(live, "integrator", "integrator"), chooser(live, "solver", "contact solver"),
       chooser(live, "impact", "impact law"), chooser(live, "project", "penetration removed", ["event", "rattle"]), stepSize(live)));
}

function keepCard(live: Live): HTMLElement {
  const record = el("button", { type: "button", class: "text record" });
  const save = el("button", { type: "button", class: "text" }, "save this contact problem");
  const list = el("ul", { class: "notices" }), state = el("p", { class: "live-state" });
  record.addEventListener("click", async () => {
    const error = await live.ask({ do: "record", on: !live.status.recording });
    if (error) live.notice(error);
  });
  save.addEventListener("click", async () => {
    const error = await live.ask({ do: "save" });
    if (error) live.notice(error);
  });
  const show = () => {
    const s = live.status, c = s.counts;
    record.textContent = s.recording ? "■ end the record" : "● record";
    record.setAttribute("aria-pressed", String(s.recording));
    const pace = s.running ? `${num(s.pace, 2)} s per second` : "standing";
    const recorded = s.recording ? `${s.rows} rows in ${s.record}` : s.record ? `recorded in ${s.record}` : "";
    state.textContent = [`step ${s.step}`, pace, `${c.events ?? 0} events`, c.not_solved ? `${c.not_solved} steps missed the tolerance` : "",
                         recorded].filter((x) => x).join(" · ");
    list.replaceChildren(...[s.why, s.note, ...live.notices].filter((x) => x).slice(0, 5).map((text, i) =>
      el("li", { class: i === 0 && s.why ? "warn" : "" }, text)));
  };
  live.listen(show);
  show();
  return el("section", { class: "card" }, state, el("div", { class: "buttons" }, record, save), list);
}

export function livePanel(live: Live): HTMLElement {
  return el("div", { class: "cards" }, keepCard(live), settingsCard(live), new Values(live).element);
}
