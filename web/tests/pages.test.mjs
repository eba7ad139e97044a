// Pages in a real browser: node pages.test.mjs LACON MODELS. Every model of the folder is run, with
// few rows, and its page must open without an error, draw something, and show the state of the
// time that is asked for. Ends with status 77 (CTest: skipped) where there is no Chromium.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Browser, findChromium } from "./browser.mjs";

const [program, models] = process.argv.slice(2);
if (!findChromium()) {
  console.log("skipped: there is no chromium to open pages with");
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "lacon-pages-"));
const kB = 1000;
const failures = [];

/** Runs the program; its output, or an error with what it said. */
function lacon(...options) {
  const { status, stdout, stderr } = spawnSync(program, options, { encoding: "utf8" });
  if (status !== 0) throw new Error(`lacon ${options.join(" ")}: ${stderr}`);
  return stdout;
}

/** The page of a model with `rows` rows. */
function pageOf(model, rows = 60, ...more) {
  const file = join(folder, basename(model, ".lac") + ".html");
  const span = spanOf(model);
  const every = span ? ["--every", String((span[1] - span[0]) / rows)] : [];
  // A run may end early (a conflict, a lost rank): its page shows what there is.
  const { stderr } = spawnSync(
    program,
    ["run", model, ...every, "--page", file, "--quiet", ...more],
    { encoding: "utf8" },
  );
  return { file, said: stderr };
}

/** Begin and end of `simulate`, where they are numbers. */
function spanOf(model) {
  const line = readFileSync(model, "utf8").match(/^simulate\s+([-\d.e]+)\.\.([\d.e]+)/m);
  return line ? [Number(line[1]), Number(line[2])] : undefined;
}

/** Runs in the page: how many points of a grid over the picture differ from its background. */
const drawnPoints = `(() => {
  const canvas = lacon.view.picture();
  const copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  const pen = copy.getContext("2d");
  const read = () => {
    pen.drawImage(lacon.view.picture(), 0, 0);
    return pen.getImageData(0, 0, copy.width, copy.height).data;
  };
  const hash = (data) => { let h = 0; for (let i = 0; i < data.length; i += 4) h = (h * 31 + data[i] * 65536 + data[i + 1] * 256 + data[i + 2]) | 0; return h; };
  const data = read();
  const count = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const c = data[i] * 65536 + data[i + 1] * 256 + data[i + 2];
    count.set(c, (count.get(c) ?? 0) + 1);
  }
  return { drawn: data.length / 4 - Math.max(...count.values()), hash: hash(data) };
})()`;

async function check(name, test) {
  try {
    await test();
    console.log(`ok ${name}`);
  } catch (problem) {
    failures.push(name);
    console.log(`not ok ${name}: ${problem.message}`);
  }
}

const files = ["", "bodies", "control", "large"].flatMap((sub) =>
  readdirSync(join(models, sub))
    .filter((name) => name.endsWith(".lac"))
    .map((name) => join(models, sub, name)),
);
const wanted = process.env.LACON_PAGES?.split(",");
const browser = new Browser();

for (const model of files.filter((f) => !wanted || wanted.includes(basename(f, ".lac"))))
  await check(basename(model), async () => {
    const { file, said } = pageOf(model);
    assert.ok(statSync(file).size < 20e6, said);
    const page = await browser.open(`file://${file}`, { width: 640, height: 480 });
    await page.ready();
    await page.eval("lacon.settings.grid = false; lacon.view.apply(lacon.settings)");
    const { drawn } = await page.eval(drawnPoints);
    assert.ok(drawn > 40, `only ${drawn} pixels are drawn`);
    assert.deepEqual(page.errors, []);
    assert.deepEqual(page.requests, []);
    await page.close();
  });

/** A page that is opened for one test. */
async function withPage(model, options, test, ...more) {
  const { file } = pageOf(join(models, model), 200, ...more);
  const page = await browser.open(`file://${file}${options.hash ?? ""}`, options);
  try {
    await page.ready();
    await test(page, file);
    assert.deepEqual(page.errors, []);
  } finally {
    await page.close();
  }
}

