// Typesets the equations that `lacon explain --latex` writes, as MathML: the LaTeX of that printer
// (src/expr/print.cpp), and no more of it.

const letters: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ",
  eta: "η", theta: "θ", vartheta: "ϑ", iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν",
  xi: "ξ", omicron: "ο", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", upsilon: "υ", phi: "φ",
  varphi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ",
  Xi: "Ξ", Pi: "Π", Sigma: "Σ", Upsilon: "Υ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
}; // prettier-ignore

const signs: Record<string, string> = {
  cdot: "·", le: "≤", ge: "≥", wedge: "∧", vee: "∨", neg: "¬", times: "×", lfloor: "⌊",
  rfloor: "⌋", ne: "≠", infty: "∞", prime: "′",
}; // prettier-ignore

const functions = new Set(
  "sin cos tan arcsin arccos arctan sinh cosh tanh exp log ln sqrt min max operatorname".split(" "),
);

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Reads one formula. */
class Reader {
  private at = 0;
  private readonly tokens: string[];

  constructor(text: string) {
    this.tokens = text.match(/\\[a-zA-Z]+|\\.|[0-9]+(?:\.[0-9]+)?|\s+|./gsu) ?? [];
    this.tokens = this.tokens.filter((token) => token.trim() !== "");
  }

  /** All up to a token that ends it, which is left. */
  row(...ends: string[]): string {
    const parts: string[] = [];
    while (this.at < this.tokens.length && !ends.includes(this.tokens[this.at]))
      parts.push(this.scripted());
    return parts.length === 1 ? parts[0] : `<mrow>${parts.join("")}</mrow>`;
  }

  /** An atom with its exponent and index. */
  private scripted(): string {
    const base = this.atom();
    let lower = "";
    let upper = "";
    for (;;) {
      const next = this.tokens[this.at];
      if (next === "_" && !lower) {
        ++this.at;
        lower = this.atom();
      } else if (next === "^" && !upper) {
        ++this.at;
        upper = this.atom();
      } else break;
    }
    if (lower && upper) return `<msubsup>${base}${lower}${upper}</msubsup>`;
    if (lower) return `<msub>${base}${lower}</msub>`;
    return upper ? `<msup>${base}${upper}</msup>` : base;
  }

  private group(): string {
    if (this.tokens[this.at] !== "{") return this.atom();
    ++this.at;
    const inner = this.row("}");
    ++this.at;
    return inner;
  }

