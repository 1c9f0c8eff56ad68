// The page: what is where, the buttons, the keys.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { EverClosed, touchOf } from "./closed";
import { ContactPanel } from "./contacts";
import { Replay, readRun, type Run, type Source } from "./data";
import { EventTable } from "./eventtable";
import { el, num, put, whole } from "./format";
import { keyOf, Live } from "./live";
import { Dragging } from "./livedrag";
import { livePanel } from "./livepanel";
import { LivePlayer } from "./liveplayer";
import { energyPanel, modelPanel, plotsPanel } from "./panels";
import { onParts, isShown, PARTS, togglePart } from "./parts";
import { Player, SPEEDS } from "./player";
import { PlaneScene } from "./scene2d";
import { SpaceScene, VIEWS } from "./scene3d";
import { initTheme, isDark, onTheme, palette, toggleTheme } from "./theme";
import { TimeBar } from "./timebar";
import { TimePlot } from "./timeplot";
import { isHidden, isPlain, wishedNumber } from "./wishes";

const KEYS: [string, string][] = [
  ["Space", "play or pause"], ["← →", "one row back or on"], ["Shift ← →  or  P N", "to the event before or after"],
  ["↑ ↓", "faster, slower"], ["R", "reverse"], ["Home End", "to the start, to the end"],
  ["+ −", "zoom the time in or out"], ["0", "show all of the time"], ["1 2 3 4", "plots, energy, events, model"],
  ["F C T", "forces, cones, trails on or off"], ["V", "look from elsewhere (scenes)"], ["D", "light or dark"],
  ["?", "this sheet"],
];

const LIVE_KEYS: [string, string][] = [
  ["Space", "run or stand"], ["→", "one step"], ["←", "look back by a row"], ["P N", "to the event before or after"],
  ["↑ ↓", "faster, slower"], ["R", "back to the start"], ["Home End", "to the first row that is kept, to the last"],
  ["+ −", "zoom the time in or out"], ["1 2 3 4 5", "live, plots, energy, events, model"],
  ["F C T", "forces, cones, trails on or off"], ["V", "look from elsewhere (scenes)"], ["D", "light or dark"], ["?", "this sheet"],
];

const ICONS: Record<string, string> = {
  play: "M8 5v14l11-7z", pause: "M7 5h4v14H7zM13 5h4v14h-4z", next: "M6 6l8 6-8 6zM15 6h3v12h-3z",
  previous: "M18 6l-8 6 8 6zM6 6h3v12H6z", stepOn: "M9 6l8 6-8 6z", stepBack: "M15 6l-8 6 8 6z",
  reverse: "M16 5v14L5 12z",
};

