// The clock of the page: the time that is shown, and whether it runs. All parts listen to it.
import { cursorAt, type Cursor, type Run } from "./data.ts";

export const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export class Player {
  begin = 0;
  end = 0;
  playing = false;
  loop = true;
  pausesAtEvents = false;
  speed = 1;
  /** Times of events, each once, increasing. */
  stops: number[] = [];
  at: Cursor;
  private last = 0;
  private listeners: (() => void)[] = [];

  constructor(private readonly run: Run) {
    this.at = cursorAt(run.t, run.t[0]);
    this.readRun();
    // A run of milliseconds, or of hours, plays in some ten seconds.
    const span = this.end - this.begin;
    if (span > 0 && (span < 0.5 || span > 120)) this.speed = Number((span / 10).toPrecision(1));
  }

  private readRun(): void {
    const { t, header } = this.run;
    this.begin = t[0];
    this.end = t[t.length - 1];
    this.stops = [...new Set(header.events.map((e) => e.t))].sort((a, b) => a - b);
  }

  /** The run has become another one; the time stays. */
  renew(): void {
    this.readRun();
    this.seek(this.at.t);
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  seek(t: number): void {
    this.at = cursorAt(this.run.t, Math.min(Math.max(t, this.begin), this.end));
    this.tell();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.at.t >= this.end) this.seek(this.begin);
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame(this.frame);
    this.tell();
  }

  pause(): void {
    this.playing = false;
    this.tell();
  }

  private frame = (now: number): void => {
    if (!this.playing) return;
    const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    this.advance(passed * this.speed);
    requestAnimationFrame(this.frame);
  };

  /** Goes on by a time of the motion; at the end from the start, or stops. */
  advance(by: number): void {
    const t = this.at.t + by;
    const stop = this.pausesAtEvents && this.stops.find((s) => s > this.at.t && s <= t);
    if (stop) {
      this.playing = false;
      return this.seek(stop);
    }
    if (t < this.end) return this.seek(t);
    if (this.loop && this.end > this.begin) return this.seek(this.begin);
    this.playing = false;
    this.seek(this.end);
  }

  /** By rows, at least to the next one. */
  step(rows: number): void {
    this.playing = false;
    const { row, along } = this.at;
    const from = rows > 0 && along === 1 ? row + 1 : rows < 0 && along > 0 ? row + 1 : row;
    const to = Math.min(Math.max(from + rows, 0), this.run.t.length - 1);
    this.seek(this.run.t[to]);
  }

  /** To the next event, or the one before. False where there is none. */
  toEvent(direction: 1 | -1): boolean {
    const near = 1e-9 * (this.end - this.begin);
    const stop =
      direction > 0
        ? this.stops.find((t) => t > this.at.t + near)
        : this.stops.findLast((t) => t < this.at.t - near);
    if (stop === undefined) return false;
    this.playing = false;
    this.seek(stop);
    return true;
  }

  changeSpeed(direction: 1 | -1): void {
    const next =
      direction > 0
        ? speeds.find((s) => s > this.speed * 1.001)
        : speeds.findLast((s) => s < this.speed * 0.999);
    if (next !== undefined) this.speed = next;
    this.tell();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tell();
  }
}
