// Live pages in a real browser: node live.test.mjs LACON MODELS. A slider moves the picture, the
// file is followed, the start is dragged, two pages live beside each other, the gallery shows all
// models, and pages of other sites get nothing. Ends with status 77 (CTest: skipped) where there is
// no Chromium.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, findChromium } from "./browser.mjs";

const [program, models] = process.argv.slice(2);
if (!findChromium()) {
  console.log("skipped: there is no chromium to open pages with");
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "lacon-live-"));
const failures = [];
const browser = new Browser();

async function check(name, test) {
  if (process.env.LACON_LIVE && !name.includes(process.env.LACON_LIVE)) return;
  try {
    await test();
    console.log(`ok ${name}`);
  } catch (problem) {
    failures.push(name);
    console.log(`not ok ${name}: ${problem.stack}`);
  }
}

/** `lacon view` at work; its address and its end. */
async function serve(path, ...more) {
  const child = spawn(program, ["view", path, "--no-open", ...more], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.said = "";
  child.stderr.on("data", (text) => (child.said += text));
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  const address = await new Promise((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", (code) => reject(new Error(`lacon view ended with ${code}: ${child.said}`)));
  });
  return {
    address,
    async end(signal = "SIGINT") {
      child.kill(signal);
      return await ended;
    },
  };
}

const file = join(folder, "pendulum.lac");
const original = readFileSync(join(models, "double_pendulum.lac"), "utf8");
const fresh = () => writeFileSync(file, original);

/** A page of the model, and what is tested with it. */
async function withPage(options, test) {
  fresh();
  const server = await serve(file);
  const page = await browser.open(server.address, options);
  try {
    await page.ready();
    await page.eval("lacon.player.pause()");
    await test(page, server);
    assert.deepEqual(page.errors, []);
    for (const url of page.requests) assert.ok(url.startsWith(server.address), url);
  } finally {
    await page.close();
    assert.equal(await server.end(), 0);
  }
}

/** Moves a slider as a hand does; ends when the picture follows. */
const slide = (name, value) => `(async () => {
  const { live } = lacon;
  const before = live.last;
  const slider = document.querySelector('[data-parameter="${name}"]');
  slider.value = ${value};
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  while (live.last === before) await new Promise((done) => setTimeout(done, 1));
  return live.last.delay;
})()`;

const first = (name) =>
  `lacon.run.columns[lacon.run.header.series.find((one) => one.name === "${name}").column][0]`;

await check("a slider moves the picture", () =>
  withPage({}, async (page) => {
    const ranges = original.match(/ in [\d.]+\.\.[\d.]+ "/g);
    const sliders = await page.eval("document.querySelectorAll('[data-parameter]').length");
    assert.equal(sliders, ranges.length);
    await page.eval("lacon.player.seek(0)");
    const before = await page.shot();
    const delays = [];
    for (let i = 0; i < 12; ++i) delays.push(await page.eval(slide("L1", 0.6 + 0.1 * i)));
    assert.ok(Math.abs((await page.eval(first("x1"))) - 1.7) < 1e-6);
    assert.notDeepEqual(await page.shot(), before);
    delays.sort((a, b) => a - b);
    const parts = await page.eval("JSON.stringify(lacon.live.last.answer.seconds)");
    console.log(`# from slider to picture: ${delays[6].toFixed(0)} ms (median), ${parts}`);
  }),
);

await check("an error on save shows with its place, and recovery works", () =>
  withPage({}, async (page) => {
    const shown = "!document.getElementById('trouble').hidden";
    await page.until("lacon.live.version > 0");
    writeFileSync(file, original.replace("norm(P) = L1", "norm(P) = L3"));
    await page.until(shown);
    const text = await page.eval("document.getElementById('trouble').textContent");
    assert.match(text, /pendulum\.lac:\d+:\d+: error:.*L3/s);
    assert.match(text, /\^/);
    assert.match(text, /last good motion stays/);
    await page.eval("lacon.player.seek(1)");
    writeFileSync(file, original.replace(/param L1 = \S+/, "param L1 = 1.25"));
    await page.until(`!(${shown}) && Math.abs(${first("x1")} - 1.25) < 1e-6`);
    assert.match(await page.eval("document.querySelector('.model').textContent"), /L1 = 1.25/);
  }),
);

await check("the start is dragged along the constraints", () =>
  withPage({}, async (page) => {
    await page.eval("lacon.view.setCamera('0,0,20,0,0,0,0.2')");
    const place = (x, y) => `(() => {
      const frame = lacon.view.element.getBoundingClientRect();
      const zoom = 0.2 * Math.min(frame.width, frame.height);
      return { x: frame.left + frame.width / 2 + zoom * ${x}, y: frame.top + frame.height / 2 - zoom * ${y} };
    })()`;
    await page.eval("lacon.player.seek(0)");
    await page.drawn();
    const from = await page.eval(place(await page.eval(first("x2")), await page.eval(first("y2"))));
    const to = await page.eval(place(0.6, -1.2));
    const mouse = (type, { x, y }, buttons = 1) =>
      page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons, clickCount: 1 });
    await mouse("mousePressed", from);
    for (let i = 1; i <= 8; ++i)
      await mouse("mouseMoved", {
        x: from.x + ((to.x - from.x) * i) / 8,
        y: from.y + ((to.y - from.y) * i) / 8,
      });
    await mouse("mouseReleased", to, 0);
    await page.until(`Math.hypot(${first("x2")} - 0.6, ${first("y2")} + 1.2) < 0.02`);
    const rod = await page.eval(`Math.hypot(${first("x1")}, ${first("y1")})`);
    assert.ok(Math.abs(rod - 1) < 1e-6, `the rod has ${rod}`);
    await page.until("document.getElementById('command').textContent.includes('--start')");
  }),
);

