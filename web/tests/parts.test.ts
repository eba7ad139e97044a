// Which curves share a plot, what is saved, and models of which nothing has a place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withBeads } from "../src/beads.ts";
import type { Run } from "../src/data.ts";
import { panelsOf, roundingIn } from "../src/plots.ts";
import { csv, fileName } from "../src/saving.ts";

function run(columns: Record<string, number[]>, group = "output"): Run {
  const names = Object.keys(columns);
  const rows = columns[names[0]].length;
  return {
    header: {
      title: "A «run», 2",
      items: [],
      bodies: [],
      left_out: [],
      series: names.map((name, column) => ({ name, group, column })),
    },
    t: Float64Array.from({ length: rows }, (_, i) => i / 10),
    columns: names.map((name) => Float32Array.from(columns[name])),
  } as unknown as Run;
}

const names = (one: Run) =>
  panelsOf(one, one.header.series).map((p) => p.map((s) => s.name).join(" "));

test("curves of one size share a plot", () => {
  const one = run({ a: [1, 2], b: [-20, 3], energy: [1000, 1000], tiny: [1e-9, 0], zero: [0, 0] });
  assert.deepEqual(names(one), ["a b zero", "energy", "tiny"]);
});

test("no more than six share a plot", () => {
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`y${i}`, [1, 1]]));
  assert.deepEqual(
    names(run(many)).map((text) => text.split(" ").length),
    [6, 2],
  );
});

test("what is rounding beside the motion is told from what is small", () => {
  const one = run({ x: [2, -3], noise: [1e-13, 0], small: [1e-9, 0], zero: [0, 0] });
  one.header.series[0].group = "coordinate";
  const outputs = one.header.series.slice(1);
  assert.deepEqual(
    roundingIn(one, outputs).map((series) => series.name),
    ["noise"],
  );
});

test("saved numbers read back to the same floats", () => {
  const values = [Math.fround(0.1), Math.fround(1 / 3), -0, 1e-40, 3e38];
  const lines = csv(run({ 'a "b", c': values }))
    .trim()
    .split("\n");
  assert.equal(lines[0], 't,"a ""b"", c"');
  lines.slice(1).forEach((line, i) => {
    assert.equal(Math.fround(Number(line.split(",")[1])), Math.fround(values[i]));
  });
  assert.equal(csv(run({ a: [NaN] })), "t,a\n0,nan\n");
});

test("files are named by the title", () => {
  assert.equal(fileName(run({ a: [0] }), "png"), "a-run-2.png");
});

test("coordinates without a place are beads from their least to their largest value", () => {
  const beads = withBeads(run({ q: [2, 4, 3], s: [5, 5, 5] }, "coordinate"));
  const points = beads.header.items.filter((item) => item.kind === "point");
  assert.deepEqual(
    points.map((item) => item.name),
    ["q", "s"],
  );
  assert.deepEqual([...beads.columns[points[0].at[0][0]]], [-1, 1, 0]);
  assert.deepEqual([...beads.columns[points[1].at[0][0]]], [0, 0, 0]);
  assert.equal(beads.header.left_out.length, 1);
});
