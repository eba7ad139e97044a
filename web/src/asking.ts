// How the live page talks with its server: what it asks for, what comes back, and what it is told.
import { readRun, type Run } from "./data.ts";

export interface Parameter {
  name: string;
  value: number;
  text: string;
  range?: [number, number];
  follows: boolean;
  shapes: boolean;
}

export interface Model {
  version: number;
  errors: string;
  warnings: string;
  title?: string;
  parameters?: Parameter[];
  methods?: string[];
  begin?: number;
  end?: number;
  every?: number;
  tolerance?: number;
  method?: string;
}

export interface StartValue {
  name: string;
  value: number;
  guess: boolean;
}

/** What makes a run differ from the one that the file asks for. */
export interface Wishes {
  set: Record<string, number>;
  start: StartValue[];
  begin?: number;
  end?: number;
  every?: number;
  tolerance?: number;
  method?: string;
}

export interface Drag {
  item?: number;
  body?: number;
  local: [number, number, number];
  to: [number, number, number];
}

export interface Answer {
  status: string;
  message: string;
  start: StartValue[];
  seconds: { start: number; run: number; page: number };
}

/** The server refused, with a sentence. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The length of a JSON text (4 bytes), the text, the run (live_run.hpp). */
export function readAnswer(bytes: Uint8Array): { answer: Answer; run: Run } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return { answer: JSON.parse(text) as Answer, run: readRun(bytes.subarray(4 + length)) };
}

/** Words of a shell, quoted where they must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) && !text.startsWith("~")
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that gives the same run. */
export function commandLine(path: string, wishes: Wishes, model: Model): string {
  const words = ["lacon", "run", shellWord(path)];
  for (const [name, value] of Object.entries(wishes.set))
    words.push("--set", shellWord(`${name}=${value}`));
  if (wishes.start.length) {
    const values = wishes.start.map((one) => `${one.name}${one.guess ? "~" : "="}${one.value}`);
    words.push("--start", shellWord(values.join(",")));
  }
  if (wishes.begin !== undefined)
    words.push("--t", `${wishes.begin}..${wishes.end ?? model.end ?? wishes.begin + 1}`);
  else if (wishes.end !== undefined) words.push("--t-end", String(wishes.end));
  if (wishes.every !== undefined) words.push("--every", String(wishes.every));
  if (wishes.tolerance !== undefined) words.push("--tol", String(wishes.tolerance));
  if (wishes.method) words.push("--method", wishes.method);
  return words.join(" ");
}

export class Server {
  private readonly page = Math.random().toString(36).slice(2);
  private events: EventSource | undefined;
  onVersion: (version: number) => void = () => {};
  onProgress: (part: number) => void = () => {};
  onPresence: (there: boolean) => void = () => {};

  constructor(private readonly model: string) {}

  private at(what: string): string {
    return `${what}?${new URLSearchParams({ model: this.model, page: this.page })}`;
  }

  /** Hears of changes as long as the page is seen: a browser has few connections to a server. */
  listen(): void {
    const follow = () => {
      if (document.visibilityState === "hidden") this.close();
      else if (!this.events) this.open();
    };
    document.addEventListener("visibilitychange", follow);
    follow();
  }

  private open(): void {
    this.events = new EventSource(this.at("events"));
    const number = (event: Event) => Number((event as MessageEvent<string>).data);
    this.events.addEventListener("version", (event) => this.onVersion(number(event)));
    this.events.addEventListener("progress", (event) => this.onProgress(number(event)));
    this.events.onopen = () => this.onPresence(true);
    this.events.onerror = () => this.onPresence(false);
  }

  private close(): void {
    this.events?.close();
    this.events = undefined;
  }

  async describe(): Promise<Model> {
    const response = await fetch(this.at("model"));
    if (!response.ok) throw await refusal(response);
    return (await response.json()) as Model;
  }

  /** `quick`: values still change, and digits do not matter. */
  async run(wishes: Wishes, quick: boolean, drag?: Drag): Promise<{ answer: Answer; run: Run }> {
    const response = await fetch(this.at("run"), {
      method: "POST",
      body: JSON.stringify({ ...wishes, quick, drag }),
    });
    if (!response.ok) throw await refusal(response);
    return readAnswer(new Uint8Array(await response.arrayBuffer()));
  }
}

async function refusal(response: Response): Promise<Refusal> {
  const json = (await response.json().catch(() => ({}))) as { error?: string };
  return new Refusal(response.status, json.error ?? `the server answered ${response.status}`);
}