await check("the command line gives the same run", () =>
  withPage({}, async (page) => {
    await page.eval(slide("L1", 1.3));
    await page.until("lacon.live.settled");
    const text = await page.eval("document.getElementById('command').textContent");
    const words = text.split(" ");
    assert.deepEqual(words.slice(0, 2), ["lacon", "run"]);
    const { stdout } = spawnSync(program, [...words.slice(1), "--out", "-", "--quiet"], {
      encoding: "utf8",
    });
    const lines = stdout.trim().split("\n");
    const column = lines[0].split(",").indexOf("x2");
    const last = Number(lines.at(-1).split(",")[column]);
    const seen = await page.eval(
      "lacon.run.columns[lacon.run.header.series.find((one) => one.name === 'x2').column].at(-1)",
    );
    assert.equal(seen, Math.fround(last));
  }),
);

await check("two motions are compared", () =>
  withPage({}, async (page) => {
    await page.eval(`[...document.querySelectorAll(".controls button")]
      .find((b) => b.textContent.startsWith("Keep")).click()`);
    await page.eval("lacon.player.seek(0)");
    await page.eval(slide("L1", 1.6));
    assert.match(await page.eval("document.querySelector('.controls').textContent"), /Stop comp/);
    assert.ok(await page.eval("lacon.view.other !== undefined"));
    await page.eval(`document.getElementById("tab-plots").click()`);
    await page.drawn();
  }),
);

await check("two pages live beside each other", async () => {
  fresh();
  const server = await serve(file);
  // Each in a window of its own: a page that is not seen draws nothing and hears nothing.
  const second = new Browser();
  const pages = [await browser.open(server.address), await second.open(server.address)];
  for (const page of pages) await page.ready();
  await pages[0].eval(slide("L1", 1.5));
  assert.ok(Math.abs((await pages[0].eval(first("x1"))) - 1.5) < 1e-6);
  assert.ok(Math.abs((await pages[1].eval(first("x1"))) - 1) < 1e-6);
  for (const page of pages) await page.until("lacon.live.version > 0");
  writeFileSync(file, original.replace("L2 = 0.7", "L2 = 0.5"));
  for (const page of pages)
    await page.until(
      `lacon.run.header.text.includes("L2 = 0.5") && Math.abs(${first("x2")} - ${first("x1")}) < 0.51`,
    );
  for (const page of pages) {
    assert.deepEqual(page.errors, []);
    await page.close();
  }
  await second.close();
  assert.equal(await server.end("SIGTERM"), 0);
});

await check("the page says when the server has ended", async () => {
  fresh();
  const server = await serve(file);
  const page = await browser.open(server.address);
  await page.ready();
  await page.until("lacon.live.version > 0");
  assert.equal(await server.end(), 0);
  await page.until("document.getElementById('trouble').textContent.includes('does not answer')");
  await page.close();
});

