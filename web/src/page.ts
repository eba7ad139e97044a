// The page: puts the parts of a run together, and listens to keys and the address.
import { shown, type Run } from "./data.ts";
import { button, el, icons } from "./dom.ts";
import { Flat } from "./flat.ts";
import { Panels } from "./panels.ts";
import { Player } from "./player.ts";
import { Plots } from "./plots.ts";
import { Recorder, saveNumbers, savePicture } from "./saving.ts";
import { Stage } from "./stage.ts";
import { Timeline } from "./timeline.ts";
import type { Picked } from "./things.ts";
import type { Settings, Standard, View } from "./view.ts";

const byId = (id: string) => document.getElementById(id)!;

const keys: [string, string][] = [
  ["Space", "play, pause"],
  ["← →", "one row back, on; with Shift ten"],
  ["Home End", "start, end"],
  ["N P", "next event, event before"],
  ["+ −", "faster, slower"],
  ["L", "loop"],
  ["B", "pause at events"],
  ["F", "forces of constraint, contact and control"],
  ["[ ]", "arrows of forces shorter, longer"],
  ["T", "trails"],
  ["G", "ghost of the start"],
  ["C", "camera follows what is selected"],
  ["Tab Enter", "reach and press every button"],
  ["1 2 3 0", "front, top, side, home view"],
  ["S", "strips below the time line"],
  ["M", "panel"],
  ["D", "dark, light"],
  ["I", "save the picture (PNG)"],
  ["V", "record a video (WebM)"],
  ["E", "save the numbers (CSV)"],
  ["Esc", "select nothing; close this"],
  ["?", "this list"],
];

/** What a page may have besides the run: tabs in front of the others, and what made it. */
export interface More {
  tabs?: [string, HTMLElement][];
  maker?: string;
}

export class Page {
  readonly player: Player;
  readonly view: View;
  readonly panels: Panels;
  private readonly plots: Plots;
  private readonly timeline: Timeline;
  private readonly recorder: Recorder;
  private readonly help: HTMLDialogElement;
  private readonly switches: [HTMLButtonElement, () => boolean][] = [];
  private picked: Picked | undefined;
  private settings: Settings = {
    theme: matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark",
    forces: false,
    forceScale: 1,
    trails: true,
    ghost: false,
    grid: true,
    follow: false,
  };

  constructor(
    readonly run: Run,
    private readonly more: More = {},
  ) {
    document.documentElement.dataset.theme = this.settings.theme;
    byId("loading").hidden = true;
    byId("app").hidden = false;
    byId("title").textContent = run.header.title;
    this.player = new Player(run);
    this.view = this.makeView();
    this.plots = new Plots(run, this.player);
    this.panels = new Panels(byId("panel"), run, this.player, this.plots, () => this.about(), more.tabs); // prettier-ignore
    this.timeline = new Timeline(byId("time"), run, this.player);
    this.recorder = new Recorder(run, this.view, this.player, (text) => this.say(text));
    this.help = this.makeHelp();
    this.addTools();
    this.view.apply(this.settings);
    this.view.onPick = (picked) => this.select(picked);
    this.player.listen(() => this.view.show(this.player.at));
    this.listenToKeys();
    this.listenToTips();
    this.readAddress();
    this.keepAddress();
    this.player.listen(() => this.tell());
    window.addEventListener("hashchange", () => this.readAddress());
  }

  /** Shows another run in the place of this one, which all parts share. */
  renew(run: Run, home: boolean): void {
    if (home) this.select(undefined);
    Object.assign(this.run, run);
    byId("title").textContent = run.header.title;
    this.view.renew(home);
    this.player.renew();
    this.plots.renew();
    this.panels.renew();
    this.timeline.renew();
  }

  /** Another run beside this one: in the picture as a ghost, in plots dashed. */
  compare(other: Run | undefined): void {
    this.view.compare(other);
    this.plots.compare(other);
  }

  private makeView(): View {
    const host = byId("stage");
    try {
      if (location.search.includes("flat")) return new Flat(this.run, host);
      return new Stage(this.run, host);
    } catch {
      host.querySelector("canvas")?.remove();
      return new Flat(this.run, host);
    }
  }

  // ---- buttons

  private addTools(): void {
    const tools = byId("tools");
    const switching = (label: string, sign: string, press: () => void, is: () => boolean) => {
      const made = button(label, sign, press, is());
      this.switches.push([made, is]);
      tools.append(made);
    };
    const { header } = this.run;
    tools.append(button("Home view (0)", icons.home, () => this.view.look("home")));
    if (header.arrows.length || this.more.tabs)
      switching(
        "Forces (F)",
        icons.force,
        () => this.change("forces"),
        () => this.settings.forces,
      );
    if (header.items.some((item) => item.kind === "point"))
      switching(
        "Trails (T)",
        icons.trail,
        () => this.change("trails"),
        () => this.settings.trails,
      );
    switching(
      "Ghost of the start (G)",
      icons.ghost,
      () => this.change("ghost"),
      () => this.settings.ghost,
    );
    switching(
      "Follow what is selected (C)",
      icons.follow,
      () => this.follow(),
      () => this.settings.follow,
    );
    tools.append(this.saveMenu());
    tools.append(button("Dark, light (D)", icons.theme, () => this.changeTheme()));
    switching(
      "Panel (M)",
      icons.panel,
      () => this.togglePanel(),
      () => !document.body.classList.contains("alone"),
    );
    tools.append(button("Keys (?)", icons.help, () => this.help.showModal()));
  }