  /** The characters of {…}, as they are. */
  private words(): string {
    let depth = 0;
    let text = "";
    do {
      const token = this.tokens[this.at++];
      if (token === undefined) break;
      if (token === "{") ++depth;
      else if (token === "}") --depth;
      else text += token.replace(/^\\(?=[_%&#$ ])/, "");
    } while (depth > 0);
    return text;
  }

  private atom(): string {
    const token = this.tokens[this.at++];
    if (token === undefined) return "";
    if (token === "{") {
      --this.at;
      return this.group();
    }
    if (token.startsWith("\\")) return this.command(token.slice(1));
    if (/^[0-9]/.test(token)) return `<mn>${token}</mn>`;
    if (/^\p{L}$/u.test(token)) return `<mi>${token}</mi>`;
    if (token === "-") return "<mo>−</mo>";
    if (token === "'") return "<mo>′</mo>";
    return `<mo>${escape(token)}</mo>`;
  }

  private command(name: string): string {
    if (name in letters) return `<mi>${letters[name]}</mi>`;
    if (name in signs) return `<mo>${signs[name]}</mo>`;
    switch (name) {
      case "frac": {
        const above = this.group();
        return `<mfrac>${above}${this.group()}</mfrac>`;
      }
      case "sqrt":
        return `<msqrt>${this.group()}</msqrt>`;
      case "dot":
      case "ddot": {
        const mark = name === "dot" ? "˙" : "¨";
        return `<mover accent="true">${this.group()}<mo>${mark}</mo></mover>`;
      }
      case "mathrm":
      case "operatorname":
        return `<mi mathvariant="normal">${escape(this.words())}</mi>`;
      case "text":
        return `<mtext>${escape(this.words())}</mtext>`;
      case "left": {
        const open = this.fence();
        const inner = this.row("\\right");
        ++this.at;
        const close = this.fence();
        return `<mrow>${open}${inner}${close}</mrow>`;
      }
      case "begin":
        return this.environment(this.words());
      case ",":
        return '<mspace width="0.17em"></mspace>';
      case "quad":
        return '<mspace width="1em"></mspace>';
      case "qquad":
        return '<mspace width="2em"></mspace>';
      case "{":
      case "}":
        return `<mo>${name}</mo>`;
    }
    if (functions.has(name)) return `<mi>${name}</mi>`;
    return `<mi>${escape(name)}</mi>`;
  }

  private fence(): string {
    const token = this.tokens[this.at++] ?? "";
    if (token === ".") return "";
    const sign = token.startsWith("\\") ? (signs[token.slice(1)] ?? token.slice(1)) : token;
    return `<mo stretchy="true">${escape(sign)}</mo>`;
  }

  /** Of cases: rows of value and condition. */
  private environment(name: string): string {
    const rows: string[] = [];
    while (this.at < this.tokens.length && this.tokens[this.at] !== "\\end") {
      const cells: string[] = [];
      do {
        cells.push(`<mtd>${this.row("&", "\\\\", "\\end")}</mtd>`);
      } while (this.tokens[this.at] === "&" && ++this.at);
      rows.push(`<mtr>${cells.join("")}</mtr>`);
      if (this.tokens[this.at] === "\\\\") ++this.at;
    }
    ++this.at;
    this.words();
    const table = `<mtable columnalign="left">${rows.join("")}</mtable>`;
    return name === "cases" ? `<mrow><mo stretchy="true">{</mo>${table}</mrow>` : table;
  }
}

/** One formula as the inside of <math>. */
export function formula(latex: string): string {
  return new Reader(latex).row();
}

export interface Section {
  title: string;
  lines: { note?: string; left?: string; right?: string }[];
}

/** The sections of `explain --latex`: titles and notes behind %, equations in align*. */
export function sectionsOf(latex: string): Section[] {
  const sections: Section[] = [];
  let current: Section | undefined;
  const open = (title: string) => {
    current = { title, lines: [] };
    sections.push(current);
  };
  const rows = latex.split("\n");
  rows.forEach((row, i) => {
    const text = row.trim();
    if (text === "" || text === "\\end{align*}") return;
    if (text === "\\begin{align*}") return;
    if (text.startsWith("%")) {
      const note = text.replace(/^%\s*/, "");
      if (rows[i + 1]?.trim() === "\\begin{align*}" || !row.startsWith(" ")) {
        if (rows[i + 1]?.trim() === "\\begin{align*}" || !current) return open(note);
        current.lines.push({ note });
      } else current?.lines.push({ note });
      return;
    }
    if (!current) open("");
    const [left, right = ""] = text.replace(/\\\\$/, "").split(/&(.*)/s);
    current!.lines.push({ left: left.trim(), right: right.trim() });
  });
  return sections.filter((section) => section.lines.length > 0);
}

/** All sections as HTML. */
export function equations(latex: string): string {
  return sectionsOf(latex)
    .map(({ title, lines }) => {
      let html = `<h3>${escape(title.replaceAll("^T", "ᵀ").replaceAll("''", "″"))}</h3>`;
      let table = "";
      const flush = () => {
        if (table)
          html += `<math display="block"><mtable displaystyle="true" columnalign="right left">${table}</mtable></math>`;
        table = "";
      };
      for (const line of lines) {
        if (line.note !== undefined) {
          flush();
          html += `<p class="note">${escape(line.note)}</p>`;
        } else
          table += `<mtr><mtd>${line.left ? formula(line.left) : ""}</mtd><mtd>${formula(line.right ?? "")}</mtd></mtr>`;
      }
      flush();
      return `<section>${html}</section>`;
    })
    .join("");
}