await check("pages of other sites get nothing", async () => {
  fresh();
  const server = await serve(file);
  // A page of another origin, which even knows the address.
  const evil = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<title>evil</title>");
  });
  await new Promise((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const page = await browser.open(`http://127.0.0.1:${evil.address().port}/`);
  const tries = await page.eval(`(async () => {
    const outcome = async (what) => {
      try {
        const answer = await what();
        return answer === undefined ? "nothing" : String(answer);
      } catch (problem) {
        return "failed";
      }
    };
    const address = ${JSON.stringify(server.address)};
    const element = (tag, set) => new Promise((resolve) => {
      const one = document.createElement(tag);
      one.onload = () => resolve("loaded");
      one.onerror = () => resolve("failed");
      set(one);
      document.body.append(one);
    });
    return {
      get: await outcome(async () => (await fetch(address + "model")).text()),
      post: await outcome(async () => (await fetch(address + "run", { method: "POST", body: "{}" })).text()),
      script: await element("script", (one) => (one.src = address + "model")),
      image: await element("img", (one) => (one.src = address + "picture")),
      events: await new Promise((resolve) => {
        const events = new EventSource(address + "events?page=x");
        events.onopen = () => resolve("open");
        events.onerror = () => resolve("failed");
      }),
    };
  })()`);
  for (const [name, outcome] of Object.entries(tries)) assert.equal(outcome, "failed", name);
  // It may not even see the status of what it sent.
  const status = await page.eval(
    `fetch(${JSON.stringify(server.address)} + "model", { mode: "no-cors" }).then((r) => r.status, () => -1)`,
  );
  assert.ok(status === 0 || status === -1);
  await page.close();
  evil.close();
  assert.equal(await server.end(), 0);
});

await check("fits a phone", () =>
  withPage({ width: 390, height: 800, phone: true }, async (page) => {
    const wide = await page.eval("document.documentElement.scrollWidth");
    assert.ok(wide <= 390, `${wide} pixels wide`);
    const out = await page.eval(`[...document.querySelectorAll("footer *, header *, .controls *")]
      .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > 391).length`);
    assert.equal(out, 0);
  }),
);

await check("has names for screen readers", () =>
  withPage({}, async (page) => {
    const nameless =
      await page.eval(`[...document.querySelectorAll("button, input, select, [role=tab]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).length`);
    assert.equal(nameless, 0);
  }),
);

await check("the gallery shows all models and opens them", async () => {
  const server = await serve(models);
  const page = await browser.open(server.address, { width: 1280, height: 900 });
  await page.until("document.querySelectorAll('.card').length > 50");
  await page.until("document.querySelectorAll('.picture[data-done] svg').length >= 8");
  const empty = await page.eval(
    "[...document.querySelectorAll('.picture svg')].filter((one) => one.childElementCount === 0).length",
  );
  assert.equal(empty, 0);
  await page.eval(`(() => {
    const find = document.querySelector("input[type=search]");
    find.value = "double_pendulum";
    find.dispatchEvent(new Event("input"));
  })()`);
  assert.equal(await page.eval("document.querySelectorAll('.card:not([hidden])').length"), 2);
  assert.deepEqual(page.errors, []);
  await page.go(`${server.address}?model=bodies%2Fgimbals.lac`);
  await page.ready();
  assert.equal(await page.eval("document.querySelector('.back').textContent"), "← models");
  assert.deepEqual(page.errors, []);
  await page.close();
  assert.equal(await server.end(), 0);
});

await check("every model has a picture", async () => {
  const server = await serve(models);
  const list = await (await fetch(`${server.address}models`)).json();
  for (const { name } of list) {
    const response = await fetch(`${server.address}picture?model=${encodeURIComponent(name)}`);
    const text = await response.text();
    assert.ok(response.ok && /<(polyline|circle)/.test(text), `${name}: ${text.slice(0, 200)}`);
    assert.ok(!/nan|inf/.test(text), `${name} has places that are no numbers`);
  }
  assert.equal(await server.end(), 0);
});

await browser.close();
rmSync(folder, { recursive: true });
if (failures.length) console.log(`failed: ${failures.join(", ")}`);
process.exit(failures.length ? 1 : 0);
