// Below the stage: buttons of the clock, the time line with its events, and strips that tell how
// good the motion is: energy, residuals, rank, condition. All share the time.
import {
  eventText,
  rangeOf,
  shown,
  valueAt,
  type Run,
  type RunEvent,
  type Series,
} from "./data.ts";
import { button, el, icons } from "./dom.ts";
import { speeds, type Player } from "./player.ts";

const mostMarks = 400;

export class Timeline {
  private readonly slider: HTMLInputElement;
  private readonly track: HTMLElement;
  private readonly toEvent: HTMLButtonElement[];
  private strips: Strip[] = [];
  private readonly stripBox = el("div", { id: "strips" });
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly time: HTMLOutputElement;

  constructor(
    private readonly host: HTMLElement,
    private readonly run: Run,
    private readonly player: Player,
  ) {
    this.playButton = button("Play (space)", icons.play, () => player.toggle());
    this.playButton.id = "play";
    this.loopButton = button(
      "Loop (L)",
      icons.loop,
      () => player.setLoop(!player.loop),
      player.loop,
    );
    this.time = el("output", { id: "now", "aria-label": "Time now" });
    this.speed = el("select", {
      "aria-label": "Speed (+ and −)",
      "data-tip": "Speed (+ and −)",
      onchange: () => player.setSpeed(Number(this.speed.value)),
    });
    this.slider = el("input", {
      type: "range",
      id: "slider",
      step: "any",
      "aria-label": "Time",
      oninput: () => {
        player.pause();
        player.seek(Number(this.slider.value));
      },
    });
    this.track = el("div", { class: "track" }, this.slider);
    this.toEvent = [
      button("Event before (P)", icons.previous, () => player.toEvent(-1)),
      button("Next event (N)", icons.next, () => player.toEvent(1)),
    ];
    host.append(
      el(
        "div",
        { class: "transport" },
        this.toEvent[0],
        this.playButton,
        this.toEvent[1],
        this.track,
        this.time,
        this.speed,
        this.loopButton,
      ),
    );
    this.renew();
    player.listen(() => this.show());
  }

  /** The run has become another one. */
  renew(): void {
    const { player } = this;
    this.slider.min = String(player.begin);
    this.slider.max = String(player.end);
    for (const one of this.toEvent) one.hidden = player.stops.length === 0;
    this.track.replaceChildren(this.slider, this.marks());
    const known = this.strips.every((strip) => strip.renew());
    if (!known || this.strips.length !== this.wantedStrips().length) this.addStrips();
    this.show();
  }

  /** Events on the track, with what they are. */
  private marks(): HTMLElement {
    const marks = el("div", { class: "marks" });
    const { events } = this.run.header;
    const together = new Map<number, RunEvent[]>();
    for (const event of events) {
      const place = Math.round(1000 * this.along(event.t));
      together.set(place, [...(together.get(place) ?? []), event]);
    }
    [...together.entries()].slice(0, mostMarks).forEach(([place, here]) => {
      const words = here
        .slice(0, 6)
        .map((event) => `t = ${shown(event.t, 7)}: ${eventText(event)}`)
        .concat(here.length > 6 ? [`and ${here.length - 6} more`] : []);
      const mark = el("button", {
        type: "button",
        tabindex: -1,
        class: `mark ${here[0].kind}`,
        style: `left: ${place / 10}%`,
        "aria-label": words.join("; "),
        "data-tip": words.join("\n"),
        onclick: () => {
          this.player.pause();
          this.player.seek(here[0].t);
        },
      });
      marks.append(mark);
    });
    return marks;
  }

  private along(t: number): number {
    const { begin, end } = this.player;
    return end > begin ? (t - begin) / (end - begin) : 0;
  }

  private wantedStrips(): [Series, string, string][] {
    const wanted: [string, string, string][] = [
      ["energy change", "energy change", "E − E(start): what the motion has gained or lost"],
      ["position residual", "residual", "largest |φ| of the constraints (logarithmic)"],
      ["rank", "rank", "rank of the constraints in force"],
      [
        "reciprocal condition",
        "condition",
        "smallest singular value over the largest: near 0 close to a singular position (logarithmic)",
      ],
    ];
    return wanted.flatMap(([name, label, tip]) => {
      const series = this.run.header.series.find((one) => one.name === name);
      return series ? [[series, label, tip] as [Series, string, string]] : [];
    });
  }

  private addStrips(): void {
    this.strips = this.wantedStrips().map(
      ([series, label, tip]) => new Strip(this.run, this.player, series, label, tip),
    );
    this.stripBox.replaceChildren(...this.strips.map((strip) => strip.element));
    if (this.strips.length) this.host.append(this.stripBox);
    else this.stripBox.remove();
  }

