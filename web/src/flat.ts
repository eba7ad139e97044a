// The picture without WebGL: points, lines and outlines on a plain canvas. Space is seen from a
// fixed direction, or one of the standard views.
import { colorOf, palettes, series } from "./colors.ts";
import { atRow, numberAt, type Cursor, type Run, type Spot } from "./data.ts";
import type { Picked } from "./things.ts";
import { pointsAt } from "./traces.ts";
import type { Settings, Standard, View } from "./view.ts";

type Vector = [number, number, number];

export class Flat implements View {
  readonly element = document.createElement("canvas");
  readonly leftOut = [
    "This browser has no WebGL: the picture is drawn without surfaces, light, ghosts or following, and nothing can be dragged.",
  ];
  onPick: (picked: Picked | undefined) => void = () => {};
  onCamera: () => void = () => {};
  private settings: Settings | undefined;
  private at: Cursor;
  private right: Vector = [1, 0, 0];
  private up: Vector = [0, 1, 0];
  private middle: [number, number] = [0, 0];
  private zoom = 1;
  private picked: Picked | undefined;
  private points: { x: number; y: number; item: number }[] = [];

  constructor(
    private readonly run: Run,
    private readonly host: HTMLElement,
  ) {
    this.at = atRow(run.t, 0);
    host.prepend(this.element);
    this.look("home");
    new ResizeObserver(() => this.look("home")).observe(host);
    this.element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom *= Math.exp(-0.001 * event.deltaY);
      this.draw();
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) return;
      this.middle[0] -= event.movementX / this.zoom;
      this.middle[1] += event.movementY / this.zoom;
      this.draw();
    });
    this.element.addEventListener("click", (event) => this.click(event));
  }

  private vector(spot: Spot): Vector {
    return spot.map((c) => numberAt(this.run, c, this.at)) as Vector;
  }

  private flat(v: Vector): [number, number] {
    const dot = (a: Vector) => a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
    return [dot(this.right), dot(this.up)];
  }

  private screen(v: Vector): [number, number] {
    const [x, y] = this.flat(v);
    const { width, height } = this.element;
    return [
      width / 2 + (x - this.middle[0]) * this.zoom,
      height / 2 - (y - this.middle[1]) * this.zoom,
    ];
  }

  look(from: Standard): void {
    const { planar, gravity } = this.run.header;
    const yUp = planar || (gravity[1] !== 0 && gravity[2] === 0);
    const c = Math.cos(0.5);
    const s = Math.sin(0.5);
    if (planar || from === "front")
      [this.right, this.up] = [[1, 0, 0], yUp ? [0, 1, 0] : [0, 0, 1]];
    else if (from === "side") [this.right, this.up] = [[0, 1, 0], yUp ? [0, 0, 1] : [0, 0, 1]];
    else if (from === "top") [this.right, this.up] = [[1, 0, 0], yUp ? [0, 0, -1] : [0, 1, 0]];
    else
      [this.right, this.up] = yUp
        ? [
            [c, 0, -s],
            [-0.4 * s, 0.92, -0.4 * c],
          ]
        : [
            [c, s, 0],
            [-0.4 * s, 0.4 * c, 0.92],
          ];
    this.element.width = this.host.clientWidth;
    this.element.height = this.host.clientHeight;
    this.fit();
    this.draw();
  }

  private fit(): void {
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    const stride = Math.max(1, Math.floor(this.run.t.length / 100));
    const kept = this.at;
    const spots = this.run.header.items
      .filter((item) => item.kind !== "floor")
      .flatMap((item) => item.at)
      .concat(this.run.header.bodies.filter((b) => b.name).map((b) => b.at));
    for (let row = 0; row < this.run.t.length - 1; row += stride) {
      this.at = atRow(this.run.t, row);
      for (const spot of spots)
        this.flat(this.vector(spot)).forEach((x, k) => {
          if (!Number.isFinite(x)) return;
          low[k] = Math.min(low[k], x);
          high[k] = Math.max(high[k], x);
        });
    }
    this.at = kept;
    if (!Number.isFinite(low[0])) return;
    this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    const size = Math.max(high[0] - low[0], high[1] - low[1], 1e-9);
    this.zoom =
      0.8 *
      Math.min(
        this.element.width / Math.max(high[0] - low[0], 0.3 * size),
        this.element.height / Math.max(high[1] - low[1], 0.3 * size),
      );
  }

  show(at: Cursor): void {
    this.at = at;
    this.draw();
  }

  apply(settings: Settings): void {
    this.settings = { ...settings };
    this.draw();
  }

  private draw(): void {
    const pen = this.element.getContext("2d");
    if (!pen || !this.settings) return;
    const palette = palettes[this.settings.theme];
    pen.fillStyle = palette.back;
    pen.fillRect(0, 0, this.element.width, this.element.height);
    pen.lineCap = "round";
    if (this.settings.trails) this.drawTrails(pen, palette.trail);
    this.drawTraces(pen, palette.line);
    this.drawBodies(pen);
    this.points = [];
    this.run.header.items.forEach((item, number) => {
      const color = item.color
        ? colorOf(item.color)
        : palette[
            item.kind === "point"
              ? "particle"
              : item.kind === "circle"
                ? "line"
                : item.kind === "arrow"
                  ? "trail"
                  : item.kind
          ];
      pen.strokeStyle = pen.fillStyle = color;
      const places = item.at.map((spot) => this.screen(this.vector(spot)));
      if (item.kind === "point") {
        this.points.push({ x: places[0][0], y: places[0][1], item: number });
        const wide = this.run.header.items.length > 1000 ? 1.5 : 6;
        pen.beginPath();
        pen.arc(places[0][0], places[0][1], this.picked?.item === number ? 2 * wide : wide, 0, 7);
        pen.fill();
      } else if (item.kind === "circle") {
        pen.lineWidth = 2;
        pen.beginPath();
        const radius = numberAt(this.run, item.radius!, this.at) * this.zoom;
        pen.arc(places[0][0], places[0][1], Math.max(0, radius), 0, 7);
        pen.stroke();
      } else if (item.kind === "text") {
        pen.font = "16px system-ui, sans-serif";
        pen.fillText(item.name ?? "", places[0][0] + 6, places[0][1]);
      } else if (item.kind === "floor") {
        const [dx, dy] = this.flat(this.vector(item.at[1]));
        const length = Math.hypot(dx, dy) || 1;
        const reach = 4000;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.moveTo(places[0][0] - (reach * dy) / length, places[0][1] - (reach * dx) / length);
        pen.lineTo(places[0][0] + (reach * dy) / length, places[0][1] + (reach * dx) / length);
        pen.stroke();
      } else {
        pen.lineWidth = item.kind === "rod" ? 4 : 3;
        pen.setLineDash(item.kind === "spring" ? [4, 4] : []);
        this.line(pen, places);
        pen.setLineDash([]);
      }
    });
    if (this.settings.forces) this.drawForces(pen, palette);
  }

  private line(pen: CanvasRenderingContext2D, places: [number, number][]): void {
    pen.beginPath();
    places.forEach(([x, y], i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
    pen.stroke();
  }

  private drawTrails(pen: CanvasRenderingContext2D, color: string): void {
    const now = this.at;
    pen.strokeStyle = color;
    pen.lineWidth = 1.5;
    for (const item of this.run.header.items) {
      if (!item.trail) continue;
      const places: [number, number][] = [];
      for (let row = 0; row <= now.row; ++row) {
        this.at = atRow(this.run.t, row);
        places.push(this.screen(this.vector(item.at[0])));
      }
      this.at = now;
      places.push(this.screen(this.vector(item.at[0])));
      this.line(pen, places);
    }
  }

  /** Curves; of surfaces a plain canvas shows nothing. */
  private drawTraces(pen: CanvasRenderingContext2D, color: string): void {
    pen.strokeStyle = color;
    pen.lineWidth = 2;
    for (const trace of this.run.header.traces ?? []) {
      if (trace.triangles) continue;
      const points = pointsAt(trace, this.at.t);
      const places: [number, number][] = [];
      for (let i = 0; i < points.length; i += 3)
        places.push(this.screen([points[i], points[i + 1], points[i + 2]]));
      this.line(pen, places);
    }
  }

  /** Boxes and rectangles by their edges, round things by their circle, others by their frame. */
  private drawBodies(pen: CanvasRenderingContext2D): void {
    this.run.header.bodies.forEach((body, number) => {
      pen.strokeStyle = pen.fillStyle = series[number % series.length];
      pen.lineWidth = 2;
      const at = this.vector(body.at);
      const R = body.R.map((c) => numberAt(this.run, c, this.at));
      const world = (p: number[]): Vector =>
        [0, 1, 2].map(
          (i) => at[i] + R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2],
        ) as Vector;
      if (body.shapes.length === 0)
        this.line(pen, [this.screen(at), this.screen(world(body.center))]);
      for (const shape of body.shapes) {
        const own = (p: number[]) =>
          [0, 1, 2].map(
            (i) =>
              shape.at[i] +
              shape.R[3 * i] * p[0] +
              shape.R[3 * i + 1] * p[1] +
              shape.R[3 * i + 2] * p[2],
          );
        const [a, b, c = 0] = shape.sizes;
        if (shape.kind === "box" || shape.kind === "rectangle") {
          const corner = (i: number) =>
            this.screen(
              world(
                own([((i & 1) - 0.5) * a, (((i >> 1) & 1) - 0.5) * b, (((i >> 2) & 1) - 0.5) * c]),
              ),
            );
          for (let i = 0; i < 8; ++i)
            for (const bit of [1, 2, 4])
              if (!(i & bit)) this.line(pen, [corner(i), corner(i | bit)]);
        } else if (shape.kind === "plane" || shape.kind === "line") {
          const far = 1e3;
          this.line(pen, [
            this.screen(world(own([-far, 0, 0]))),
            this.screen(world(own([far, 0, 0]))),
          ]);
        } else if (a > 0) {
          const [x, y] = this.screen(world(own([0, 0, 0])));
          pen.beginPath();
          pen.arc(x, y, a * this.zoom, 0, 7);
          pen.stroke();
          this.line(pen, [[x, y], this.screen(world(own([a, 0, 0])))]);
        }
      }
    });
  }

  private drawForces(pen: CanvasRenderingContext2D, palette: (typeof palettes)["dark"]): void {
    const { arrows } = this.run.header;
    const forces = arrows.map((arrow) =>
      arrow.turns
        ? ([0, 0, 0] as Vector)
        : this.vector([arrow.force, arrow.force + 1, arrow.force + 2]),
    );
    const most = Math.max(...forces.map((f) => Math.hypot(...f)), 1e-300);
    const unit = (0.15 * this.element.height * (this.settings?.forceScale ?? 1)) / most / this.zoom;
    arrows.forEach((arrow, i) => {
      const from = this.vector(arrow.at);
      pen.strokeStyle = palette[arrow.kind];
      pen.lineWidth = 3;
      const to = from.map((x, k) => x + unit * forces[i][k]) as Vector;
      this.line(pen, [this.screen(from), this.screen(to)]);
    });
  }

  private click(event: MouseEvent): void {
    const frame = this.element.getBoundingClientRect();
    const near = this.points
      .map((p) => ({
        ...p,
        d: Math.hypot(p.x - event.clientX + frame.left, p.y - event.clientY + frame.top),
      }))
      .filter((p) => p.d < 14)
      .sort((a, b) => a.d - b.d)[0];
    this.onPick(near ? { item: near.item } : undefined);
  }

  select(picked: Picked | undefined): void {
    this.picked = picked;
    this.draw();
  }

  /** Nothing is pulled here, and no other run is shown. */
  onPull: undefined;
  compare(): void {}

  renew(home: boolean): void {
    if (home) this.look("home");
    else this.draw();
  }

  camera(): string {
    return "";
  }

  setCamera(): boolean {
    return false;
  }

  picture(): HTMLCanvasElement {
    this.draw();
    return this.element;
  }
}
