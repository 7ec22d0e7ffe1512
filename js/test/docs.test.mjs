// Of: docs/JS.md, docs/ADAPTERS.md. Their blocks are compiled and run as one program each; what a `console.log` prints
// stands behind it as a comment.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { folder, serve } from "./served.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const DOCS = process.env.MNEME_TREE ? join(process.env.MNEME_TREE, "docs") : join(HERE, "../docs");

function run(command, args) {
  const done = spawnSync(process.execPath, [command, ...args], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  return done.stdout.trimEnd().split("\n");
}

const DOCUMENTS = [
  { name: "JS", least: 8, init: [] },
  { name: "ADAPTERS", least: 1, init: ["--embedder", "none"] },
];
const place = folder(); // as a host has it that has installed the package
after(() => rmSync(place, { recursive: true }));

function program_of({ name, least }) {
  const text = readFileSync(join(DOCS, `${name}.md`), "utf8");
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, block]) => block);
  assert.ok(blocks.length >= least);
  return blocks.join("\n");
}

test("the pages' blocks compile", () => {
  mkdirSync(join(place, "node_modules"));
  symlinkSync(HERE, join(place, "node_modules/mneme"));
  for (const scope of ["@types", "@langchain"])
    symlinkSync(join(HERE, "node_modules", scope), join(place, "node_modules", scope));
  const compilerOptions = { target: "ES2022", module: "NodeNext", strict: true, skipLibCheck: true, types: ["node"] };
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  for (const document of DOCUMENTS)
    writeFileSync(
      join(place, `${document.name}.ts`),
      program_of(document).replaceAll('"http://127.0.0.1:8765"', "process.argv[2]!"),
    );
  run(join(HERE, "node_modules/typescript/bin/tsc"), ["-p", place]);
});

for (const document of DOCUMENTS)
  test(`docs/${document.name}.md prints what it says`, async () => {
    const program = program_of(document);
    const printed = [...program.matchAll(/console\.log\(.*\); +\/\/ (.*)$/gm)].map(([, line]) => line);
    assert.equal(printed.length, program.split("console.log(").length - 1, "each console.log says what it prints");
    const server = await serve({ init: document.init });
    try {
      assert.deepEqual(run(join(place, `${document.name}.js`), [server.url]), printed);
    } finally {
      await server.remove();
    }
  });