  private show(): void {
    const { player } = this;
    this.slider.value = String(player.at.t);
    this.slider.style.setProperty("--along", `${100 * this.along(player.at.t)}%`);
    this.slider.setAttribute("aria-valuetext", `t = ${shown(player.at.t)}`);
    this.time.value = `t = ${player.at.t.toFixed(decimals(player.end - player.begin))}`;
    const state = player.playing ? "pause" : "play";
    if (this.playButton.dataset.state !== state) {
      this.playButton.dataset.state = state;
      this.playButton.innerHTML = icons[state];
      this.playButton.setAttribute("aria-label", player.playing ? "Pause (space)" : "Play (space)");
      this.playButton.dataset.tip = player.playing ? "Pause (space)" : "Play (space)";
    }
    this.loopButton.setAttribute("aria-pressed", String(player.loop));
    if (this.speed.value !== String(player.speed)) {
      const known = [...new Set([...speeds, player.speed])].sort((a, b) => a - b);
      this.speed.replaceChildren(
        ...known.map((s) => el("option", { value: s, selected: s === player.speed }, `${s}×`)),
      );
      this.speed.value = String(player.speed);
    }
    for (const strip of this.strips) strip.show();
  }

  redraw(): void {
    for (const strip of this.strips) strip.redraw();
  }
}

/** Digits behind the point that tell a thousandth of the span. */
export function decimals(span: number): number {
  return span > 0 ? Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(span)))) : 3;
}

/** One quantity over all time, small. */
class Strip {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly now = el("i", { class: "now" });
  private readonly value = el("b");
  private column: Float32Array;
  private readonly logarithmic: boolean;

  constructor(
    private readonly run: Run,
    private readonly player: Player,
    private series: Series,
    label: string,
    tip: string,
  ) {
    this.column = run.columns[series.column];
    this.logarithmic = series.group === "residual" || series.group === "condition";
    this.element = el(
      "div",
      { class: "strip", "data-tip": tip },
      el("span", { class: "label" }, label),
      el("div", { class: "line" }, this.canvas, this.now),
      this.value,
    );
    const box = this.canvas.parentElement!;
    const seek = (event: PointerEvent) => {
      if (event.type === "pointermove" && event.buttons === 0) return;
      const frame = box.getBoundingClientRect();
      const along = (event.clientX - frame.left) / frame.width;
      player.pause();
      player.seek(player.begin + along * (player.end - player.begin));
    };
    box.addEventListener("pointerdown", seek);
    box.addEventListener("pointermove", seek);
    new ResizeObserver(() => this.redraw()).observe(box);
  }

  /** Of another run; false where that has no such column. */
  renew(): boolean {
    const found = this.run.header.series.find((one) => one.name === this.series.name);
    if (!found) return false;
    this.series = found;
    this.column = this.run.columns[found.column];
    this.redraw();
    return true;
  }

  show(): void {
    const { at, begin, end } = this.player;
    this.now.style.left = `${end > begin ? (100 * (at.t - begin)) / (end - begin) : 0}%`;
    const x = this.series.group === "rank" ? this.column[at.row] : valueAt(this.column, at);
    this.value.textContent = shown(x, 3);
  }

  private height(x: number): number {
    return this.logarithmic ? Math.log10(Math.max(Math.abs(x), 1e-17)) : x;
  }

  redraw(): void {
    const box = this.canvas.parentElement!;
    const width = box.clientWidth;
    const height = box.clientHeight;
    if (width === 0 || height === 0) return;
    const scale = Math.min(2, window.devicePixelRatio);
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const pen = this.canvas.getContext("2d")!;
    pen.scale(scale, scale);
    const heights = this.column.map((x) => this.height(x));
    let [low, high] = rangeOf(heights);
    if (!(high - low > 1e-12 * Math.abs(high))) {
      low -= 1;
      high += 1;
    }
    const { begin, end } = this.player;
    const x = (t: number) => (width * (t - begin)) / (end - begin || 1);
    const y = (h: number) => height - 3 - ((height - 6) * (h - low)) / (high - low);
    pen.strokeStyle = getComputedStyle(this.element).getPropertyValue("--accent");
    pen.lineWidth = 1.3;
    pen.beginPath();
    let drawing = false;
    heights.forEach((h, i) => {
      if (!Number.isFinite(h)) {
        drawing = false;
        return;
      }
      const steps = this.series.group === "rank" && drawing;
      if (steps) pen.lineTo(x(this.run.t[i]), y(heights[i - 1]));
      if (drawing) pen.lineTo(x(this.run.t[i]), y(h));
      else pen.moveTo(x(this.run.t[i]), y(h));
      drawing = true;
    });
    pen.stroke();
    this.show();
  }
}
