// Makes src/routh/studio/page/vendor from the packages named in package.json: `npm install && npm run build`.
import {build} from "esbuild";
import {copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, "../../src/routh/studio/page/vendor");
const versionOf = name => JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"))).version;

/** Bundle one entry into one minified ES module and return the packages it contains. */
async function bundled(entry, target) {
  const made = await build({
    entryPoints: [join(here, entry)], outfile: join(vendor, target), bundle: true, minify: true, format: "esm", target: "es2022",
    legalComments: "none", metafile: true, absWorkingDir: here,
  });
  const packages = Object.keys(made.metafile.inputs).map(path => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]);
  return [...new Set(packages.filter(Boolean))].sort();
}

/** Write the licences of these packages, one after the other, beside the file that contains them. */
function licensed(target, packages) {
  const text = packages.map(name => {
    const folder = join(here, "node_modules", name);
    const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
    return `${name} ${versionOf(name)}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(vendor, `LICENSE-${target}`), text.join("\n" + "-".repeat(80) + "\n\n"));
}

if (!existsSync(join(here, "node_modules"))) throw new Error("Packages are missing. Run `npm install` in tools/editor_bundle first.");
mkdirSync(vendor, {recursive: true});
licensed("preact", await bundled("preact_entry.js", "preact.js"));
licensed("editor", await bundled("editor_entry.js", "editor.js"));
copyFileSync(join(here, "node_modules/plotly.js-cartesian-dist-min/plotly-cartesian.min.js"), join(vendor, "plotly.js"));
licensed("plotly", ["plotly.js-cartesian-dist-min"]);
