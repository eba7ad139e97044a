// Plots of the outputs beside the picture, and of what is clicked: uPlot draws them once, and a line
// that moves marks the time.
import uPlot from "uplot";
import { series as colors } from "./colors.ts";
import { cursorAt, fineTimes, numberAt, rangeOf, shown, type Run, type Series } from "./data.ts";
import { button, el } from "./dom.ts";
import type { Player } from "./player.ts";

const mostCurves = 6; // of a plot
const factor = 30; // between the sizes of curves that share a plot

/** Curves of one size share a plot, as in --plot (picture/panels.hpp). */
export function panelsOf(run: Run, all: Series[]): Series[][] {
  const panels: { sizes: number[]; series: Series[] }[] = [];
  for (const one of all) {
    const own = sizeOf(run, one);
    const fits = (other: number) =>
      Math.min(own, other) <= 1e-300 || Math.max(own, other) <= factor * Math.min(own, other);
    const panel = panels.find((p) => p.series.length < mostCurves && p.sizes.every(fits));
    if (panel) {
      panel.series.push(one);
      panel.sizes.push(own);
    } else panels.push({ sizes: [own], series: [one] });
  }
  return panels.map((p) => p.series);
}

const noiseLevel = 1e-11; // of tolerances and rounding, as in --plot (picture/plot.cpp)

const sizeOf = (run: Run, one: Series): number => {
  const [low, high] = rangeOf(run.columns[one.column]);
  return Math.max(Math.abs(low), Math.abs(high));
};

/** Curves that are not zero, but rounding beside the motion. */
export function roundingIn(run: Run, all: Series[]): Series[] {
  const moves = run.header.series.filter((one) => ["coordinate", "velocity"].includes(one.group));
  const scale = Math.max(0, ...moves.map((one) => sizeOf(run, one)));
  return all.filter((one) => {
    const own = sizeOf(run, one);
    return own > 0 && own <= noiseLevel * scale;
  });
}

/** Columns of two runs over the times of both. */
export function together(run: Run, other: Run, names: string[]): (number | null)[][] {
  const times = [...new Set([...run.t, ...other.t])].sort((a, b) => a - b);
  const curves = [run, other].flatMap((one) =>
    names.map((name) => {
      const series = one.header.series.find((s) => s.name === name);
      const last = one.t[one.t.length - 1];
      if (!series) return times.map(() => null);
      return times.map((t) => {
        if (t < one.t[0] || t > last) return null;
        const x = numberAt(one, series.column, cursorAt(one.t, t));
        return Number.isFinite(x) ? x : null;
      });
    }),
  );
  return [times, ...curves];
}

class Plot {
  readonly element: HTMLElement;
  private chart: uPlot | undefined;
  private readonly now = el("i", { class: "now" });
  private readonly values: HTMLElement[] = [];
  private readonly box = el("div", { class: "chart" });

