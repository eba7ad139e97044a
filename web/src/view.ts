// What the page needs of whoever draws the mechanism: three.js (stage.ts), or, where the browser
// has no WebGL, a plain canvas (flat.ts).
import type { Cursor } from "./data.ts";
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
  onPick: (picked: Picked | undefined) => void;
  onCamera: () => void;
}
