// The LaTeX of `lacon explain` as MathML.
import assert from "node:assert/strict";
import { test } from "node:test";
import { equations, formula, sectionsOf } from "../src/formulas.ts";

test("fractions, powers, indices", () => {
  assert.equal(formula("\\frac{m}{2}"), "<mfrac><mi>m</mi><mn>2</mn></mfrac>");
  assert.equal(formula("{x_{1}}^{2}"), "<msup><msub><mi>x</mi><mn>1</mn></msub><mn>2</mn></msup>");
  assert.equal(
    formula("\\dot{\\theta}_{1}"),
    '<msub><mover accent="true"><mi>θ</mi><mo>˙</mo></mover><mn>1</mn></msub>',
  );
});

test("parentheses, functions, words", () => {
  assert.equal(
    formula("\\sin\\left(\\omega t\\right)"),
    '<mrow><mi>sin</mi><mrow><mo stretchy="true">(</mo><mrow><mi>ω</mi><mi>t</mi></mrow><mo stretchy="true">)</mo></mrow></mrow>',
  );
  assert.equal(formula("\\mathrm{mass\\_1}"), '<mi mathvariant="normal">mass_1</mi>');
});

test("cases", () => {
  const math = formula("\\begin{cases} a & x < 0 \\\\ b & \\text{otherwise} \\end{cases}");
  assert.match(math, /<mtable.*<mtr><mtd><mi>a<\/mi><\/mtd>.*<mtext>otherwise<\/mtext>/);
  assert.match(math, /&lt;/);
});

test("what is unknown stays readable and harmless", () => {
  assert.equal(formula("\\strange"), "<mi>strange</mi>");
  assert.equal(formula("<b>"), "<mrow><mo>&lt;</mo><mi>b</mi><mo>&gt;</mo></mrow>");
  assert.ok(formula("\\frac{a").startsWith("<mfrac>"));
});

test("sections of equations with notes between them", () => {
  const latex = [
    "% Pendulum",
    "% Equations of motion",
    "\\begin{align*}",
    "  m \\ddot{x} &= \\lambda \\\\",
    "  % rod (position level)",
    "  x &= 0 \\\\",
    "\\end{align*}",
  ].join("\n");
  const sections = sectionsOf(latex);
  assert.equal(sections.length, 1);
  assert.equal(sections[0].title, "Equations of motion");
  assert.deepEqual(sections[0].lines[0], { left: "m \\ddot{x}", right: "= \\lambda" });
  assert.deepEqual(sections[0].lines[1], { note: "rod (position level)" });
  assert.match(equations(latex), /<h3>Equations of motion<\/h3><math/);
});
