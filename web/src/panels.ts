// The panel beside the picture: plots, numbers, the model's text, its equations, and what is known
// of the run.
import { numberAt, shown, type Run, type Series } from "./data.ts";
import { el } from "./dom.ts";
import { equations } from "./formulas.ts";
import type { Player } from "./player.ts";
import type { Plots } from "./plots.ts";
import type { Picked } from "./things.ts";

const groups: [string, string][] = [
  ["coordinate", "Coordinates"],
  ["velocity", "Velocities"],
  ["output", "Outputs"],
  ["energy", "Energy"],
  ["residual", "Residuals"],
  ["rank", "Rank of the constraints"],
  ["condition", "Condition"],
  ["multiplier", "Multipliers λ"],
];

export class Panels {
  private readonly tabs = new Map<string, { tab: HTMLButtonElement; page: HTMLElement }>();
  private numbers: { series: Series; value: HTMLElement; row: HTMLElement }[] = [];
  private readonly numbersBox = el("div");
  private readonly modelBox = el("div");
  private readonly equationsBox = el("div", { class: "equations" });
  private readonly aboutBox = el("div");
  private told = { text: "", latex: "", series: "" };
  private readonly chosen = el("div", { class: "chosen", hidden: true });
  current = "";
  onOpen: () => void = () => {};

  constructor(
    private readonly host: HTMLElement,
    private readonly run: Run,
    private readonly player: Player,
    private readonly plots: Plots,
    private readonly about: () => HTMLElement,
    more: [string, HTMLElement][] = [],
  ) {
    const list = el("div", { role: "tablist", "aria-label": "Details" });
    const pages: HTMLElement[] = [];
    const add = (name: string, page: HTMLElement) => {
      const id = name.toLowerCase();
      const tab = el(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${id}`,
          "aria-controls": `page-${id}`,
          onclick: () => this.open(name),
        },
        name,
      );
      page.id = `page-${id}`;
      page.setAttribute("role", "tabpanel");
      page.setAttribute("aria-labelledby", tab.id);
      page.tabIndex = 0;
      page.classList.add("page");
      list.append(tab);
      pages.push(page);
      this.tabs.set(name, { tab, page });
    };
    for (const [name, page] of more) add(name, page);
    add("Plots", el("div", {}, this.chosen, plots.element));
    add("Numbers", this.numbersBox);
    add("Model", this.modelBox);
    add("Equations", this.equationsBox);
    add("Run", this.aboutBox);
    list.addEventListener("keydown", (event) => this.arrows(event));
    host.append(list, ...pages);
    this.renew();
    this.open(more[0]?.[0] ?? "Plots");
    player.listen(() => this.show());
  }

  /** The run has become another one: what differs is made anew. */
  renew(): void {
    const { text, latex = "", series } = this.run.header;
    const names = series.map((one) => one.name).join("\n");
    if (names !== this.told.series) this.fillNumbers();
    else this.numbers.forEach((one, i) => (one.series = this.sorted()[i]));
    if (text !== this.told.text) this.modelBox.replaceChildren(highlighted(text));
    if (latex !== this.told.latex) this.equationsBox.innerHTML = equations(latex);
    this.tabs.get("Equations")!.tab.hidden = latex === "";
    this.aboutBox.replaceChildren(this.about());
    this.told = { text, latex, series: names };
    this.show();
  }

  open(name: string): void {
    this.current = name;
    for (const [other, { tab, page }] of this.tabs) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      page.hidden = other !== name;
    }
    this.show();
    this.plots.show();
    this.onOpen();
  }

  private arrows(event: KeyboardEvent): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const names = [...this.tabs.keys()].filter((name) => !this.tabs.get(name)!.tab.hidden);
    const next = names[(names.indexOf(this.current) + by + names.length) % names.length];
    this.open(next);
    this.tabs.get(next)!.tab.focus();
    event.stopPropagation();
    event.preventDefault();
  }

  /** The series of the groups that are listed, in the order of the list. */
  private sorted(): Series[] {
    return groups.flatMap(([group]) => this.run.header.series.filter((one) => one.group === group));
  }

  private fillNumbers(): void {
    this.numbers = [];
    this.numbersBox.replaceChildren();
    const all = this.sorted();
    for (const [group, title] of groups) {
      const series = all.filter((one) => one.group === group);
      if (series.length === 0) continue;
      const table = el("table", { "aria-label": title });
      for (const one of series) {
        const value = el("td");
        const name = el("button", { type: "button", onclick: () => this.plotOne(one) }, one.name);
        name.title = "Plot it over time";
        const row = el("tr", {}, el("th", { scope: "row" }, name), value);
        table.append(row);
        this.numbers.push({ series: one, value, row });
      }
      this.numbersBox.append(el("h3", {}, title), table);
    }
  }

  private plotOne(one: Series): void {
    this.plots.plot([one.name]);
    this.open("Plots");
  }

  show(): void {
    if (this.host.offsetParent === null || this.current !== "Numbers") return;
    const { at } = this.player;
    for (const { series, value } of this.numbers) {
      const x =
        series.group === "rank"
          ? this.run.columns[series.column][at.row]
          : numberAt(this.run, series.column, at);
      value.textContent = shown(x, 7);
    }
  }

  /** What was clicked: its name, and its numbers over time. */
  select(picked: Picked | undefined): void {
    const { items, bodies } = this.run.header;
    const item = picked?.item === undefined ? undefined : items[picked.item];
    const body = picked?.body === undefined ? undefined : bodies[picked.body];
    const names = item?.coordinates ?? body?.coordinates ?? [];
    const wanted = names.flatMap((name) => [name, `${name}'`]);
    if (item?.constraint) wanted.push(item.constraint);
    for (const { series, row } of this.numbers)
      row.classList.toggle("picked", wanted.includes(series.name));
    this.chosen.hidden = picked === undefined;
    const title = body?.name ?? item?.name ?? item?.constraint ?? item?.kind ?? "";
    this.chosen.replaceChildren(el("b", {}, title), ` ${item ? kindText(item.kind) : "body"}`);
    if (names.length) this.plots.plot(names);
    if (item?.constraint) this.plots.plot([item.constraint]);
  }
}

function kindText(kind: string): string {
  return kind === "point" ? "particle" : kind;
}

const words =
  "model param coord let data particle gravity kinetic potential dissipation force equation constraint nonideal control start simulate output draw event body joint contact import torque friction".split(
    " ",
  );

/** The model with its keywords, comments and texts told apart. */
function highlighted(text: string): HTMLElement {
  const code = el("code");
  for (const line of text.split("\n")) {
    const row = el("span", { class: "row" });
    const parts = line.match(/#.*$|"[^"]*"|[\p{L}_][\p{L}\p{N}_]*|[^\p{L}_"#]+|./gu) ?? [];
    parts.forEach((part, i) => {
      const kind = part.startsWith("#")
        ? "comment"
        : part.startsWith('"')
          ? "string"
          : i === 0 && words.includes(part)
            ? "keyword"
            : "";
      row.append(kind ? el("span", { class: kind }, part) : part);
    });
    code.append(row, "\n");
  }
  return el("pre", { class: "model" }, code);
}