  private saveMenu(): HTMLElement {
    const menu = el("details", { class: "menu" });
    const summary = el("summary", { "aria-label": "Save", "data-tip": "Save" });
    summary.innerHTML = icons.save;
    const item = (text: string, press: () => void) =>
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            menu.open = false;
            press();
          },
        },
        text,
      );
    menu.append(
      summary,
      el(
        "div",
        {},
        item("Picture, PNG (I)", () => savePicture(this.run, this.view)),
        item("Video, WebM (V)", () => this.recorder.toggle()),
        item("Numbers, CSV (E)", () => saveNumbers(this.run)),
      ),
    );
    return menu;
  }

  private refresh(): void {
    for (const [made, is] of this.switches) made.setAttribute("aria-pressed", String(is()));
  }

  private change(what: "forces" | "trails" | "ghost"): void {
    this.settings[what] = !this.settings[what];
    this.view.apply(this.settings);
    this.refresh();
    this.say(`${what} ${this.settings[what] ? "on" : "off"}`);
  }

  private changeTheme(): void {
    this.settings.theme = this.settings.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = this.settings.theme;
    this.view.apply(this.settings);
    this.plots.redraw();
    this.timeline.redraw();
  }

  private follow(): void {
    if (!this.picked) {
      const first = this.run.header.items.findIndex(
        (item) => item.kind === "point" && item.particle,
      );
      const body = this.run.header.bodies.findIndex((one) => one.name);
      if (first >= 0) this.select({ item: first });
      else if (body >= 0) this.select({ body });
    }
    this.settings.follow = !this.settings.follow;
    this.view.apply(this.settings);
    this.refresh();
  }

  private togglePanel(): void {
    document.body.classList.toggle("alone");
    this.refresh();
    this.plots.redraw();
  }

  private select(picked: Picked | undefined): void {
    this.picked = picked;
    if (!picked) this.settings.follow = false;
    this.view.select(picked);
    this.panels.select(picked);
    this.refresh();
  }

  // ---- what is known of the run

  private about(): HTMLElement {
    const { header, t } = this.run;
    const table = el("table");
    for (const [name, value] of header.facts)
      table.append(el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)));
    const rows =
      header.thin.of === t.length
        ? `All ${t.length} rows of the run are in this page.`
        : `${t.length} of ${header.thin.of} rows are in this page; ${header.thin.curved ? "curves" : "straight lines"} between them are off by at most ${shown(100 * header.thin.error, 2)} % of the size of the picture, or of the range of a plot.`;
    const left = [...header.left_out, ...this.view.leftOut];
    return el(
      "div",
      { class: "about" },
      table,
      el("p", {}, rows),
      left.length ? el("h3", {}, "Left out") : undefined,
      left.length ? el("ul", {}, ...left.map((text) => el("li", {}, text))) : undefined,
      el(
        "p",
        { class: "note" },
        `Made by ${this.more.maker ?? `lacon run ${header.file} --page`}. Keys: press ?.`,
      ),
    );
  }

  private makeHelp(): HTMLDialogElement {
    const table = el("table", {});
    for (const [key, text] of keys)
      table.append(
        el(
          "tr",
          {},
          el("th", {}, ...key.split(" ").map((k) => el("kbd", {}, k))),
          el("td", {}, text),
        ),
      );
    const dialog = el("dialog", { "aria-label": "Keys" }, el("h2", {}, "Keys"), table);
    dialog.append(
      el(
        "p",
        { class: "note" },
        "Drag turns the view, or moves it in the plane; the wheel zooms. A click selects.",
      ),
      button("Close", "Close", () => dialog.close()),
    );
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    return dialog;
  }

  // ---- keys

  private listenToKeys(): void {
    const look = (from: Standard) => () => this.view.look(from);
    const { player } = this;
    const actions: Record<string, (event: KeyboardEvent) => void> = {
      " ": () => player.toggle(),
      ArrowLeft: (event) => player.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => player.step(event.shiftKey ? 10 : 1),
      Home: () => player.seek(player.begin),
      End: () => player.seek(player.end),
      n: () => this.toEvent(1),
      p: () => this.toEvent(-1),
      "+": () => player.changeSpeed(1),
      "=": () => player.changeSpeed(1),
      "-": () => player.changeSpeed(-1),
      l: () => player.setLoop(!player.loop),
      b: () => this.pauseAtEvents(!player.pausesAtEvents),
      f: () => this.change("forces"),
      "[": () => this.scaleForces(0.7),
      "]": () => this.scaleForces(1 / 0.7),
      t: () => this.change("trails"),
      g: () => this.change("ghost"),
      c: () => this.follow(),
      "0": look("home"),
      "1": look("front"),
      "2": look("top"),
      "3": look("side"),
      s: () => document.body.classList.toggle("bare"),
      m: () => this.togglePanel(),
      d: () => this.changeTheme(),
      i: () => savePicture(this.run, this.view),
      v: () => this.recorder.toggle(),
      e: () => saveNumbers(this.run),
      Escape: () => this.select(undefined),
      "?": () => this.help.showModal(),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
      const target = event.target as HTMLElement;
      const presses = target.closest("button, summary, select") !== null;
      if (presses && (event.key === " " || event.key === "Enter")) return;
      if (target.closest("select, textarea, input:not([type=checkbox], #slider)")) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const action = actions[key];
      if (!action) return;
      event.preventDefault();
      action(event);
    });
  }

  pauseAtEvents(on: boolean): void {
    this.player.pausesAtEvents = on;
    this.say(on ? "pauses at events" : "plays through events");
    this.onPauseAtEvents(on);
  }
  onPauseAtEvents: (on: boolean) => void = () => {};

  private toEvent(direction: 1 | -1): void {
    if (!this.player.toEvent(direction)) this.say("no further event");
  }

  private scaleForces(by: number): void {
    this.settings.forceScale *= by;
    this.settings.forces = true;
    this.view.apply(this.settings);
    this.refresh();
  }

  // ---- words for screen readers, and tips

  private last = "";
  private tell(): void {
    const { player } = this;
    if (player.playing) return;
    const here = this.run.header.events.filter((e) => e.t === player.at.t).length;
    const text = `t = ${shown(player.at.t)}${here ? ", at an event" : ""}`;
    if (text !== this.last) this.say(text);
    this.last = text;
  }

  say(text: string): void {
    byId("said").textContent = text;
  }

  private listenToTips(): void {
    const tip = byId("tip");
    const show = (event: Event) => {
      const target = (event.target as HTMLElement).closest?.<HTMLElement>("[data-tip]");
      tip.hidden = !target;
      if (!target) return;
      tip.textContent = target.dataset.tip ?? "";
      const frame = target.getBoundingClientRect();
      const own = tip.getBoundingClientRect();
      const above = frame.top > own.height + 12;
      const x = frame.left + frame.width / 2 - own.width / 2;
      tip.style.left = `${Math.max(6, Math.min(x, innerWidth - own.width - 6))}px`;
      tip.style.top = `${above ? frame.top - own.height - 6 : frame.bottom + 6}px`;
    };
    document.addEventListener("pointerover", show);
    document.addEventListener("focusin", (event) => {
      if ((event.target as HTMLElement).matches(":focus-visible")) show(event);
    });
    document.addEventListener("focusout", () => (tip.hidden = true));
  }

  // ---- the address keeps time and camera

  private readAddress(): void {
    const given = new URLSearchParams(location.hash.slice(1));
    const t = Number(given.get("t"));
    if (given.has("t") && Number.isFinite(t)) this.player.seek(t);
    const camera = given.get("cam");
    if (camera) this.view.setCamera(camera);
    const theme = given.get("theme");
    if ((theme === "dark" || theme === "light") && theme !== this.settings.theme)
      this.changeTheme();
    for (const what of ["forces", "ghost"] as const)
      if (given.has(what) && !this.settings[what]) this.change(what);
  }

  private keepAddress(): void {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      waiting = undefined;
      if (this.player.playing) return;
      const parts = [`t=${Number(this.player.at.t.toPrecision(9))}`];
      const camera = this.view.camera();
      if (camera) parts.push(`cam=${camera}`);
      history.replaceState(null, "", `#${parts.join("&")}`);
    };
    const later = () => {
      waiting ??= setTimeout(write, 300);
    };
    this.player.listen(later);
    this.view.onCamera = later;
  }

  /** For tests, and for rendering without a screen. */
  handle() {
    const { run, player, view, settings } = this;
    return {
      run,
      player,
      view,
      settings,
      film: () => this.film(),
      frame: (x: number) => this.frame(x),
    };
  }

  /** Leaves the picture alone in the window; how many seconds the motion takes to play. */
  private async film(): Promise<number> {
    document.body.classList.add("film");
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    this.view.look("home");
    return (this.player.end - this.player.begin) / this.player.speed;
  }

  /** The picture at a part of the time, as PNG in base64. */
  private frame(along: number): string {
    const { begin, end } = this.player;
    this.player.seek(begin + along * (end - begin));
    return this.view.picture().toDataURL("image/png");
  }
}