function icon(name: string): SVGElement {
  const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
  const path = document.createElementNS(ns, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function setIcon(b: HTMLButtonElement, name: string): void {
  const path = b.querySelector("path")!;
  if (path.getAttribute("d") !== ICONS[name]) path.setAttribute("d", ICONS[name]);
}

function button(name: string, title: string, act: () => void): HTMLButtonElement {
  const b = el("button", { type: "button", title, "aria-label": title, class: "icon" }, icon(name));
  b.addEventListener("click", act);
  return b;
}

function speedChoice(player: Player, choose: (speed: number) => void): HTMLSelectElement {
  const speed = el("select", { title: "speed (↑ ↓)", "aria-label": "speed" });
  const add = (s: number) => speed.append(el("option", { value: String(s) }, s < 1 ? `1/${Math.round(1 / s)} ×` : `${s} ×`));
  SPEEDS.forEach(add);
  speed.addEventListener("change", () => choose(Number(speed.value)));
  const update = () => {
    if (Number(speed.value) === player.speed) return;
    if (![...speed.options].some((o) => Number(o.value) === player.speed)) add(player.speed);
    speed.value = String(player.speed);
  };
  player.listen(update);
  update();
  return speed;
}

// Of a live simulation: it runs or stands, goes on by a step, begins anew
function liveTransport(player: LivePlayer): HTMLElement {
  const play = button("play", "run (Space)", () => player.toggle()), clock = el("output", { class: "clock" });
  const reset = el("button", { type: "button", class: "text", title: "back to the start (R)" }, "reset");
  play.classList.add("play");
  reset.addEventListener("click", () => player.reset());
  const update = () => {
    setIcon(play, player.playing ? "pause" : "play");
    put(clock, `t = ${player.t.toFixed(4)} s`);
  };
  player.listen(update);
  update();
  return el("div", { class: "transport" }, button("stepBack", "look back (←)", () => player.step(-1)), play,
            button("stepOn", "one step (→)", () => { player.pause(); player.step(1); }), reset,
            speedChoice(player, (s) => player.pace(s)), clock);
}

function transport(player: Player): HTMLElement {
  const play = button("play", "play (Space)", () => player.toggle());
  const back = button("reverse", "backwards (R)", () => player.reverse());
  const clock = el("output", { class: "clock" });
  const speed = speedChoice(player, (s) => {
    player.speed = s;
    player.changed();
  });
  const all = el("button", { type: "button", class: "text", title: "show all of the time (0)" }, "all");
  all.addEventListener("click", () => player.setWindow(...player.whole));
  play.classList.add("play");
  const update = () => {
    setIcon(play, player.playing ? "pause" : player.direction < 0 ? "reverse" : "play");
    const backwards = String(player.direction < 0);
    if (back.getAttribute("aria-pressed") !== backwards) back.setAttribute("aria-pressed", backwards);
    put(clock, `t = ${player.t.toFixed(4)} s`);
  };
  player.listen(update);
  update();
  return el("div", { class: "transport" },
    button("previous", "event before (P)", () => player.event(-1)),
    button("stepBack", "row before (←)", () => player.step(-1)), play,
    button("stepOn", "next row (→)", () => player.step(1)), button("next", "next event (N)", () => player.event(1)),
    back, speed, all, clock);
}

// What the colours mean, of those states that there are: contacts without friction are closed, others stick or slip
function stateLegend(run: Run, player: Player, ever: EverClosed): HTMLElement {
  const box = el("div", { class: "state-legend" });
  const slips = () => run.contacts.some((c) => c.kind !== "normal"), seen = (k: number) => () => ever.states.has(k);
  const names: [string, number, () => boolean][] = [
    ["open", 0, () => true], ["closed", 4, () => ever.states.has(4)], ["stick", 1, slips],
    ["slip+", 2, seen(2)], ["slip−", 3, seen(3)], ["slip", 5, seen(5)], ["impact", -1, () => true]];
  const keys = names.map(([name, k, there]) => {
    const dot = el("span", { class: k < 0 ? "bar" : "dot" }), key = el("span", { class: "key" }, dot, name);
    box.append(key);
    return { dot, key, k, there };
  });
  const look = () => {
    for (const { key, there } of keys) if (key.hidden === there()) key.hidden = !there();
    box.hidden = !run.contacts.length || isHidden("legend");
  };
  const paint = () => {
    for (const { dot, k } of keys) dot.style.background = k < 0 ? palette().kinds[0] : palette().states[k];
    document.documentElement.style.setProperty("--kinds", palette().kinds.join(","));
    palette().kinds.forEach((c, i) => document.documentElement.style.setProperty(`--kind-${i}`, c));
  };
  look();
  paint();
  player.listenData(look);
  onTheme(paint);
  return box;
}

type Scene = PlaneScene | SpaceScene;

// What is shown in the scene, and from where
function sceneTools(scene: Scene): HTMLElement {
  const box = el("div", { class: "scene-tools" });
  for (const part of PARTS) {
    const b = el("button", { type: "button", title: `${part} (${part[0].toUpperCase()})` }, part);
    const paint = () => b.setAttribute("aria-pressed", String(isShown(part)));
    b.addEventListener("click", () => togglePart(part));
    onParts(paint);
    paint();
    box.append(b);
  }
  if (!(scene instanceof SpaceScene)) return box;
  const views = el("select", { title: "from where (V)", "aria-label": "from where" }, el("option", { value: "" }, "view"));
  for (const name of Object.keys(VIEWS)) views.append(el("option", { value: name }, name));
  views.addEventListener("change", () => scene.look(views.value || undefined));
  box.append(views);
  return box;
}

function nextView(box: HTMLElement): void {
  const select = box.querySelector("select");
  if (!select) return;
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  select.dispatchEvent(new Event("change"));
}

// The time, in pictures that have no bar of it
function sceneClock(player: Player): HTMLElement {
  const clock = el("div", { class: "scene-clock" });
  const digits = Math.min(6, Math.max(3, 3 - Math.floor(Math.log10(player.end - player.start || 1))));
  const update = () => put(clock, `t = ${player.t.toFixed(digits)} s`);
  player.listen(update);
  update();
  return clock;
}

function tabs(panels: [string, HTMLElement][], shown: () => void): { element: HTMLElement; show: (i: number) => void } {
  const bar = el("div", { class: "tabs", role: "tablist" }), body = el("div", { class: "tab-body" });
  const buttons = panels.map(([name, panel], i) => {
    const b = el("button", { type: "button", role: "tab", id: `tab-${i}` }, name);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${i}`);
    b.addEventListener("click", () => show(i));
    bar.append(b);
    body.append(panel);
    return b;
  });
  function show(i: number): void {
    if (i >= panels.length) return;
    buttons.forEach((b, k) => b.setAttribute("aria-selected", String(k === i)));
    panels.forEach(([, p], k) => { p.hidden = k !== i; });
    body.scrollTop = 0;
    shown();
  }
  show(0);
  return { element: el("div", { class: "side" }, bar, body), show };
}

function helpSheet(live: boolean): HTMLDialogElement {
  const table = el("table");
  for (const [key, text] of live ? LIVE_KEYS : KEYS) {
    const keys = el("th");
    for (const part of key.split(/\s+/)) keys.append(part === "or" ? " or " : el("kbd", {}, part), " ");
    table.append(el("tr", {}, keys, el("td", {}, text)));
  }
  const close = el("button", { type: "button" }, "close");
  const sheet = el("dialog", { class: "help", "aria-label": "keys" }, el("h2", {}, "Keys"), table,
    el("p", {}, "Click in a plot, the phase portrait, the time bar or the table of events to go there; near an event the time " +
                "bar goes to the event, with Shift to where the mouse is. Drag in a plot, or turn the wheel over the time bar, to " +
                "zoom in time; double click shows all of it. In the scene the wheel zooms, dragging moves or turns (in space the " +
                "right button moves), and double click resets. " +
                "Arrows are the contact impulses of the step: their directions are true, their lengths compressed. " +
                "Shaded are the friction cones. Trails show the last tenth of the run."),
    live ? el("p", {}, "Drag a body to pull it with a spring; its work counts as that of drives. While the simulation stands, its " +
                       "last rows can be looked at.") : null, close);
  close.addEventListener("click", () => sheet.close());
  sheet.addEventListener("click", (e) => { if (e.target === sheet) sheet.close(); });
  return sheet;
}

// Runs, stands, why it stands, or has ended
function watchBadge(badge: HTMLElement, live: Live): void {
  const show = () => {
    const missed = live.status.counts.not_solved ?? 0;
    const slow = live.status.running && live.status.pace < 0.8 * live.status.speed;
    badge.textContent = live.gone || live.status.why || (live.status.running
      ? `live${slow ? `, ${num(live.status.pace, 2)} of ${live.status.speed} s per second` : ""}` : "live, standing");
    if (missed && !live.gone) badge.textContent += ` · ${missed} steps missed the tolerance`;
    badge.className = `badge ${live.gone || live.status.why || missed ? "warn" : "good"}`;
  };
  live.listen(show);
  show();
}

function header(run: Run, help: HTMLDialogElement, live: Live | null): HTMLElement {
  const theme = el("button", { type: "button", class: "text", title: "light or dark (D)" });
  const paint = () => { theme.textContent = isDark() ? "light" : "dark"; };
  theme.addEventListener("click", toggleTheme);
  onTheme(paint);
  paint();
  const keys = el("button", { type: "button", class: "text", title: "keys (?)" }, "keys ?");
  keys.addEventListener("click", () => help.showModal());
  const done = run.status === "complete";
  const missed = run.counts.not_solved ?? 0, warnings = run.notes.length;
  const solved = `complete, every step solved${warnings ? ` · ${warnings} warning${warnings === 1 ? "" : "s"}` : ""}`;
  const badge = el("span", { class: done && !missed && !warnings ? "badge good" : "badge warn", title: run.notes.join("\n") },
                   !done ? run.status : missed ? `${missed} steps missed the tolerance` : solved);
  if (live) watchBadge(badge, live);
  return el("header", {}, el("h1", {}, run.name), badge,
            el("p", { class: "about", title: run.description }, run.description), theme, keys);
}

function zoomTime(player: Player, k: number): void {
  const [a, b] = player.window;
  player.setWindow(player.t + k * (a - player.t), player.t + k * (b - player.t));
}

function handleKeys(player: Player, show: (i: number) => void, help: HTMLDialogElement, tools: HTMLElement): void {
  const actions: Record<string, () => void> = {
    " ": () => player.toggle(), ArrowLeft: () => player.step(-1), ArrowRight: () => player.step(1),
    "Shift+ArrowLeft": () => player.event(-1), "Shift+ArrowRight": () => player.event(1),
    p: () => player.event(-1), n: () => player.event(1), ArrowUp: () => player.faster(1), ArrowDown: () => player.faster(-1),
    r: () => (player instanceof LivePlayer ? player.reset() : player.reverse()), Home: () => player.seek(player.start), End: () => player.seek(player.end),
    "+": () => zoomTime(player, 0.5), "-": () => zoomTime(player, 2), "0": () => player.setWindow(...player.whole),
    "1": () => show(0), "2": () => show(1), "3": () => show(2), "4": () => show(3), "5": () => show(4), d: toggleTheme,
    "?": () => help.showModal(), f: () => togglePart("forces"), c: () => togglePart("cones"), t: () => togglePart("trails"),
    v: () => nextView(tools),
  };
  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || help.open) return;
    if (/^(SELECT|TEXTAREA)$/.test(target.tagName) || target.closest(".menu[open]")) return;
    if (target.tagName === "INPUT" && (target as HTMLInputElement).type !== "checkbox") return;
    if (e.key === " " && /^(BUTTON|SUMMARY|INPUT)$/.test(target.tagName)) return;
    if (/^(ArrowUp|ArrowDown)$/.test(e.key) && target.closest("pre, .event-box")) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const act = actions[(e.shiftKey && e.key.startsWith("Arrow") ? "Shift+" : "") + key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}

// In space if there are bodies and the browser can; in the plane, or by coordinates, if not
function sceneOf(run: Run, player: Player): { scene: Scene; note: string } {
  if (!run.space) return { scene: new PlaneScene(run, player), note: "" };
  try {
    const scene = new SpaceScene(run, run.space, player);
    return { scene, note: scene.gridStep > 0 ? `squares of ${num(scene.gridStep, 1)} m` : "" };
  } catch {
    return { scene: new PlaneScene(run, player), note: "This browser cannot draw in space (no WebGL)." };
  }
}

/** Draws an instant at once, for pictures; true when it is on the screen. */
function showAt(player: Player, scene: Scene, t: number): boolean {
  player.pause();
  player.seek(t);
  scene.draw();
  return true;
}

function start(source: Source): void {
  const run = source.run, live = source instanceof Live ? source : null;
  const player = live ? new LivePlayer(live) : new Player(run);
  document.title = `${run.name} – Stickslip`;
  const { scene, note } = sceneOf(run, player), bar = new TimeBar(run, player), help = helpSheet(source.live);
  const ever = new EverClosed(run), tools = sceneTools(scene);
  player.listenData(() => ever.update());  // before those who look at it
  const contacts = new ContactPanel(run, player, ever);
  if (live) scene.grabber = new Dragging(live);
  const controls: [string, HTMLElement][] = live ? [["Live", livePanel(live)]] : [];
  const side = tabs([...controls, ["Plots", plotsPanel(run, player)], ["Energy", energyPanel(run, player)],
                     [live ? "Events" : `Events (${eventCount(run)})`, new EventTable(run, player).element],
                     [run.notes.length ? `Model ⚠ ${run.notes.length}` : "Model", modelPanel(run)]], () => player.changed());
  const box = el("div", { class: "scene-box" }, scene.canvas,
    el("div", { class: "scene-head" }, isPlain ? el("span") : tools, stateLegend(run, player, ever)),
    isPlain && !isHidden("clock") ? sceneClock(player) : el("div", { class: "scene-note" }, isPlain ? "" : note));
  document.documentElement.classList.toggle("plain", isPlain);
  document.documentElement.classList.toggle("is-live", live !== null && touchOf(run) !== null);
  document.getElementById("app")!.append(
    header(run, help, live),
    el("main", {}, el("div", { class: "stage" }, box, contacts.element), side.element),
    el("footer", {}, player instanceof LivePlayer ? liveTransport(player) : transport(player), bar.element), help);
  handleKeys(player, side.show, help, tools);
  source.subscribe(() => player.grown());
  const t = wishedNumber("t"), tab = wishedNumber("tab");
  if (t !== null) player.seek(t);
  if (tab !== null) side.show(Math.max(0, Math.min(live ? 4 : 3, Math.round(tab))));
  player.changed();
  // for the console, for tests, and for `stickslip render`
  (window as unknown as { stickslip: unknown }).stickslip = { player, run, scene, live, plots: TimePlot.all, show: (at: number) => showAt(player, scene, at) };
}

// How many there are, and how many of them are in the page if these are fewer
function eventCount({ events }: Run): string {
  return events.total === undefined ? whole(events.n) : `${whole(events.n)} of ${whole(events.total)}`;
}

function broken(text: string): void {
  document.getElementById("app")!.replaceChildren(el("p", { class: "broken" }, text));
}

async function startLive(fromPage: string): Promise<void> {
  const key = keyOf(fromPage);
  if (!key) {
    broken("The address that stickslip printed opens this view, once. Start 'stickslip view' again for another one.");
    return;
  }
  const live = new Live(key);
  try {
    await live.connect();
  } catch (error) {
    broken(`This view cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
    return;
  }
  start(live);
}

initTheme();
try {
  const text = document.getElementById("run-data")!.textContent ?? "", found = /^\{"live":"([0-9a-f]*)"\}$/.exec(text);
  if (found) void startLive(found[1]);
  else start(new Replay(readRun(text)));
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  broken(`This page cannot be shown: its data are damaged (${why}). 'stickslip report' makes it again from the run.`);
  throw error;
}
