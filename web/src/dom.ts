// Makes elements of the page.

type Children = (Node | string | undefined)[];
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element with attributes, listeners ("onclick") and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** A button of the tool bar; `pressed` where it is a switch. */
export function button(
  label: string,
  sign: string,
  press: () => void,
  pressed?: boolean,
): HTMLButtonElement {
  const made = el("button", {
    type: "button",
    "aria-label": label,
    "data-tip": label,
    "aria-pressed": pressed === undefined ? undefined : String(pressed),
    onclick: press,
  });
  made.innerHTML = sign;
  return made;
}

/** Instead of the picture: why there is none. */
export function tellTrouble(problem: unknown): never {
  const place = document.getElementById("loading")!;
  place.hidden = false;
  place.textContent = `The motion cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`;
  throw problem;
}

const icon = (path: string) =>
  `<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

export const icons = {
  play: icon('<path d="M7 5l12 7-12 7z" fill="currentColor"/>'),
  pause: icon('<path d="M8 5v14M16 5v14" stroke-width="3"/>'),
  next: icon('<path d="M6 6l8 6-8 6z" fill="currentColor"/><path d="M18 5v14"/>'),
  previous: icon('<path d="M18 6l-8 6 8 6z" fill="currentColor"/><path d="M6 5v14"/>'),
  loop: icon('<path d="M4 11a7 5 0 0 1 7-5h6l-3-3m3 3l-3 3M20 13a7 5 0 0 1-7 5H7l3 3m-3-3l3-3"/>'),
  home: icon('<path d="M4 11l8-7 8 7M6 10v9h12v-9"/>'),
  force: icon('<path d="M5 19L18 6M9 5h10v10" />'),
  trail: icon(
    '<path d="M3 17c4 3 6-10 10-9s1 8 5 6"/><circle cx="19.5" cy="13" r="2" fill="currentColor"/>',
  ),
  ghost: icon(
    '<circle cx="9" cy="12" r="5" stroke-dasharray="2 3"/><circle cx="15" cy="12" r="5"/>',
  ),
  follow: icon('<circle cx="12" cy="12" r="3"/><path d="M12 3v4M12 17v4M3 12h4M17 12h4"/>'),
  theme: icon('<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"/>'),
  save: icon('<path d="M12 4v11m0 0l-4-4m4 4l4-4M5 19h14"/>'),
  panel: icon('<rect x="3.5" y="5" width="17" height="14" rx="2"/><path d="M14.5 5v14"/>'),
  help: icon('<path d="M9.2 9a3 3 0 1 1 4.5 2.600c-1 .6-1.7 1.2-1.7 2.400M12 17.5v.1"/>'),
};
