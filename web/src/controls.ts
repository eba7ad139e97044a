// The tab of the live page: sliders and boxes for parameters, time span and method; the start, the
// comparison, and the command line.
import type { Model, Parameter, Wishes } from "./asking.ts";
import { shown } from "./data.ts";
import { el } from "./dom.ts";

/** About a thousandth of a slider's range: a power of ten. */
export function stepOf([low, high]: [number, number]): number {
  return 10 ** Math.floor(Math.log10((high - low) / 1000));
}

/** A number without the noise of its last digits. */
export function tidy(value: number): number {
  return Number(value.toPrecision(10));
}

/** A name and its number for short. */
const listed = (name: string, value: number) => `${name} = ${shown(value)}`;

export class Controls {
  readonly element = el("div", { class: "controls" });
  /** What the user asked for has changed. */
  onChange: () => void = () => {};
  onCompare: () => void = () => {};
  onPauseAtEvents: (on: boolean) => void = () => {};
  wishes: Wishes = { set: {}, start: [] };

  private readonly parameters = el("div", { class: "parameters" });
  private readonly method = el("select", { "aria-label": "Method" });
  private readonly boxes: [keyof Wishes & ("begin" | "end" | "every" | "tolerance"), HTMLInputElement][]; // prettier-ignore
  private readonly pause = el("input", { type: "checkbox", id: "pause" });
  private readonly start = el("div", { class: "values" });
  private readonly resetStart = el("button", { type: "button" }, "Back to the model's start");
  private readonly compare = el("button", { type: "button" }, "Keep this motion to compare");
  private readonly compared = el("p", { class: "note", hidden: true });
  private readonly command = el("code", { id: "command" });
  private readonly resetAll = el("button", { type: "button" }, "Reset");
  private model: Model = { version: 0, errors: "", warnings: "" };

  constructor() {
    const box = (name: (typeof this.boxes)[number][0], label: string) => {
      const input = el("input", { type: "text", inputmode: "decimal", "aria-label": label });
      input.addEventListener("change", () => this.wish(name, input));
      return [name, input] as [typeof name, HTMLInputElement];
    };
    this.boxes = [
      box("begin", "Start of the time span"),
      box("end", "End of the time span"),
      box("every", "Time between rows"),
      box("tolerance", "Tolerance"),
    ];
    this.method.addEventListener("change", () => {
      this.wishes.method = this.method.value || undefined;
      this.onChange();
    });
    this.pause.addEventListener("change", () => this.onPauseAtEvents(this.pause.checked));
    this.resetStart.addEventListener("click", () => {
      this.wishes.start = [];
      this.show();
      this.onChange();
    });
    this.resetAll.addEventListener("click", () => this.reset());
    this.compare.addEventListener("click", () => this.onCompare());
    this.put();
  }

  private put(): void {
    const [begin, end, every, tolerance] = this.boxes.map(([, input]) => input);
    const copy = el("button", { type: "button" }, "Copy");
    copy.addEventListener("click", () => {
      void copyText(this.command.textContent ?? "").then((done) => {
        copy.textContent = done ? "Copied" : "Select it and copy";
        setTimeout(() => (copy.textContent = "Copy"), 1600);
      });
    });
    this.element.append(
      el("div", { class: "head" }, el("h3", {}, "Parameters"), this.resetAll),
      this.parameters,
      el("h3", {}, "Run"),
      el(
        "div",
        { class: "options" },
        el("label", {}, "t from", begin),
        el("label", {}, "to", end),
        el("label", {}, "rows every", every),
        el("label", {}, "tolerance", tolerance),
        el("label", {}, "method", this.method),
        el("label", { class: "check" }, this.pause, "pause at events (B)"),
      ),
      el("h3", {}, "Start"),
      el("p", { class: "note" }, "Drag a particle or a body in the picture; constraints hold."),
      this.start,
      this.resetStart,
      el("h3", {}, "Compare"),
      this.compare,
      this.compared,
      el("h3", {}, "Command line"),
      el("div", { class: "command" }, this.command, copy),
    );
  }

  private reset(): void {
    this.wishes = { set: {}, start: [] };
    this.fill(this.model);
    this.onChange();
  }

  private wish(name: (typeof this.boxes)[number][0], input: HTMLInputElement): void {
    const text = input.value.trim();
    const value = Number(text);
    if (text !== "" && !Number.isFinite(value)) return this.show();
    this.wishes[name] = text === "" || value === this.model[name] ? undefined : value;
    this.show();
    this.onChange();
  }

