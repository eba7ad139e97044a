// A model of which nothing has a place, only coordinates: each coordinate is shown as a bead on a
// line of its own, from its least to its largest value.
import { rangeOf, type Item, type Run } from "./data.ts";

const most = 16;
const rounding = 1e-12; // a coordinate that changes by less rests

/** The run with beads and lines added, where it has nothing else to show. */
export function withBeads(run: Run): Run {
  const { header } = run;
  if (header.items.length > 0 || header.bodies.length > 0) return run;
  const coordinates = header.series.filter((one) => one.group === "coordinate").slice(0, most);
  const columns = [...run.columns];
  const rates = run.columns.map((_, i) => header.rates?.[i] ?? -1);
  const rows = run.t.length;
  const constant = (value: number) => columns.push(new Float32Array(rows).fill(value)) - 1;
  const zero = constant(0);
  const [left, right, words] = [constant(-1), constant(1), constant(1.06)];
  const step = 2 / Math.max(4, coordinates.length);
  const items: Item[] = coordinates.flatMap(({ name, column }, i) => {
    const [low, high] = rangeOf(run.columns[column]);
    const half = high - low > rounding ? (high - low) / 2 : 1;
    const middle = (low + high) / 2;
    const x = columns.push(run.columns[column].map((q) => (q - middle) / half)) - 1;
    if ((rates[column] ?? -1) >= 0)
      rates[x] = columns.push(run.columns[rates[column]].map((v) => v / half)) - 1;
    const y = constant(-i * step);
    const line: Item = { kind: "line", at: [[left, y, zero], [right, y, zero]] }; // prettier-ignore
    const bead: Item = {
      kind: "point",
      particle: true,
      name,
      at: [[x, y, zero]],
      coordinates: [name],
    };
    return [line, bead, { kind: "text", name, at: [[words, y, zero]] }];
  });
  const left_out = [
    ...header.left_out,
    "Nothing in the model has a place: its coordinates are shown as beads on lines, each from its least to its largest value. Particles, bodies or draw statements give a picture.",
  ];
  return { t: run.t, columns, header: { ...header, rates, planar: true, items, left_out } };
}
