// What the page needs of whoever draws the mechanism: three.js (stage.ts), or, where the browser
// has no WebGL, a plain canvas (flat.ts).
import type { Cursor, Run } from "./data.ts";
import type { Picked } from "./things.ts";

export interface Settings {
  theme: "dark" | "light";
  forces: boolean;
  forceScale: number;
  trails: boolean;
  ghost: boolean;
  grid: boolean;
  follow: boolean;
}

/** Something pulled to a place: an item, or a body at a point in its axes. */
export interface Pull extends Picked {
  local: [number, number, number];
  to: [number, number, number];
  /** The mouse has let go. */
  done: boolean;
}

export type Standard = "home" | "front" | "top" | "side";

export interface View {
  readonly element: HTMLElement;
  /** What is not drawn, in sentences. */
  readonly leftOut: string[];
  show(at: Cursor): void;
  apply(settings: Settings): void;
  select(picked: Picked | undefined): void;
  look(from: Standard): void;
  /** The camera as text for the address, and back. */
  camera(): string;
  setCamera(text: string): boolean;
  picture(): HTMLCanvasElement;
  /** The run has become another one. The camera stays; `home`: it looks at the whole new one. */
  renew(home: boolean): void;
  /** Another run beside this one, as a ghost. */
  compare(other: Run | undefined): void;
  /** What is pulled with the mouse, and where to; undefined: nothing can be pulled. */
  onPull: ((pull: Pull) => void) | undefined;
  onPick: (picked: Picked | undefined) => void;
  onCamera: () => void;
}
