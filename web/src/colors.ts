// The colours of the page: names that a model may use, and those of what it leaves open.

/** The names of `color` in a model (src/model/model.cpp). */
const named: Record<string, string> = {
  black: "#1b1f24",
  blue: "#3b82f6",
  brown: "#92633a",
  cyan: "#22b8cf",
  gray: "#868e96",
  green: "#37a64a",
  orange: "#f08c00",
  pink: "#e64980",
  purple: "#9c5de5",
  red: "#e5484d",
  teal: "#12a594",
  white: "#f8f9fa",
  yellow: "#f5c518",
};

/** A colour as the model gives it, as "#rrggbb". */
export function colorOf(given: string): string {
  return named[given] ?? given;
}

/** Of bodies and curves, one after the other; told apart by most eyes (after Okabe and Ito). */
export const series = [
  "#4c9be8",
  "#f0a030",
  "#35b07a",
  "#e0605f",
  "#a97bea",
  "#2fb6c6",
  "#d678b4",
  "#a3a642",
];

export interface Palette {
  back: string;
  grid: string;
  gridStrong: string;
  particle: string;
  point: string;
  line: string;
  rod: string;
  rope: string;
  spring: string;
  floor: string;
  trail: string;
  text: string;
  select: string;
  constraint: string;
  contact: string;
  control: string;
}

export const palettes: Record<"dark" | "light", Palette> = {
  dark: {
    back: "#10141b",
    grid: "#1c232e",
    gridStrong: "#2a3444",
    particle: "#5aa9f7",
    point: "#9fb3c8",
    line: "#aab7c6",
    rod: "#8494a8",
    rope: "#c8a878",
    spring: "#9fd0a0",
    floor: "#3a4658",
    trail: "#ffb454",
    text: "#e6edf3",
    select: "#ffd166",
    constraint: "#ff8f5a",
    contact: "#4ade80",
    control: "#c084fc",
  },
  light: {
    back: "#f6f7f9",
    grid: "#e6e9ee",
    gridStrong: "#cfd6df",
    particle: "#1f6fd1",
    point: "#5c6b7c",
    line: "#5b6878",
    rod: "#7d8a9a",
    rope: "#96743f",
    spring: "#3f8f4e",
    floor: "#b9c3cf",
    trail: "#d9730d",
    text: "#1b2430",
    select: "#c77700",
    constraint: "#d9480f",
    contact: "#1a9a48",
    control: "#8b3fd9",
  },
};
