// The live page of `lacon view`: runs the model again as its file, parameters or start change.
import {
  commandLine,
  Refusal,
  Server,
  type Answer,
  type Drag,
  type Model,
  type Wishes,
} from "./asking.ts";
import { withBeads } from "./beads.ts";
import { Controls } from "./controls.ts";
import type { Run } from "./data.ts";
import { el, tellTrouble } from "./dom.ts";
import { showGallery } from "./gallery.ts";
import { Page } from "./page.ts";
import type { Pull } from "./view.ts";

interface Task {
  model: string;
  path: string;
  gallery: boolean;
  folder: string;
}

const spanWithout = 10; // s: of a model that does not say how long to simulate
const rest = 350; // ms without a wish until a quick run is made again, exactly
const patience = 400; // ms: a run that takes longer gives way to a newer wish

/** A run that is asked for. */
interface Wanted {
  drag?: Drag;
  at: number;
  exact: boolean;
  /** It makes exact what is shown already. */
  settles?: boolean;
}
const exactly = (): Wanted => ({ at: performance.now(), exact: true, settles: true });

class Live {
  private readonly server: Server;
  private readonly controls = new Controls();
  private readonly state = el("p", { class: "state", role: "status" });
  private readonly trouble = el("section", { id: "trouble", role: "alert", hidden: true });
  private model: Model = { version: 0, errors: "", warnings: "" };
  private page: Page | undefined;
  private kept: Wishes | undefined;
  /** Of the file, of the run, of the server: the first of them is shown. */
  private readonly troubles = { server: "", file: "", run: "" };
  private running: { since: number; number: number } | undefined;
  private wanted: Wanted | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;
  /** The values that the last exact run had: those are compiled. */
  private compiled = "";
  /** What is shown is the run of the command line. */
  settled = false;
  private count = 0;
  private version = 0;
  /** For tests: how long the last run took from wish to picture. */
  last: { delay: number; answer?: Answer } = { delay: 0 };

  constructor(private readonly task: Task) {
    this.server = new Server(task.model);
    this.server.onVersion = (version) => {
      if (version !== this.version) void this.read();
    };
    this.server.onProgress = (part) => {
      if (this.running) this.tell(`running: ${Math.round(100 * part)} %`);
    };
    this.server.onPresence = (there) => {
      this.troubles.server = there
        ? ""
        : "The server does not answer. Where it was ended, start lacon view again.";
      this.showTrouble();
    };
    this.recall();
    this.controls.onChange = () => this.ask();
    this.controls.onCompare = () => this.compare();
    this.controls.element.prepend(this.state);
    if (task.gallery)
      this.controls.element.prepend(el("a", { class: "back", href: "./" }, `← ${task.folder}`));
    document.body.append(this.trouble);
  }

  async begin(): Promise<void> {
    await this.read();
    this.server.listen();
  }

  // ---- the file

  private async read(): Promise<void> {
    try {
      this.model = await this.server.describe();
    } catch (problem) {
      this.troubles.file = String(problem instanceof Error ? problem.message : problem);
      return this.showTrouble();
    }
    this.version = this.model.version;
    this.troubles.file = this.model.errors;
    this.showTrouble();
    if (this.model.end === undefined) this.controls.wishes.end ??= spanWithout;
    if (this.model.parameters && !this.model.errors) {
      this.controls.fill(this.model);
      this.ask(undefined, true);
    } else if (!this.page && this.model.parameters) this.ask();
  }

  // ---- runs

  private fresh = false; // the next run is of another text

  private ask(drag?: Drag, fresh = false): void {
    this.fresh ||= fresh;
    clearTimeout(this.resting);
    this.settled = false;
    const set = JSON.stringify(this.controls.wishes.set);
    this.want({ drag, at: performance.now(), exact: this.fresh || set === this.compiled });
  }

  private want(wanted: Wanted): void {
    this.wanted = wanted;
    this.keep();
    const busy = this.running && performance.now() - this.running.since < patience;
    if (!busy) void this.next();
  }

