// All models of a folder, with a picture of each.
import { button, el, icons } from "./dom.ts";

interface Entry {
  name: string;
  title: string;
}

const mostAtOnce = 3; // pictures that are asked for at the same time

/** Fetches pictures of what is seen, one after the other. */
class Pictures {
  private readonly waiting: [HTMLElement, string][] = [];
  private busy = 0;
  private readonly seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      this.seen.unobserve(target);
      this.waiting.push([target as HTMLElement, (target as HTMLElement).dataset.model!]);
    }
    this.next();
  });

  watch(place: HTMLElement): void {
    this.seen.observe(place);
  }

  private next(): void {
    while (this.busy < mostAtOnce && this.waiting.length > 0) {
      const [place, model] = this.waiting.shift()!;
      ++this.busy;
      void this.fill(place, model).finally(() => {
        --this.busy;
        this.next();
      });
    }
  }

  private async fill(place: HTMLElement, model: string): Promise<void> {
    const response = await fetch(`picture?${new URLSearchParams({ model })}`);
    if (response.ok) place.innerHTML = await response.text();
    else {
      const { error } = (await response.json()) as { error: string };
      place.append(el("p", {}, error.split("\n")[0]));
    }
    place.dataset.done = "";
  }
}

/** Of a path the folder, "" for those directly in the gallery. */
export const folderOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf("/")));

export async function showGallery(folder: string): Promise<void> {
  const response = await fetch("models");
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const entries = (await response.json()) as Entry[];
  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  const pictures = new Pictures();
  const cards = entries.map((entry) => card(entry, pictures));
  const filter = el("input", { type: "search", placeholder: "Find", "aria-label": "Find a model" });
  const theme = button("Dark, light", icons.theme, () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });
  const sections = [...new Set(entries.map(({ name }) => folderOf(name)))].map((name) => {
    const own = cards.filter((_, i) => folderOf(entries[i].name) === name);
    const section = el("section", {}, el("div", { class: "cards" }, ...own));
    if (name) section.prepend(el("h2", {}, name));
    return section;
  });
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    entries.forEach(({ name, title }, i) => {
      cards[i].hidden = !`${name} ${title}`.toLowerCase().includes(wanted);
    });
    for (const section of sections)
      section.hidden = section.querySelector(".card:not([hidden])") === null;
  });
  const count = entries.length === 1 ? "1 model" : `${entries.length} models`;
  const page = el(
    "div",
    { id: "gallery" },
    el(
      "header",
      {},
      el("h1", {}, folder),
      el("span", { class: "note" }, count),
      filter,
      el("nav", {}, theme),
    ),
    el("main", {}, ...sections),
  );
  document.getElementById("loading")!.hidden = true;
  document.getElementById("app")!.replaceWith(page);
}

function card({ name, title }: Entry, pictures: Pictures): HTMLElement {
  const picture = el("div", { class: "picture", "data-model": name, "aria-hidden": "true" });
  pictures.watch(picture);
  const file = name.slice(name.lastIndexOf("/") + 1);
  return el(
    "a",
    { class: "card", href: `?${new URLSearchParams({ model: name })}` },
    picture,
    el("b", {}, title || file),
    el("small", {}, file),
  );
}
