// The live page without a browser: command lines, answers, curves of two runs.
import assert from "node:assert/strict";
import test from "node:test";
import { commandLine, readAnswer, shellWord, type Model, type Wishes } from "../src/asking.ts";
import { isEmpty, stepOf, tidy } from "../src/controls.ts";
import type { Run } from "../src/data.ts";
import { folderOf } from "../src/gallery.ts";
import { Player } from "../src/player.ts";
import { together } from "../src/plots.ts";

const model: Model = { version: 1, errors: "", warnings: "", begin: 0, end: 10 };
const nothing: Wishes = { set: {}, start: [] };

test("words of a shell are quoted where they must be", () => {
  assert.equal(shellWord("models/a_b-1.lac"), "models/a_b-1.lac");
  assert.equal(shellWord("my model.lac"), "'my model.lac'");
  assert.equal(shellWord("it's"), `'it'\\''s'`);
  assert.equal(shellWord("~/a"), "'~/a'");
  assert.equal(shellWord("$(rm)"), "'$(rm)'");
});

test("the command line has what differs from the file", () => {
  assert.equal(commandLine("a.lac", nothing, model), "lacon run a.lac");
  const wishes: Wishes = {
    set: { L: 1.5 },
    start: [
      { name: "x", value: 0.5, guess: true },
      { name: "y'", value: -1, guess: false },
    ],
    end: 3,
    tolerance: 1e-9,
    method: "radau",
  };
  assert.equal(
    commandLine("a.lac", wishes, model),
    `lacon run a.lac --set L=1.5 --start 'x~0.5,y'\\''=-1' --t-end 3 --tol 1e-9 --method radau`,
  );
  assert.match(commandLine("a.lac", { ...nothing, begin: 2 }, model), /--t 2\.\.10$/);
});

test("wishes are empty where nothing was wished", () => {
  assert.ok(isEmpty(nothing));
  assert.ok(isEmpty({ ...nothing, end: undefined }));
  assert.ok(!isEmpty({ ...nothing, method: "radau" }));
  assert.ok(!isEmpty({ ...nothing, set: { L: 1 } }));
});

test("sliders take a thousandth of their range, rounded down", () => {
  assert.equal(stepOf([0, 1]), 0.001);
  assert.equal(stepOf([0.5, 20.5]), 0.01);
  assert.equal(tidy(0.1 + 0.2), 0.3);
});

const run = (t: number[], x: number[], events: number[] = []) =>
  ({
    t: Float64Array.from(t),
    columns: [Float32Array.from(x)],
    header: {
      series: [{ name: "x", group: "output", column: 0 }],
      events: events.map((time) => ({ t: time, kind: "event", name: "e" })),
    },
  }) as unknown as Run;

test("curves of two runs share the times of both", () => {
  const curves = together(run([0, 1, 2], [0, 1, 2]), run([0, 0.5, 3], [4, 5, 10]), ["x"]);
  assert.deepEqual(curves[0], [0, 0.5, 1, 2, 3]);
  assert.deepEqual(curves[1], [0, 0.5, 1, 2, null]);
  assert.deepEqual(curves[2], [4, 5, 6, 8, 10]);
});

test("an answer is a text and a run", () => {
  const text = (object: object) => new TextEncoder().encode(JSON.stringify(object));
  const answer = text({ status: "ok" });
  const header = text({ rows: 1, columns: 0 });
  const bytes = new Uint8Array(8 + answer.length + header.length + 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, answer.length, true);
  bytes.set(answer, 4);
  view.setUint32(4 + answer.length, header.length, true);
  bytes.set(header, 8 + answer.length);
  view.setFloat64(8 + answer.length + header.length, 2.5, true);
  const read = readAnswer(bytes);
  assert.equal(read.answer.status, "ok");
  assert.deepEqual([...read.run.t], [2.5]);
});

test("models are sorted by folder", () => {
  assert.equal(folderOf("control/arm.lac"), "control");
  assert.equal(folderOf("arm.lac"), "");
});

test("a player pauses at events where it is to, and goes on from them", () => {
  const player = new Player(run([0, 1, 2, 3], [0, 0, 0, 0], [1.5]));
  player.advance(2);
  assert.equal(player.at.t, 2);
  player.seek(0);
  player.pausesAtEvents = true;
  player.advance(2);
  assert.equal(player.at.t, 1.5);
  player.advance(1);
  assert.equal(player.at.t, 2.5);
});

test("a player keeps its time within another run", () => {
  const shared = run([0, 1, 2, 3], [0, 0, 0, 0]);
  const player = new Player(shared);
  player.seek(2.5);
  Object.assign(shared, run([0, 1], [0, 0]));
  player.renew();
  assert.equal(player.at.t, 1);
  assert.equal(player.end, 1);
});