  private async next(): Promise<void> {
    const { wanted } = this;
    if (!wanted) return;
    this.wanted = undefined;
    const number = ++this.count;
    const fresh = this.fresh;
    this.running = { since: performance.now(), number };
    const late = setTimeout(() => this.wanted && this.running?.number === number && void this.next(), patience); // prettier-ignore
    try {
      const set = JSON.stringify(this.controls.wishes.set);
      const { drag, exact } = wanted;
      const { answer, run } = await this.server.run(this.controls.wishes, !exact, drag);
      if (number !== this.count) return;
      this.fresh = false;
      if (drag) this.controls.wishes.start = answer.start;
      if (exact) this.compiled = set;
      this.take(answer, withBeads(run), fresh);
      if (!wanted.settles) this.measure(wanted.at, answer);
      this.settled = exact;
      if (!this.settled && !this.wanted)
        this.resting = setTimeout(() => this.want(exactly()), rest);
    } catch (problem) {
      if (number !== this.count) return;
      // It was cancelled when the page was hidden: asked for again.
      if (problem instanceof Refusal && problem.status === 409) {
        this.wanted ??= wanted;
        return;
      }
      if (!(problem instanceof Refusal)) return void this.tell("the server does not answer");
      this.troubles.run = problem.message;
      this.tell("no motion: see the message");
      this.showTrouble();
    } finally {
      clearTimeout(late);
      if (number === this.count) {
        this.running = undefined;
        if (this.wanted) void this.next();
      }
    }
  }

  private take(answer: Answer, run: Run, fresh: boolean): void {
    const { controls } = this;
    controls.show();
    controls.showCommand(commandLine(this.task.path, controls.wishes, this.model));
    this.troubles.run = answer.message;
    this.showTrouble();
    this.keep();
    if (!this.page) return this.makePage(run);
    if (run.header.planar !== this.page.run.header.planar) return location.reload();
    if (fresh) this.page.compare((this.kept = undefined));
    if (fresh) controls.showCompared(undefined);
    this.page.renew(run, fresh);
  }

  private makePage(run: Run): void {
    const tabs: [string, HTMLElement][] = [["Live", this.controls.element]];
    this.page = new Page(run, { tabs, maker: `lacon view ${this.task.path}` });
    document.getElementById("stage")!.append(this.trouble);
    this.page.view.onPull = (pull) => this.pull(pull);
    this.controls.onPauseAtEvents = (on) => this.page!.pauseAtEvents(on);
    this.page.onPauseAtEvents = (on) => this.controls.showPause(on);
    Object.assign(window, { lacon: { ...this.page.handle(), live: this } });
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.page.player.play();
  }

  /** From the wish to the frame that shows it. */
  private measure(since: number, answer: Answer): void {
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.last = { delay: performance.now() - since, answer };
        const { start, run, page } = answer.seconds;
        const ms = (s: number) => `${Math.round(1000 * s)} ms`;
        this.tell(`run ${ms(start + run)}, data ${ms(page)}, picture after ${Math.round(this.last.delay)} ms`); // prettier-ignore
      }),
    );
  }

  /** Something is pulled: the start follows, and is what is looked at. */
  private pull({ item, body, local, to, done }: Pull): void {
    const { player } = this.page!;
    player.pause();
    player.seek(player.begin);
    this.ask({ item, body, local, to });
    if (done) this.page!.say("start moved");
  }

  private compare(): void {
    const { page } = this;
    if (!page) return;
    this.kept = this.kept ? undefined : structuredClone(this.controls.wishes);
    page.compare(this.kept && { ...page.run });
    this.controls.showCompared(this.kept);
  }

  // ---- words

  private tell(text: string): void {
    this.state.textContent = text;
  }

  /** Beside the picture, which stays. */
  private showTrouble(): void {
    const { server, file, run } = this.troubles;
    const text = server || file || run;
    this.trouble.hidden = text === "";
    if (this.trouble.hidden) return;
    const title = server
      ? ""
      : file
        ? this.page
          ? "The file has errors. The last good motion stays."
          : "The file has errors."
        : "";
    if (!this.page) document.getElementById("loading")!.hidden = true;
    this.trouble.replaceChildren(
      ...(title ? [el("b", {}, title)] : []),
      file && !server ? el("pre", {}, text) : el("p", {}, text),
    );
  }

  // ---- what a reload of the page must not lose

  private keep(): void {
    sessionStorage.setItem(`lacon ${this.task.model}`, JSON.stringify(this.controls.wishes));
  }

  private recall(): void {
    const kept = sessionStorage.getItem(`lacon ${this.task.model}`);
    if (kept) this.controls.wishes = JSON.parse(kept) as Wishes;
  }
}

function begin(): Promise<void> {
  const task = JSON.parse(document.getElementById("live")!.textContent ?? "") as Task;
  return task.model ? new Live(task).begin() : showGallery(task.folder);
}

begin().catch(tellTrouble);