  constructor(
    private readonly run: Run,
    private readonly player: Player,
    private series: Series[],
    private readonly firstColor: number,
    private other: Run | undefined,
    close?: () => void,
  ) {
    const legend = el("div", { class: "legend" });
    series.forEach((one, i) => {
      const value = el("b");
      this.values.push(value);
      const sign = el("i", { style: `background: ${this.color(i)}` });
      legend.append(el("span", {}, sign, one.name, value));
    });
    if (close) legend.append(button("Close this plot", "×", close));
    this.element = el("figure", { class: "plot" }, legend, this.box);
    this.box.append(this.now);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  private color(i: number): string {
    return colors[(this.firstColor + i) % colors.length];
  }

  /** Of another run, beside a third one; false where it has not all these columns. */
  renew(other: Run | undefined): boolean {
    const found = this.series.map((one) => this.run.header.series.find((s) => s.name === one.name));
    if (!found.every((one) => one !== undefined)) return false;
    const before = this.other;
    this.other = other;
    this.series = found;
    if (this.chart && !before === !other) this.chart.setData(this.data(this.box.clientWidth));
    else this.draw();
    this.show();
    return true;
  }

  private data(width: number): uPlot.AlignedData {
    const names = this.series.map((one) => one.name);
    if (this.other) return together(this.run, this.other, names) as uPlot.AlignedData;
    const times = fineTimes(this.run.t, width);
    return [
      times as unknown as number[],
      ...this.series.map((one) => curve(this.run, one.column, times)),
    ];
  }

  draw(): void {
    const width = this.box.clientWidth;
    if (width < 20) return;
    this.chart?.destroy();
    const style = getComputedStyle(this.box);
    const ink = style.getPropertyValue("--dim");
    const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
    const axis = { stroke: ink, grid, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    this.chart = new uPlot(
      {
        width,
        height: 132,
        padding: [8, 18, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        hooks: { ready: [() => this.show()] }, // places are known from then on
        axes: [
          { ...axis, size: 24, values: (_, ticks) => ticks.map((x) => shown(x, 6)) },
          { ...axis, size: 50, space: 26, values: (_, ticks) => ticks.map((x) => shown(x, 4)) },
        ],
        series: [
          {},
          ...[[], [4, 4]].slice(0, this.other ? 2 : 1).flatMap((dash) =>
            this.series.map((_, i) => ({
              stroke: this.color(i),
              width: dash.length ? 1.2 : 1.5,
              dash,
              points: { show: false },
            })),
          ),
        ],
      },
      this.data(width),
      this.box,
    );
    const seek = (event: PointerEvent) => {
      if (event.type === "pointermove" && event.buttons === 0) return;
      const frame = this.chart!.over.getBoundingClientRect();
      this.player.pause();
      this.player.seek(this.chart!.posToVal(event.clientX - frame.left, "x"));
    };
    this.chart.over.addEventListener("pointerdown", seek);
    this.chart.over.addEventListener("pointermove", seek);
    this.chart.over.append(this.now);
    this.show();
  }

  show(): void {
    if (!this.chart) return;
    this.now.style.left = `${this.chart.valToPos(this.player.at.t, "x")}px`;
    this.series.forEach((one, i) => {
      this.values[i].textContent = shown(numberAt(this.run, one.column, this.player.at), 5);
    });
  }

  destroy(): void {
    this.chart?.destroy();
    this.element.remove();
  }
}

/** uPlot takes null for a gap. */
function curve(run: Run, column: number, times: Float64Array): (number | null)[] {
  return Array.from(times, (t) => {
    const x = numberAt(run, column, cursorAt(run.t, t));
    return Number.isFinite(x) ? x : null;
  });
}

export class Plots {
  readonly element = el("div", { class: "plots" });
  private plots: { plot: Plot; names: string }[] = [];
  private readonly note = el("p", { class: "note" });
  private other: Run | undefined;

  constructor(
    private readonly run: Run,
    private readonly player: Player,
  ) {
    this.addFirst();
    player.listen(() => this.show());
  }

  /** Plots of what is asked for. */
  private addFirst(): void {
    const { run } = this;
    const of = (group: string) => run.header.series.filter((one) => one.group === group);
    const outputs = of("output");
    const asked = outputs.length ? outputs : of("coordinate").slice(0, mostCurves);
    const quiet = roundingIn(run, asked);
    const loud = asked.filter((one) => !quiet.includes(one));
    const shownFirst = panelsOf(run, loud).slice(0, 8);
    let color = 0;
    for (const panel of shownFirst) {
      this.add(panel, color);
      color += panel.length;
    }
    const most = (one: Series) => `${one.name} (at most ${shown(sizeOf(run, one), 2)})`;
    this.note.textContent = `Zero to within rounding: ${quiet.map(most).join(", ")}`;
    if (quiet.length) this.element.append(this.note);
    else this.note.remove();
  }

  /** The run has become another one. Plots stay as they are where the new one has their columns. */
  renew(): void {
    if (this.plots.every(({ plot }) => plot.renew(this.other))) return;
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    this.addFirst();
  }

  /** With the curves of another run, dashed. */
  compare(other: Run | undefined): void {
    this.other = other;
    this.renew();
  }

  private add(series: Series[], color: number, closes = false): void {
    const names = series.map((one) => one.name).join(",");
    if (this.plots.some((one) => one.names === names)) return;
    const close = closes ? () => this.remove(names) : undefined;
    const plot = new Plot(this.run, this.player, series, color, this.other, close);
    this.plots.push({ plot, names });
    if (closes) this.element.prepend(plot.element);
    else this.element.append(plot.element);
  }

  private remove(names: string): void {
    const found = this.plots.find((one) => one.names === names);
    found?.plot.destroy();
    this.plots = this.plots.filter((one) => one !== found);
  }

  /** Plots columns over time, above the others. */
  plot(names: string[]): void {
    const wanted = this.run.header.series.filter((one) => names.includes(one.name));
    for (const panel of panelsOf(this.run, wanted)) this.add(panel, 0, true);
  }

  show(): void {
    if (this.element.offsetParent === null) return;
    for (const { plot } of this.plots) plot.show();
  }

  redraw(): void {
    for (const { plot } of this.plots) plot.draw();
  }
}
