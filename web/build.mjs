// Builds the pages without a run: node build.mjs FOLDER [--plain]. page.html is that of `--page`,
// live.html that of `lacon view`. Script and style are compressed and unpacked by the browser
// itself, as the numbers of a run are; --plain leaves them readable.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
const plain = process.argv.includes("--plain");

/** The script that begins with this file. */
async function scriptOf(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(web, "src", entry)],
    bundle: true,
    minify: !plain,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
    loader: { ".css": "text" },
  });
  return outputFiles[0].text;
}

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

/** The page of a script and styles, written to a file. */
async function write(file, entry, styles) {
  const script = await scriptOf(entry);
  const packed = gzipSync(script, { level: 9 }).toString("base64");
  const code = plain
    ? `<script type="text/plain" id="script"></script><!-- LACON RUN --><script>${script.replaceAll("</script", "<\\/script")}</script>`
    : `<script type="text/plain" id="script">${packed}</script><!-- LACON RUN --><script>${loader}</script>`;
  const css = styles.map((name) => readFileSync(join(web, "src", name), "utf8")).join("\n");
  const style = (await transform(css, { loader: "css", minify: !plain })).code;
  const page = readFileSync(join(web, "src/page.html"), "utf8")
    .replace("/* style */", () => style.trim())
    .replace("<!-- code -->", () => code);
  writeFileSync(file, page);
  console.log(`${file}: ${Math.round(page.length / 1000)} kB`);
}

mkdirSync(folder, { recursive: true });
await write(join(folder, "page.html"), "saved.ts", ["style.css"]);
await write(join(folder, "live.html"), "live.ts", ["style.css", "live.css"]);
