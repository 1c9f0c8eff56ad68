// The table of events; only what is visible of it is in the page, so that thousands of events are no burden.
import { indexAt, KINDS, STATES, type Run } from "./data";
import { el, num, whole } from "./format";
import type { Player } from "./player";
import { onTheme, palette } from "./theme";

const ROW = 28;

export class EventTable {
  readonly element = el("div", { class: "events" });
  private box = el("div", { class: "event-box", tabindex: "0" });
  private inner = el("div", { class: "event-inner" });
  private shown: number[] = [];
  private hidden = new Set<number>();
  private current = -1;
  private smallest = 0;  // velocities below this are round-off

  private counted = "";
  private bar = el("div", { class: "filters" });
  private none = el("p", { class: "empty" }, "No contact events were recorded in this time.");

  constructor(private run: Run, private player: Player) {
    const left = this.left();
    this.element.append(this.none, ...(left ? [left] : []), this.bar, this.box);
    this.box.append(this.head(), this.inner);
    this.take();
    player.listenData(() => this.take());
    this.box.addEventListener("scroll", () => this.fill());
    new ResizeObserver(() => this.fill()).observe(this.box);
    onTheme(() => this.fill());
    player.listen(() => this.follow());
  }

  // Of very many events the first are listed
  private left(): HTMLElement | null {
    const { n, t, total } = this.run.events;
    return total === undefined ? null
      : el("p", { class: "event-note" }, `The first ${whole(n)} of ${whole(total)} events, up to t = ${num(t[n - 1])} s. ` +
           "The time bar has marks for all of them, the run file their numbers.");
  }

  // Events are new, or there are more of them
  private take(): void {
    const n = this.run.events.n, now = `${n} ${n ? this.run.events.t[n - 1] : ""}`;
    if (now === this.counted) return;
    this.counted = now;
    this.none.hidden = n > 0;
    this.bar.hidden = this.box.hidden = n === 0;
    this.measure();
    this.filters();
    this.choose();
  }

  private measure(): void {
    const e = this.run.events;
    for (const list of [e.gamma_N_before, e.gamma_N_after, e.gamma_T_before, e.gamma_T_after]) {
      for (const v of list) this.smallest = Math.max(this.smallest, 1e-12 * Math.abs(v) || 0);
    }
  }

  private velocity(v: number): string {
    return Math.abs(v) <= this.smallest ? "0" : num(v, 3);
  }

  private filters(): void {
    this.bar.replaceChildren();
    KINDS.forEach((kind, k) => {
      let n = 0;
      for (let i = 0; i < this.run.events.n; i++) if (this.run.events.kind[i] === k) n++;
      if (!n) return;
      const box = el("input", { type: "checkbox" });
      box.checked = !this.hidden.has(k);
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(k);
        else this.hidden.add(k);
        this.choose();
      });
      const dot = el("span", { class: `dot kind-${k}` });
      this.bar.append(el("label", {}, box, dot, `${kind} (${n})`));
    });
  }

  private head(): HTMLElement {
    const cell = (text: string, sub = "", unit = "") =>
      el("span", {}, text, sub ? el("sub", {}, sub) : null, unit ? el("small", {}, ` ${unit}`) : null);
    return el("div", { class: "event-row event-head" }, cell("t", "", "s"), cell("event"), cell("contact"),
              cell("state"), cell("γ", "N", "m/s"), cell("γ", "T", "m/s"), cell("Λ", "N", "N s"), cell("Λ", "T", "N s"),
              cell("ΔE", "", "J"));
  }

  private choose(): void {
    this.shown = [];
    for (let i = 0; i < this.run.events.n; i++) if (!this.hidden.has(this.run.events.kind[i])) this.shown.push(i);
    this.inner.style.height = `${this.shown.length * ROW}px`;
    this.fill();
  }

  private row(n: number): HTMLElement {
    const e = this.run.events, i = this.shown[n];
    const lost = e.energy_after[i] - e.energy_before[i];
    // a contact that opened and is no longer among those that are near: nothing is known of it
    const gone = e.kind[i] === 1 && [e.gamma_N_before, e.gamma_N_after, e.gamma_T_before, e.gamma_T_after].every((v) => v[i] === 0);
    const pair = (a: number, b: number) => (gone ? "–" : `${this.velocity(a)} → ${this.velocity(b)}`);
    const kind = el("span", {}, el("span", { class: `dot kind-${e.kind[i]}` }), KINDS[e.kind[i]] ?? "?");
    const row = el("div", { class: "event-row", "data-event": String(i) },
      el("span", { class: "tight" }, e.t[i].toFixed(6)), kind,
      el("span", { class: "wraps", title: this.run.contacts[e.contact[i]]?.name ?? "" }, this.run.contacts[e.contact[i]]?.name ?? "?"),
      el("span", { class: "wraps" }, `${STATES[e.before[i]] ?? "?"} → ${STATES[e.state[i]] ?? "?"}`),
      el("span", { class: "wraps" }, pair(e.gamma_N_before[i], e.gamma_N_after[i])),
      el("span", { class: "wraps" }, pair(e.gamma_T_before[i], e.gamma_T_after[i])),
      el("span", { class: "tight" }, num(e.Lambda_N[i], 3)), el("span", { class: "tight" }, num(e.Lambda_T[i], 3)),
      el("span", { class: "tight" }, num(lost, 3)));
    row.style.top = `${n * ROW}px`;
    row.classList.toggle("is-current", i === this.current);
    row.style.setProperty("--kind", palette().kinds[e.kind[i]] ?? palette().muted);
    row.addEventListener("click", () => {
      this.player.pause();
      this.player.seek(e.t[i]);
    });
    return row;
  }

  private fill(): void {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 4);
    const last = Math.min(this.shown.length, first + Math.ceil((this.box.clientHeight || 400) / ROW) + 8);
    const rows: HTMLElement[] = [];
    for (let n = first; n < last; n++) rows.push(this.row(n));
    this.inner.replaceChildren(...rows);
  }

  // Marks the last event that has happened, and keeps it in sight
  private follow(): void {
    const e = this.run.events, t = this.player.t + 1e-9;
    const now = !e.n || e.t[0] > t ? -1 : indexAt(e.t, t);
    if (now === this.current) return;
    if (this.element.closest("[hidden]")) return;  // to ask for its size would lay out the page
    this.current = now;
    const n = this.shown.indexOf(now);
    if (n >= 0 && this.box.clientHeight) {
      const y = n * ROW, top = this.box.scrollTop, height = this.box.clientHeight;
      if (y < top || y > top + height - 2 * ROW) this.box.scrollTop = y - height / 2;
    }
    this.fill();
  }
}
