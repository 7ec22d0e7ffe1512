// The reference memory server's tools by `mneme mcp --compat reference-memory`, with that server
// itself as the oracle: the same random calls to both, and equal answers.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { FOLDER, MNEME } from "./served.mjs";

const GRAPH = "memory://knowledge-graph";
const ORACLE = fileURLToPath(
  new URL("node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url));

async function start(command, args, env) {
  const client = new Client({ name: "oracle-test", version: "1" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, ...env },
    stderr: "ignore" }));
  await client.listTools(); // from here on outputs are validated
  client.updates = 0;
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => { ++client.updates; });
  return client;
}

/** Numbers below n, the same in every run. */
function draws(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const NAMES = ["Ana", "Bob", "Eve", "Harbour", "Mill", "São Paulo"];
const KINDS = ["person", "place", "idea"];
const NOTES = ["likes tea", "sails", "is tall", "closes at six", "was built in 1850"];
const RELATIONS = ["knows", "works at", "is near"];

/** A call; what one call says is never said twice in it, which the reference server keeps twice. */
function randomCall(draw) {
  const some = (list, most = 3) => {
    const left = [...list];
    const taken = [];
    for (let n = draw(most + 1); n > 0 && left.length > 0; --n) taken.push(left.splice(draw(left.length), 1)[0]);
    return taken;
  };
  const one = (list) => list[draw(list.length)];
  const relations = () => some(NAMES).flatMap((from) => some(NAMES, 2).map((to) =>
    ({ from, to, relationType: one(RELATIONS) })));
  switch (draw(10)) {
    case 0: case 1:
      return ["create_entities", { entities: some(NAMES).map((name) =>
        ({ name, entityType: one(KINDS), observations: some(NOTES) })) }];
    case 2: case 3:
      return ["create_relations", { relations: relations() }];
    case 4:
      return ["add_observations", { observations: some(NAMES, 2).map((entityName) =>
        ({ entityName, contents: some(NOTES) })) }];
    case 5:
      return draw(3) > 0 ? ["read_graph", {}] : ["delete_entities", { entityNames: some(NAMES, 2) }];
    case 6:
      return ["delete_observations", { deletions: some(NAMES).map((entityName) =>
        ({ entityName, observations: some(NOTES) })) }];
    case 7:
      return ["delete_relations", { relations: relations() }];
    case 8:
      return ["search_nodes", { query: one(["tea", "A", "BOB", "place", "ão", "", "nothing"]) }];
    default:
      return ["open_nodes", { names: some([...NAMES, "nobody"]) }];
  }
}

/** What an answer says, relations in any order: they are a set. */
function said(result) {
  const ordered = (value) => {
    if (!value?.relations) return value;
    return { ...value, relations: value.relations.map((r) => JSON.stringify(r)).sort() };
  };
  const [{ type, text }] = result.content;
  assert.equal(type, "text");
  const is_json = !result.isError && /^[[{]/.test(text);
  return { text: is_json ? ordered(JSON.parse(text)) : text, isError: result.isError ?? false,
    structured: ordered(result.structuredContent) };
}

for (const seed of [1, 2, 3]) {
  test(`the reference memory server says the same, seed ${seed}`, { timeout: 300_000 }, async () => {
    const file = join(FOLDER, `graph${seed}.jsonl`);
    const startOurs = () =>
      start(MNEME, ["mcp", join(FOLDER, `graph${seed}`), "--compat", "reference-memory"], {});
    const oracle = await start(process.execPath, [ORACLE], { MEMORY_FILE_PATH: file });
    let ours = await startOurs();
    try {
      const draw = draws(seed);
      for (let i = 0; i < 250; ++i) {
        if (i === 125) { // and goes on where it was
          await ours.close();
          ours = await startOurs();
        }
        if (i === 150) for (const c of [oracle, ours]) await c.subscribeResource({ uri: GRAPH });
        const [name, args] = randomCall(draw);
        const what = `call ${i}: ${name} ${JSON.stringify(args)}`;
        const [wanted, got] = await Promise.all(
          [oracle, ours].map((client) => client.callTool({ name, arguments: args })));
        assert.deepEqual(said(got), said(wanted), what);
      }
      // Told of what has changed, some changes at once; the other one tells of every call that might have.
      for (let i = 0; i < 100 && ours.updates === 0; ++i) await new Promise((soon) => setTimeout(soon, 50));
      assert.ok(ours.updates > 0 && ours.updates <= oracle.updates, `${ours.updates} of ${oracle.updates}`);
      const read = async (client) => {
        const { contents } = await client.readResource({ uri: GRAPH });
        return said({ content: [{ type: "text", text: contents[0].text }] }).text;
      };
      assert.deepEqual(await read(ours), await read(oracle));
      for (const c of [oracle, ours]) await c.unsubscribeResource({ uri: GRAPH });
      await new Promise((soon) => setTimeout(soon, 500)); // what was under way
      const { updates } = ours;
      await ours.callTool({ name: "create_entities", arguments: { entities: [] } });
      assert.equal(ours.updates, updates);
      const { resources } = await ours.listResources();
      assert.ok(resources.some((r) => r.uri === GRAPH));
    } finally {
      await oracle.close();
      await ours.close();
    }
  });
}
