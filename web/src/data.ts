// The run in the page: unpacks it, and tells every number at every time.

/** Numbers of columns: of a place three, of a pose nine more. */
export type Spot = [number, number, number];

export interface Item {
  kind: "point" | "line" | "circle" | "spring" | "arrow" | "text" | "rod" | "rope" | "floor";
  at: Spot[];
  name?: string;
  color?: string;
  trail?: boolean;
  radius?: number;
  particle?: boolean;
  constraint?: string;
  coordinates?: string[];
}

export interface Shape {
  kind: string;
  sizes: number[];
  at: number[];
  R: number[];
  scale?: number[];
  points?: number[];
  triangles?: number[];
}

export interface Body {
  name: string;
  parent: number;
  at: Spot;
  R: number[];
  center: number[];
  axis?: number[];
  axes?: number[];
  shapes: Shape[];
  coordinates?: string[];
}

export interface Series {
  name: string;
  group: string;
  column: number;
}

export interface Arrow {
  name: string;
  kind: "constraint" | "contact" | "control";
  at: Spot;
  force: number;
  turns?: boolean; // a torque
}

/** A curve, or with triangles a surface, on which constraints hold a point (page/traces.hpp). */
export interface Trace {
  name: string;
  constraint: string;
  low: number[];
  unit: number;
  times: number[];
  frames: number[][];
  oneSided?: boolean;
  triangles?: number[];
}

export interface RunEvent {
  t: number;
  kind: string;
  name: string;
  rank?: [number, number];
  passed?: boolean;
  constraints?: string[];
  actuator?: string;
}

export interface Header {
  title: string;
  text: string;
  file: string;
  planar: boolean;
  gravity: number[];
  facts: [string, string][];
  thin: { of: number; error: number; curved?: boolean };
  left_out: string[];
  latex?: string;
  items: Item[];
  bodies: Body[];
  series: Series[];
  rates?: number[]; // of each column that of its rate, or -1
  traces?: Trace[];
  arrows: Arrow[];
  events: RunEvent[];
  rows: number;
  columns: number;
}

/** A run: its times, its columns of numbers, and what they mean. */
export interface Run {
  header: Header;
  t: Float64Array;
  columns: Float32Array[];
}

/** A time among the rows: between `row` and the next one, `step` later, `along` of the way. */
export interface Cursor {
  t: number;
  row: number;
  along: number;
  step: number;
}

/**
 * Packed columns (page_data.hpp): of each the differences of the bits of its floats, folded; the
 * first bytes of all numbers, then the second ones, and so on.
 */
export function unpackColumns(bytes: Uint8Array, rows: number, columns: number): Float32Array[] {
  const count = rows * columns;
  const result: Float32Array[] = [];
  let at = 0;
  for (let c = 0; c < columns; ++c) {
    const bits = new Uint32Array(rows);
    let last = 0;
    for (let i = 0; i < rows; ++i, ++at) {
      const number =
        bytes[at] |
        (bytes[count + at] << 8) |
        (bytes[2 * count + at] << 16) |
        (bytes[3 * count + at] << 24);
      last = (last + ((number >>> 1) ^ -(number & 1))) | 0;
      bits[i] = last;
    }
    result.push(new Float32Array(bits.buffer));
  }
  return result;
}

/** The bytes that the page holds: the length of the JSON text, the text, times, columns. */
export function readRun(bytes: Uint8Array): Run {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Header;
  const begin = 4 + length;
  const t = new Float64Array(header.rows);
  for (let i = 0; i < header.rows; ++i) t[i] = view.getFloat64(begin + 8 * i, true);
  const columns = unpackColumns(
    bytes.subarray(begin + 8 * header.rows),
    header.rows,
    header.columns,
  );
  return { header, t, columns };
}

/** Base64 of gzip, unpacked by the browser. */
export async function unpackText(text: string): Promise<Uint8Array> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Where a time lies among the rows. */
export function cursorAt(times: Float64Array, t: number): Cursor {
  const last = times.length - 1;
  if (last < 1 || t <= times[0]) return atRow(times, 0);
  if (t >= times[last])
    return { t: times[last], row: last - 1, along: 1, step: times[last] - times[last - 1] };
  let low = 0,
    high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  const step = times[high] - times[low];
  return { t, row: low, along: (t - times[low]) / step, step };
}

export function atRow(times: Float64Array, row: number): Cursor {
  return { t: times[row], row, along: 0, step: 0 };
}

/**
 * What the numbers and the rates at both ends of an interval are multiplied by: the cubic curve of
 * Hermite.
 */
export function weightsAt({ along: s, step: h }: Cursor): [number, number, number, number] {
  const r = 1 - s;
  return [r * r * (1 + 2 * s), s * s * (3 - 2 * s), h * s * r * r, -h * s * s * r];
}

/** A column of the run at a time: by a cubic curve where its rate is known, else by a line. */
export function numberAt(run: Run, column: number, at: Cursor): number {
  const values = run.columns[column];
  const rates = run.columns[run.header.rates?.[column] ?? -1];
  if (!rates || at.along === 0) return valueAt(values, at);
  const [a, b, c, d] = weightsAt(at);
  const { row } = at;
  const value = a * values[row] + b * values[row + 1] + c * rates[row] + d * rates[row + 1];
  return Number.isFinite(value) ? value : valueAt(values, at);
}

/** Times between which lines look like the curves they stand for: rows, and some between them. */
export function fineTimes(times: Float64Array, wanted: number): Float64Array {
  const pieces = Math.min(8, Math.ceil(wanted / Math.max(1, times.length)));
  if (pieces < 2 || times.length < 2) return times;
  const fine = new Float64Array((times.length - 1) * pieces + 1);
  for (let i = 0; i + 1 < times.length; ++i)
    for (let k = 0; k < pieces; ++k)
      fine[i * pieces + k] = times[i] + (k / pieces) * (times[i + 1] - times[i]);
  fine[fine.length - 1] = times[times.length - 1];
  return fine;
}

/** A column at a time, by a straight line between rows. */
export function valueAt(column: Float32Array, at: Cursor): number {
  const from = column[at.row];
  if (column.length < 2 || at.along === 0) return from;
  return from + at.along * (column[at.row + 1] - from);
}

export function rangeOf(column: Float32Array): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (const x of column) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return [low, high];
}

/** A number for people: six digits, no more than it needs. */
export function shown(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-3 ? value.toExponential(2) : value.toPrecision(digits);
  return text
    .replace(/(\.\d*?)0+(e|$)/, "$1$2")
    .replace(/\.(e|$)/, "$1")
    .replaceAll("-", "−");
}

/** What an event says on hover. */
export function eventText(event: RunEvent): string {
  const named = event.name ? `: ${event.name}` : "";
  switch (event.kind) {
    case "rank": {
      const [before, after] = event.rank ?? [0, 0];
      const rows = event.constraints?.length ? ` (${event.constraints.join(", ")})` : "";
      return event.passed
        ? `singular position passed${rows}; the rank was ${after} for an instant`
        : `rank of the constraints: ${before} → ${after}${rows}`;
    }
    case "switch":
      return `a decision turns${named}`;
    case "impact":
      return `impact${named}`;
    case "contact":
      return `contact closes${named}`;
    case "release":
      return `contact opens${named}`;
    case "settled":
      return `bounces come to their end${named}`;
    case "stick":
      return `friction holds${named}`;
    case "slip":
      return `begins to slide${named}`;
    case "saturation":
      return `effort at its limit: ${event.actuator ?? event.name}`;
    default:
      return event.name || event.kind;
  }
}
