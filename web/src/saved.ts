// A page with a run inside: unpacks it and shows it.
import { withBeads } from "./beads.ts";
import { readRun, unpackText } from "./data.ts";
import { tellTrouble } from "./dom.ts";
import { Page } from "./page.ts";

async function begin(): Promise<void> {
  const text = document.getElementById("run")!.textContent ?? "";
  const page = new Page(withBeads(readRun(await unpackText(text))));
  Object.assign(window, { lacon: page.handle() });
}

begin().catch(tellTrouble);
