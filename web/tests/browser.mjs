// A browser without a screen, driven through its debugging protocol over a pipe: no port is opened,
// and no library is needed.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program, or undefined where there is none. */
export function findChromium() {
  for (const name of [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"])
    if (name && spawnSync("sh", ["-c", `command -v "$0"`, name]).status === 0) return name;
  return undefined;
}

const flags = [
  "--headless",
  "--disable-gpu",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--hide-scrollbars",
  "--mute-audio",
  "--remote-debugging-pipe",
];

/** Root has no sandbox, and it needs namespaces of users. */
function hasSandbox() {
  return process.getuid() !== 0 && spawnSync("unshare", ["--user", "--net", "true"]).status === 0;
}

export class Browser {
  #child;
  #folder;
  #next = 1;
  #waiting = new Map();
  #listeners = new Set();

  constructor(more = []) {
    this.#folder = mkdtempSync(join(tmpdir(), "lacon-browser-"));
    if (!hasSandbox()) more = ["--no-sandbox", ...more];
    const own = [...flags, ...more, `--user-data-dir=${this.#folder}`, "about:blank"];
    this.#child = spawn(findChromium(), own, {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    let rest = "";
    this.#child.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) this.#take(JSON.parse(message));
    });
    this.#child.stdio[3].on("error", () => {});
    this.#child.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser ended"));
    });
  }

  #take(message) {
    const waiting = this.#waiting.get(message.id);
    if (waiting) {
      this.#waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    } else for (const listener of this.#listeners) listener(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  listen(listener) {
    this.#listeners.add(listener);
  }

  /** A page with a window of this size. */
  async open(url, { width = 1280, height = 720, phone = false } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.begin({ width, height, phone });
    await page.go(url);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  /** Errors of the page's console, and its requests but those for files and data. */
  errors = [];
  requests = [];
  #heard = [];

  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    browser.listen((message) => {
      if (message.sessionId === session) this.#take(message);
    });
  }

  #take({ method, params }) {
    if (method === "Runtime.exceptionThrown")
      this.errors.push(
        params.exceptionDetails.exception?.description ?? params.exceptionDetails.text,
      );
    if (method === "Runtime.consoleAPICalled" && params.type === "error")
      this.errors.push(params.args.map((a) => a.value ?? a.description).join(" "));
    if (method === "Log.entryAdded" && params.entry.level === "error")
      this.errors.push(params.entry.text);
    if (method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url))
      this.requests.push(params.request.url);
    for (const one of this.#heard.filter((h) => h.method === method)) one.resolve(params);
    this.#heard = this.#heard.filter((h) => h.method !== method);
  }

  send(method, params = {}) {
    return this.browser.send(method, params, this.session);
  }

  heard(method) {
    return new Promise((resolve) => this.#heard.push({ method, resolve }));
  }

  async begin({ width, height, phone }) {
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: phone ? 2 : 1,
      mobile: phone,
    });
  }

  async go(url) {
    const loaded = this.heard("Page.loadEventFired");
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** The value of an expression in the page; promises are waited for. */
  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Until an expression of the page is true. */
  async until(expression, limit = 60_000) {
    const met = await this.eval(`new Promise((resolve) => {
      const end = performance.now() + ${limit};
      (function look() {
        if (${expression}) resolve(true);
        else if (performance.now() > end) resolve(false);
        else setTimeout(look, 15);
      })();
    })`);
    if (!met) throw new Error(`not within ${limit} ms: ${expression}`);
  }

  /** Until the run is unpacked and drawn. */
  async ready() {
    await this.until("window.lacon");
    await this.drawn();
  }

  /** Until two frames have been drawn. */
  drawn() {
    return this.eval(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
    );
  }

  async key(key, { shift = false } = {}) {
    const code = key === " " ? "Space" : key;
    const text = key.length === 1 ? key : undefined;
    const common = { key, code, modifiers: shift ? 8 : 0 };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", text, ...common });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  async click(x, y) {
    const common = { x, y, button: "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...common });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...common });
  }

  /** The window as PNG. */
  async shot() {
    await this.drawn();
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
