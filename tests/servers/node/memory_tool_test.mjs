// The file-shaped memory tool by `mneme mcp --compat memory-tool`, with the SDK's own file
// implementation as the oracle: the same random commands to both, and equal texts.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { FOLDER, MNEME } from "./served.mjs";

const COMMANDS = ["view", "create", "str_replace", "insert", "delete", "rename"];

async function start(directory, ...options) {
  const client = new Client({ name: "oracle-test", version: "1" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: MNEME,
    args: ["mcp", directory, "--compat", "memory-tool", ...options], stderr: "ignore" }));
  await client.listTools();
  return client;
}

/** The handlers that betaMemoryTool takes, over an MCP client: all that an agent needs. */
function handlersOf(client) {
  return Object.fromEntries(COMMANDS.map((command) => [command, async (args) => {
    const result = await client.callTool({ name: "memory", arguments: { ...args, command } });
    if (result.isError) throw new Error(result.content[0].text);
    return result.content[0].text;
  }]));
}

/** What a command says. What a file system has of its own is not compared: the sizes of its
 * directories, and the words of its errors. */
async function said(tool, command) {
  try {
    const text = await tool[command.command](command);
    if (!text.startsWith("Here're the files")) return { text };
    return { text: text.split("\n").map((line, i) =>
      (i === 1 || line.endsWith("/") ? line.replace(/^\S+\t/, "\t") : line)).join("\n") };
  } catch (error) {
    return { error: /^E[A-Z]+: |into itself/.test(error.message) ? "" : error.message };
  }
}

/** Numbers below n, the same in every run. */
function draws(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const NAMES = ["notes.md", "plan", "a", "b", ".hidden", "node_modules", "Ünicode e\u0301", "a.b"];
const TEXTS = ["", "\n", " ", "tea", "tea\nmilk\n", "one\ntwo\nthree\nfour\nfive\nsix", "tab\tand \\ and \"",
  "é e\u0301 🫖\r\nline", "x".repeat(1280), "y".repeat(1587), "tea tea\nno", "$& $1"];
const ODD = ["/memories", "/memories/", "/memories/../x", "/memories/a/../../y", "/etc/passwd", "notes.md",
  "/memories/a/../plan", "/memories//plan/", "/memories/./a"];

function randomCommand(draw) {
  const one = (list) => list[draw(list.length)];
  const path = () => {
    if (draw(12) === 0) return one(ODD);
    const parts = Array.from({ length: 1 + draw(3) }, () => one(NAMES));
    return `/memories/${parts.join("/")}`;
  };
  switch (draw(12)) {
    case 0: case 1: case 2: case 3:
      return { command: "create", path: path(), file_text: one(TEXTS) };
    case 4: case 5: {
      const command = { command: "view", path: draw(2) ? path() : "/memories" };
      if (draw(3) === 0) command.view_range = [draw(9) - 2, draw(9) - 2];
      return command;
    }
    case 6: case 7:
      return { command: "str_replace", path: path(), old_str: one(["tea", "two", "x", "", "e", "a\nb"]),
        new_str: one(["coffee", "", "two\nlines", "$& $1"]) };
    case 8: case 9:
      return { command: "insert", path: path(), insert_line: draw(6) - 1,
        insert_text: one(["new", "new\n", "two\nnew\n\n", ""]) };
    case 10:
      return draw(3) ? { command: "view", path: path() } : { command: "delete", path: path() };
    default:
      return { command: "rename", old_path: path(), new_path: path() };
  }
}

for (const seed of [1, 2, 3]) {
  test(`the SDK's file tool says the same, seed ${seed}`, { timeout: 300_000 }, async () => {
    const oracle = await BetaLocalFilesystemMemoryTool.init(join(FOLDER, `files${seed}`));
    const world = join(FOLDER, `tool${seed}`);
    let client = await start(world);
    try {
      const draw = draws(seed);
      const kinds = new Set();
      for (let i = 0; i < 400; ++i) {
        if (i === 200) { // and goes on where it was
          await client.close();
          client = await start(world);
        }
        const command = randomCommand(draw);
        const [wanted, got] = [await said(oracle, command), await said(handlersOf(client), command)];
        if (wanted.error === "") assert.notEqual(got.error, undefined, JSON.stringify(command));
        else assert.deepEqual(got, wanted, `command ${i}: ${JSON.stringify(command)}`);
        kinds.add(`${command.command} ${wanted.error === undefined}`);
        const all = { command: "view", path: "/memories" };
        assert.deepEqual(await said(handlersOf(client), all), await said(oracle, all),
          `after command ${i}: ${JSON.stringify(command)}`);
      }
      assert.equal(kinds.size, 12, "each command was right and wrong");
    } finally {
      await client.close();
    }
  });
}

test("the SDK's runner takes it, and what was renamed keeps its history", async () => {
  const world = join(FOLDER, "tool_history");
  const client = await start(world, "--actor", "ana");
  try {
    const tool = betaMemoryTool(handlersOf(client));
    assert.equal(await tool.run({ command: "create", path: "/memories/a/tea.md", file_text: "green" }),
      "File created successfully at: /memories/a/tea.md");
    await tool.run({ command: "str_replace", path: "/memories/a/tea.md", old_str: "green", new_str: "black" });
    await tool.run({ command: "rename", old_path: "/memories/a", new_path: "/memories/b" });
    const { structuredContent: hits } = await client.callTool({ name: "search",
      arguments: { query: "black" } });
    assert.equal(hits.results[0].metadata.file_path, "b/tea.md");
    assert.match(hits.results[0].uri, /#2$/);
    const first = await client.readResource({ uri: hits.results[0].uri.replace("#2", "#1") });
    assert.equal(JSON.parse(first.contents[0].text).version.data.statement, "green");
    for (const path of ["/memories/%2e%2e/x", "/memories/..%2f..", "/memories/a/%2E%2E/b", "/memoriesx/a"])
      await assert.rejects(tool.run({ command: "create", path, file_text: "x" }), /Path/);
    for (const args of [{}, { command: "dance" }, { command: "view" }, { command: "create", path: "/memories/x" }]) {
      const result = await client.callTool({ name: "memory", arguments: args });
      assert.equal(result.isError, true);
    }
  } finally {
    await client.close();
  }
  const reader = await start(world, "--actor", "ana", "--read-only");
  try {
    const handlers = handlersOf(reader);
    assert.match(await handlers.view({ path: "/memories/b/tea.md" }), /black/);
    await assert.rejects(handlers.delete({ path: "/memories/b" }), /only read/);
  } finally {
    await reader.close();
  }
  const other = await start(world, "--actor", "bob");
  try {
    await assert.rejects(handlersOf(other).view({ path: "/memories/b/tea.md" }), /does not exist/);
  } finally {
    await other.close();
  }
});