if (!wanted) {
  await check("play moves the picture, and pause holds it", () =>
    withPage("double_pendulum.lac", {}, async (page) => {
      const before = await page.eval(drawnPoints);
      await page.key(" ");
      await page.until("lacon.player.at.t > 0.2");
      await page.key(" ");
      const after = await page.eval(drawnPoints);
      assert.notEqual(after.hash, before.hash);
      await page.drawn();
      assert.equal((await page.eval(drawnPoints)).hash, after.hash);
    }),
  );

  await check("scrubbing shows the state of that time to the pixel", () =>
    withPage("four_bar_space.lac", {}, async (page) => {
      await page.eval("lacon.player.seek(1.234)");
      const first = await page.eval(drawnPoints);
      await page.eval("lacon.player.seek(3); lacon.player.seek(0.4); lacon.player.seek(1.234)");
      assert.equal((await page.eval(drawnPoints)).hash, first.hash);
      // And at a row the point is where the constraint puts it.
      const off = await page.eval(`(() => {
        const { run, player } = lacon;
        player.seek(run.t[60]);
        const item = run.header.items.find((one) => one.particle);
        const value = (c) => { const { row, along } = player.at, a = run.columns[c]; return a[row] + along * (a[row + 1] - a[row]); };
        return Math.abs(Math.hypot(...item.at[0].map(value)) - 1);
      })()`);
      assert.ok(off < 1e-6, `B is ${off} off its circle`);
    }),
  );

  await check("plots of a page opened at a time mark that time", () =>
    withPage("double_pendulum.lac", { hash: "#t=5" }, (page) =>
      page.until(`(() => {
        const now = document.querySelector(".chart .now");
        return Math.abs(parseFloat(now.style.left) / now.parentElement.clientWidth - 0.5) < 0.01;
      })()`),
    ),
  );

  await check("all keys do what they say", () =>
    withPage("bouncing_ball.lac", {}, async (page) => {
      const t = () => page.eval("lacon.player.at.t");
      await page.key("ArrowRight");
      assert.ok((await t()) > 0);
      await page.key("Home");
      assert.equal(await t(), 0);
      await page.key("n");
      const first = await t();
      assert.equal(first, await page.eval("lacon.run.header.events[0].t"));
      await page.key("n");
      assert.ok((await t()) > first);
      await page.key("p");
      assert.equal(await t(), first);
      await page.key("End");
      assert.equal(await t(), await page.eval("lacon.player.end"));
      await page.key("+");
      assert.equal(await page.eval("lacon.player.speed"), 2);
      await page.key("l");
      assert.equal(await page.eval("lacon.player.loop"), false);
      for (const [key, what] of [
        ["f", "forces"],
        ["g", "ghost"],
        ["t", "trails"],
      ]) {
        const before = await page.eval(`lacon.settings.${what}`);
        await page.key(key);
        assert.equal(await page.eval(`lacon.settings.${what}`), !before, key);
      }
      await page.key("c");
      assert.equal(await page.eval("lacon.settings.follow"), true);
      await page.key("Escape");
      assert.equal(await page.eval("lacon.settings.follow"), false);
      const theme = await page.eval("document.documentElement.dataset.theme");
      await page.key("d");
      assert.notEqual(await page.eval("document.documentElement.dataset.theme"), theme);
      await page.key("m");
      assert.ok(await page.eval("document.body.classList.contains('alone')"));
      await page.key("?");
      assert.ok(await page.eval("document.querySelector('dialog').open"));
    }),
  );

  await check("a click selects a particle and plots its coordinates", () =>
    withPage("double_pendulum.lac", {}, async (page) => {
      // The picture of the plane has equal scales: x1 = 1 and the origin tell where R is.
      await page.eval("lacon.view.setCamera('0,0,20,0,0,0,0.2')");
      const { x, y } = await page.eval(`(() => {
        const frame = lacon.view.element.getBoundingClientRect();
        const zoom = 0.2 * Math.min(frame.width, frame.height);
        return { x: frame.left + frame.width / 2 + zoom * 1, y: frame.top + frame.height / 2 };
      })()`);
      await page.drawn();
      await page.click(x, y);
      await page.until("!document.querySelector('.chosen').hidden");
      assert.match(await page.eval("document.querySelector('.chosen').textContent"), /^P particle/);
      assert.match(await page.eval("document.querySelector('.legend').textContent"), /x1.*y1/);
    }),
  );

  await check("the address keeps time and camera", () =>
    withPage("double_pendulum.lac", { hash: "#t=2.5" }, async (page) => {
      assert.equal(await page.eval("lacon.player.at.t"), 2.5);
      await page.eval("lacon.player.seek(1.25); lacon.view.setCamera('1,2,30,1,2,0,0.25')");
      await page.until("location.hash.includes('t=1.25&cam=1,2,30,1,2,0,0.25')");
    }),
  );

  await check("saves numbers and picture", () =>
    withPage("double_pendulum.lac", {}, async (page) => {
      await page.eval(`window.saved = [];
        HTMLAnchorElement.prototype.click = function () { saved.push([this.download, fetch(this.href).then((r) => r.blob())]); };`);
      await page.key("e");
      await page.key("i");
      await page.until("saved.length === 2");
      const [csv, png] = await page.eval(`Promise.all(saved.map(async ([name, blob]) =>
        [name, name.endsWith("csv") ? await (await blob).text() : (await blob).size]))`);
      assert.equal(csv[0], "double-pendulum.csv");
      const lines = csv[1].trim().split("\n");
      assert.match(lines[0], /^t,x1,y1,x2,y2,x1',/);
      assert.equal(lines.length, 1 + (await page.eval("lacon.run.t.length")));
      assert.equal(png[0], "double-pendulum.png");
      assert.ok(png[1] > 2000);
    }),
  );

  await check("fits a phone", () =>
    withPage("double_pendulum.lac", { width: 390, height: 800, phone: true }, async (page) => {
      const { wide, stage, panel } = await page.eval(`(() => ({
        wide: document.documentElement.scrollWidth,
        stage: document.getElementById("stage").getBoundingClientRect().toJSON(),
        panel: document.getElementById("panel").getBoundingClientRect().toJSON(),
      }))()`);
      assert.ok(wide <= 390, `${wide} pixels wide`);
      assert.ok(stage.width >= 380 && stage.height > 250);
      assert.ok(panel.top >= stage.bottom - 1);
      const out = await page.eval(`[...document.querySelectorAll("footer *, header *")]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > 391).length`);
      assert.equal(out, 0);
    }),
  );

  await check("has names for screen readers", () =>
    withPage("bouncing_ball.lac", {}, async (page) => {
      const nameless =
        await page.eval(`[...document.querySelectorAll("button, input, select, [role=tab]")]
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim())).length`);
      assert.equal(nameless, 0);
      await page.key("End");
      await page.until("document.getElementById('said').textContent.startsWith('t = ')");
    }),
  );

  await check("a bead stays on the wire that is drawn, where the wire turns too", () =>
    withPage("spinning_wire.lac", {}, async (page) => {
      const off = await page.eval(`(() => {
        const { run, player } = lacon;
        const [wire] = run.header.traces;
        const bead = run.header.items.find((one) => one.particle);
        let most = 0;
        wire.times.forEach((t, frame) => {
          player.seek(t);
          const { row, along } = player.at;
          const place = bead.at[0].map((c) => run.columns[c][along === 1 ? row + 1 : row]);
          const points = wire.frames[frame];
          let least = Infinity;
          for (let i = 0; i < points.length; i += 3)
            least = Math.min(least, Math.hypot(...place.map((x, k) => x - wire.low[k] - wire.unit * points[i + k])));
          most = Math.max(most, least);
        });
        return most;
      })()`);
      // 65 points on a wire of some 3: the nearest is within half of what lies between two.
      assert.ok(off < 0.03, `the bead is ${off} off the wire`);
    }),
  );

  await check("a ball that rolls has the force of the ground below it", () =>
    withPage("bodies/bowling_ball.lac", { hash: "#forces" }, async (page) => {
      const [lift, height] = await page.eval(`(() => {
        const { run, player } = lacon;
        player.seek(player.end);
        const arrow = run.header.arrows.find((one) => one.kind === "contact");
        const last = (c) => run.columns[c][run.t.length - 1];
        return [last(arrow.force + 2), last(arrow.at[2])];
      })()`);
      assert.ok(lift > 0 && Math.abs(height) < 1e-6, `${lift} at ${height}`);
    }),
  );

  await check("10,000 particles play", async () => {
    // Of a run of few steps: what counts is how fast they are drawn.
    const file = join(folder, "many.html");
    lacon("run", join(models, "large/net.lac"), "--set", "N=100", "--t-end", "0.002", "--every", "0.0005", "--page", file, "--quiet"); // prettier-ignore
    const page = await browser.open(`file://${file}`);
    await page.ready();
    assert.equal(
      await page.eval("lacon.run.header.items.filter((one) => one.particle).length"),
      10000,
    );
    const frames = await page.eval(`(async () => {
      const begin = performance.now();
      const { begin: first, end } = lacon.player;
      for (let i = 0; i < 20; ++i) {
        lacon.player.seek(first + ((end - first) * i) / 20);
        // Reading a pixel waits until all is drawn.
        const gl = lacon.view.picture().getContext("webgl2");
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      }
      return (1000 * 20) / (performance.now() - begin);
    })()`);
    console.log(`# ${frames.toFixed(1)} frames a second`);
    assert.deepEqual(page.errors, []);
    await page.close();
  });

  await check("is small", () =>
    withPage("pendulum.lac", {}, async (page, file) => {
      const data = await page.eval("document.getElementById('run').textContent.length");
      const rest = statSync(file).size - data;
      assert.ok(rest <= 300 * kB, `${rest} bytes beside the data`);
    }),
  );

  const hasEncoder = spawnSync("ffmpeg", ["-version"]).status === 0;
  if (!hasEncoder) console.log("# videos are not tested: there is no ffmpeg");
  for (const [ending, magic] of hasEncoder
    ? [
        ["gif", "GIF89a"],
        ["mp4", "ftyp"],
        ["webm", "webm"],
      ]
    : [])
    // prettier-ignore
    await check(`a video, ${ending}`, async () => {
      const file = join(folder, `film.${ending}`);
      lacon("run", join(models, "pendulum.lac"), "--t", "0..0.6", "--video", file, "--quiet");
      assert.ok(readFileSync(file).subarray(0, 64).toString("latin1").includes(magic));
      const { stdout } = spawnSync(
        "ffprobe",
        ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height", "-of", "csv=p=0", file], // prettier-ignore
        { encoding: "utf8" },
      );
      assert.equal(stdout.trim(), "1280,720,19");
    });

  for (const ending of ["h5", "json"])
    await check(`a result keeps its events, ${ending}`, async () => {
      const result = join(folder, `ball.${ending}`);
      const model = join(models, "bouncing_ball.lac");
      const { events } = JSON.parse(lacon("run", model, "--out", result, "--json"));
      lacon("page", result, "-o", join(folder, "ball.html"));
      const page = await browser.open(`file://${join(folder, "ball.html")}`);
      await page.ready();
      const marked = await page.eval("lacon.run.header.events.map((one) => [one.t, one.kind])");
      assert.ok(marked.length > 3);
      assert.deepEqual(
        marked,
        events.map((one) => [one.t, one.kind]),
      );
      await page.close();
    });

  await check("a result becomes the same page", async () => {
    const result = join(folder, "result.h5");
    lacon(
      "run",
      join(models, "double_pendulum.lac"),
      "--out",
      result,
      "--quiet",
      "--set",
      "L1=1.5",
    );
    lacon("page", result, "-o", join(folder, "result.html"));
    const page = await browser.open(`file://${join(folder, "result.html")}`);
    await page.ready();
    const x = await page.eval(
      "lacon.run.columns[lacon.run.header.series.find((one) => one.name === 'x1').column][0]",
    );
    assert.equal(x, 1.5);
    assert.deepEqual(page.errors, []);
    await page.close();
  });
}
await browser.close();

if (!wanted) {
  // Without WebGL the same page is drawn on a plain canvas.
  const plain = new Browser(["--disable-3d-apis"]);
  await check("without WebGL a canvas is drawn", async () => {
    const { file } = pageOf(join(models, "four_bar_space.lac"), 100);
    const page = await plain.open(`file://${file}`);
    await page.ready();
    assert.ok((await page.eval(drawnPoints)).drawn > 200);
    const before = await page.eval(drawnPoints);
    await page.eval("lacon.player.seek(1)");
    assert.notEqual((await page.eval(drawnPoints)).hash, before.hash);
    assert.match(await page.eval("document.getElementById('page-run').textContent"), /WebGL/);
    await page.close();
  });
  await plain.close();
}
rmSync(folder, { recursive: true });
if (failures.length) console.log(`failed: ${failures.join(", ")}`);
process.exit(failures.length ? 1 : 0);