  /** Of a model that was read anew: wishes about what it has no more are forgotten. */
  fill(model: Model): void {
    this.model = model;
    const parameters = model.parameters ?? [];
    for (const name of Object.keys(this.wishes.set))
      if (!parameters.some((one) => one.name === name)) delete this.wishes.set[name];
    this.parameters.replaceChildren(
      ...parameters.filter((one) => one.range).map((one) => this.slider(one)),
      ...parameters.filter((one) => !one.range && !one.follows).map((one) => this.box(one)),
    );
    if (parameters.length === 0)
      this.parameters.append(el("p", { class: "note" }, "The model has no parameters."));
    this.method.replaceChildren(
      el("option", { value: "" }, `as the model says (${model.method ?? "auto"})`),
      ...(model.methods ?? []).map((name) => el("option", { value: name }, name)),
    );
    this.show();
  }

  private row(parameter: Parameter, ...inputs: HTMLElement[]): HTMLElement {
    const label = el("span", { class: "name" }, parameter.name);
    const row = el("div", { class: "parameter" }, label, ...inputs);
    if (parameter.text) row.append(el("small", {}, parameter.text));
    return row;
  }

  private numberBox(parameter: Parameter): HTMLInputElement {
    const value = this.wishes.set[parameter.name] ?? parameter.value;
    const input = el("input", {
      type: "text",
      inputmode: "decimal",
      value: String(tidy(value)),
      "aria-label": `${parameter.name}, as a number`,
    });
    input.addEventListener("change", () => {
      const wanted = Number(input.value);
      if (input.value.trim() !== "" && Number.isFinite(wanted)) this.set(parameter, wanted);
      input.value = String(tidy(this.wishes.set[parameter.name] ?? parameter.value));
    });
    return input;
  }

  private box(parameter: Parameter): HTMLElement {
    return this.row(parameter, el("span"), this.numberBox(parameter));
  }

  private slider(parameter: Parameter): HTMLElement {
    const [low, high] = parameter.range!;
    const number = this.numberBox(parameter);
    const slider = el("input", {
      type: "range",
      min: low,
      max: high,
      step: parameter.shapes ? 1 : stepOf([low, high]),
      "aria-label": parameter.text ? `${parameter.name}: ${parameter.text}` : parameter.name,
      "data-parameter": parameter.name,
    });
    slider.value = number.value;
    slider.addEventListener("input", () => {
      number.value = String(tidy(Number(slider.value)));
      this.set(parameter, Number(number.value));
    });
    slider.addEventListener("dblclick", () => {
      slider.value = number.value = String(tidy(parameter.value));
      this.set(parameter, parameter.value);
    });
    number.addEventListener("change", () => (slider.value = number.value));
    return this.row(parameter, slider, number);
  }

  private set(parameter: Parameter, value: number): void {
    if (value === parameter.value) delete this.wishes.set[parameter.name];
    else this.wishes.set[parameter.name] = value;
    this.show();
    this.onChange();
  }

  /** Everything but the sliders as it is now. */
  show(): void {
    const { wishes, model } = this;
    for (const [name, input] of this.boxes) {
      input.value = wishes[name] === undefined ? "" : String(wishes[name]);
      input.placeholder = model[name] === undefined ? "" : String(tidy(model[name]));
    }
    this.method.value = wishes.method ?? "";
    const most = 12;
    const values = wishes.start.slice(0, most).map((one) => listed(one.name, one.value));
    if (wishes.start.length > most) values.push(`and ${wishes.start.length - most} more`);
    this.start.replaceChildren(...values.map((text) => el("span", {}, text)));
    this.resetStart.hidden = wishes.start.length === 0;
    this.resetAll.hidden = isEmpty(wishes);
  }

  showCommand(text: string): void {
    this.command.textContent = text;
  }

  showPause(on: boolean): void {
    this.pause.checked = on;
  }

  /** What the ghost was made with; undefined: there is none. */
  showCompared(kept: Wishes | undefined): void {
    this.compare.textContent = kept ? "Stop comparing" : "Keep this motion to compare";
    this.compared.hidden = !kept;
    if (!kept) return;
    const words = Object.entries(kept.set).map(([name, value]) => listed(name, value));
    if (kept.start.length) words.push("another start");
    for (const [name] of this.boxes)
      if (kept[name] !== undefined) words.push(listed(name, kept[name]));
    if (kept.method) words.push(kept.method);
    this.compared.textContent = `Faint in the picture, dashed in the plots: ${words.join(", ") || "the model as it is written"}.`;
  }
}

export function isEmpty(wishes: Wishes): boolean {
  const { set, start, ...rest } = wishes;
  return (
    Object.keys(set).length === 0 &&
    start.length === 0 &&
    Object.values(rest).every((value) => value === undefined)
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
