// The clock: steps, events, the end, speeds.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../src/data.ts";
import { Player } from "../src/player.ts";

function player(times: number[], events: number[] = []): Player {
  const header = { events: events.map((t) => ({ t, kind: "event", name: "" })) };
  return new Player({ header, t: Float64Array.from(times), columns: [] } as unknown as Run);
}

test("steps go to rows", () => {
  const clock = player([0, 1, 2, 3]);
  clock.seek(1.5);
  clock.step(1);
  assert.equal(clock.at.t, 2);
  clock.step(-1);
  assert.equal(clock.at.t, 1);
  clock.seek(1.5);
  clock.step(-1);
  assert.equal(clock.at.t, 1);
  clock.step(-10);
  assert.equal(clock.at.t, 0);
  clock.step(10);
  clock.step(1);
  assert.equal(clock.at.t, 3);
});

test("events are stops, each once", () => {
  const clock = player([0, 10], [4, 2, 4]);
  assert.ok(clock.toEvent(1));
  assert.equal(clock.at.t, 2);
  assert.ok(clock.toEvent(1));
  assert.equal(clock.at.t, 4);
  assert.ok(!clock.toEvent(1));
  assert.ok(clock.toEvent(-1));
  assert.equal(clock.at.t, 2);
});

test("the end is a loop, or the end", () => {
  const clock = player([0, 1]);
  clock.seek(0.9);
  clock.advance(0.2);
  assert.equal(clock.at.t, 0);
  clock.setLoop(false);
  clock.seek(0.9);
  clock.advance(0.2);
  assert.equal(clock.at.t, 1);
});

test("very short and very long runs play in some ten seconds", () => {
  assert.equal(player([0, 10]).speed, 1);
  assert.equal(player([0, 0.01]).speed, 0.001);
  assert.equal(player([0, 3600]).speed, 400);
});
