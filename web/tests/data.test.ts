// Unpacking, times and texts of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cursorAt,
  eventText,
  fineTimes,
  numberAt,
  readRun,
  shown,
  unpackColumns,
  valueAt,
  type Run,
} from "../src/data.ts";
import { pointsAt } from "../src/traces.ts";

/** The packing of page_data.cpp, written again. */
function pack(columns: number[][]): Uint8Array {
  const rows = columns[0].length;
  const count = rows * columns.length;
  const bytes = new Uint8Array(4 * count);
  const view = new DataView(new ArrayBuffer(4));
  let at = 0;
  for (const column of columns) {
    let last = 0;
    for (const x of column) {
      view.setFloat32(0, x);
      const bits = view.getInt32(0);
      const difference = (bits - last) | 0;
      last = bits;
      const folded = (difference << 1) ^ (difference >> 31);
      for (let plane = 0; plane < 4; ++plane) bytes[plane * count + at] = folded >>> (8 * plane);
      ++at;
    }
  }
  return bytes;
}

const fround = (column: number[]) => column.map(Math.fround);

test("columns come back to the bit", () => {
  const columns = [
    [0, -0, 1.5, -3e30],
    [Infinity, -Infinity, 1e-40, Math.PI],
  ];
  const back = unpackColumns(pack(columns), 4, 2);
  assert.deepEqual([...back[0]], fround(columns[0]));
  assert.deepEqual([...back[1]], fround(columns[1]));
  assert.ok(Object.is(back[0][1], -0));
});

test("a run is header, times and columns", () => {
  const header = { title: "é", rows: 2, columns: 1 };
  let text = JSON.stringify(header);
  while ((new TextEncoder().encode(text).length + 4) % 8 !== 0) text += " ";
  const json = new TextEncoder().encode(text);
  const times = new Uint8Array(new Float64Array([0.1, 0.2]).buffer);
  const numbers = pack([[7, 8]]);
  const bytes = new Uint8Array(4 + json.length + 16 + numbers.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(times, 4 + json.length);
  bytes.set(numbers, 20 + json.length);
  const run = readRun(bytes);
  assert.equal(run.header.title, "é");
  assert.deepEqual([...run.t], [0.1, 0.2]);
  assert.deepEqual([...run.columns[0]], [7, 8]);
});

test("between rows numbers lie on a line", () => {
  const t = new Float64Array([0, 1, 3]);
  const column = new Float32Array([10, 20, 0]);
  assert.equal(valueAt(column, cursorAt(t, 0.5)), 15);
  assert.equal(valueAt(column, cursorAt(t, 2)), 10);
  assert.equal(valueAt(column, cursorAt(t, 3)), 0);
  assert.equal(valueAt(column, cursorAt(t, -5)), 10);
  assert.equal(valueAt(column, cursorAt(t, 9)), 0);
});

/** A run of one column and its rate. */
function curved(t: number[], values: number[], rates: number[]): Run {
  return {
    header: { rates: [1, -1] },
    t: Float64Array.from(t),
    columns: [Float32Array.from(values), Float32Array.from(rates)],
  } as unknown as Run;
}

test("with a rate numbers lie on the cubic curve", () => {
  // x = t^3 is one: its numbers and rates at 1 and 3 give it everywhere between.
  const run = curved([1, 3], [1, 27], [3, 27]);
  for (const t of [1, 1.5, 2, 2.7, 3])
    assert.ok(Math.abs(numberAt(run, 0, cursorAt(run.t, t)) - t ** 3) < 1e-5);
  assert.equal(numberAt(run, 1, cursorAt(run.t, 2)), 15);
});

test("where a rate is no number the line is taken", () => {
  const run = curved([0, 1], [0, 2], [NaN, 1]);
  assert.equal(numberAt(run, 0, cursorAt(run.t, 0.25)), 0.5);
});

test("fine times have all rows, and pieces of equal length between them", () => {
  const times = Float64Array.from([0, 1, 3]);
  assert.deepEqual([...fineTimes(times, 6)], [0, 0.5, 1, 2, 3]);
  assert.equal(fineTimes(times, 3), times);
});

test("traces move on straight lines between their times", () => {
  const trace = {
    name: "wire",
    constraint: "wire",
    low: [1, 0, 0],
    unit: 0.5,
    times: [0, 2],
    frames: [
      [0, 0, 0],
      [4, 2, 0],
    ],
  };
  assert.deepEqual([...pointsAt(trace, 1)], [2, 0.5, 0]);
  assert.deepEqual([...pointsAt(trace, 9)], [3, 1, 0]);
});

test("numbers for people", () => {
  assert.equal(shown(0), "0");
  assert.equal(shown(1.5), "1.5");
  assert.equal(shown(-2.25), "−2.25");
  assert.equal(shown(120), "120");
  assert.equal(shown(1e-9), "1e−9");
  assert.equal(shown(-1.25e-9), "−1.25e−9");
  assert.equal(shown(NaN), "–");
});

test("events say what happened", () => {
  assert.equal(eventText({ t: 1, kind: "impact", name: "floor" }), "impact: floor");
  assert.equal(
    eventText({ t: 1, kind: "rank", name: "", rank: [3, 2], constraints: ["a", "b"] }),
    "rank of the constraints: 3 → 2 (a, b)",
  );
});
