// Builds the page without a run: node build.mjs OUT.html [--plain]. Script and style are
// compressed and unpacked by the browser itself, as the numbers of a run are; --plain leaves them
// readable.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
const plain = process.argv.includes("--plain");

const bundle = await build({
  entryPoints: [join(web, "src/main.ts")],
  bundle: true,
  minify: !plain,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  write: false,
  loader: { ".css": "text" },
});
const script = bundle.outputFiles[0].text;
const style = (
  await build({ entryPoints: [join(web, "src/style.css")], minify: !plain, write: false })
).outputFiles[0].text;

// What the browser does first: unpack the script, and run it.
const loader = `(async () => {
  const say = (text) => { document.getElementById("loading").textContent = text; };
  if (!("DecompressionStream" in window)) {
    say("This page needs a browser of 2023 or later: this one cannot unpack it.");
    return;
  }
  const packed = document.getElementById("script").textContent;
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
})();`;
const packed = gzipSync(script, { level: 9 }).toString("base64");
const code = plain
  ? `<script type="text/plain" id="script"></script><!-- LACON RUN --><script>${script.replaceAll("</script", "<\\/script")}</script>`
  : `<script type="text/plain" id="script">${packed}</script><!-- LACON RUN --><script>${loader}</script>`;

const page = readFileSync(join(web, "src/page.html"), "utf8")
  .replace("/* style */", () => style.trim())
  .replace("<!-- code -->", () => code);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${Math.round(page.length / 1000)} kB`);
