// The official TypeScript SDK's client against both servers. Arguments: MNEME, a fresh folder.
// Every structured answer is checked by the SDK against the tool's own output schema.

import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const MNEME = process.env.MNEME;
const FOLDER = process.env.FOLDER;

function newClient() {
  return new Client({ name: "sdk-test", version: "1" }, { capabilities: {} });
}

/** What both transports have to do alike. */
async function useMemory(client) {
  assert.equal(client.getServerVersion().name, "mneme");
  assert.ok(client.getInstructions());
  await client.ping();

  const { tools } = await client.listTools(); // from here on outputs are validated
  assert.ok(tools.length >= 14);
  const call = async (name, args, options) => {
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    assert.ok(!result.isError, JSON.stringify(result));
    assert.equal(result.content[0].type, "text");
    return result.structuredContent;
  };

  const progress = [];
  const tea = await call("remember", { text: "Ana likes green tea", tags: ["drinks"] },
    { onprogress: (p) => progress.push(p.progress) });
  // The client forgets the call when its answer is there: what came along with it is not heard.
  assert.deepEqual(progress, [0, 1].slice(0, progress.length));
  const fact = await call("remember", {
    type: "Fact",
    data: { statement: "tea grows in Assam", subject: "tea", predicate: "grows in" },
  });
  await call("relate", { src: fact.id, type: "references", dst: tea.id });
  const hits = await call("search", { query: "what does Ana drink" });
  assert.equal(hits.results[0].uri, tea.uri);
  const found = await call("find", { types: ["Note"], tags: undefined, limit: 5, count: true });
  assert.equal(found.total, 1);
  const topic = await call("remember", { title: "Harbour", fields: { depth: { value: 12 } } });
  const bundles = await call("retrieve", { q: "harbour", explain: true });
  assert.equal(bundles.candidates[0].topic_id, topic.topic_id);
  await call("context", {});
  await call("update", { uri: tea.uri, data: { statement: "Ana likes black tea" }, importance: 8 });
  const got = await call("get", { id: tea.id });
  assert.equal(got.memory.current_version, 2);
  await call("attest", { intent_id: "sdk", outcome: "success", cited: [tea.uri] });
  const root = await call("root", {});
  const proof = await call("prove", { ids: [tea.id] });
  assert.equal(proof.root, root.root);
  await call("forget", { uri: got.memory.uri, reason: "over" });

  const refused = await client.callTool({ name: "find", arguments: { types: ["Note"], limit: 0 } });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /limit/);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /Unknown tool/);

  const { resources } = await client.listResources();
  const listed = resources.find((r) => r.uri.startsWith("mneme://Fact/"));
  const { contents } = await client.readResource({ uri: listed.uri });
  assert.equal(JSON.parse(contents[0].text).id, fact.id);
  await assert.rejects(client.readResource({ uri: "mneme://nothing" }));
  const updated = new Promise((tell) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => tell(n.params.uri));
  });
  await client.subscribeResource({ uri: listed.uri });
  await call("update", { uri: listed.uri, tags: ["told"] });
  assert.equal(await updated, listed.uri);
  await client.unsubscribeResource({ uri: listed.uri });
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 2);

  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((p) => p.name), ["start", "recall", "wrap_up"]);
  const prompt = await client.getPrompt({ name: "recall", arguments: { question: "Assam?" } });
  assert.match(prompt.messages[0].content.text, /tea grows in Assam/);

  // A call that is given up does not disturb the next one.
  const giveUp = new AbortController();
  const given = client.callTool({ name: "remember", arguments: { text: "x" } }, undefined,
    { signal: giveUp.signal });
  giveUp.abort("no longer wanted");
  await assert.rejects(given);
  await call("root", {});
}

async function useReferenceTools(client) {
  await client.listTools();
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent;
  };
  const ana = { name: "Ana", entityType: "person", observations: ["sails"] };
  const bob = { name: "Bob", entityType: "person", observations: [] };
  const knows = { from: "Ana", to: "Bob", relationType: "knows" };
  await call("create_entities", { entities: [ana, bob] });
  await call("create_relations", { relations: [knows] });
  await call("add_observations", { observations: [{ entityName: "Bob", contents: ["is tall"] }] });
  const graph = await call("open_nodes", { names: ["Ana", "Bob"] });
  assert.deepEqual(graph.relations, [knows]);
  assert.deepEqual(graph.entities[1].observations, ["is tall"]);
  assert.equal((await call("search_nodes", { query: "TALL" })).entities.length, 1);
  await call("delete_observations",
    { deletions: [{ entityName: "Bob", observations: ["is tall"] }] });
  await call("delete_relations", { relations: [knows] });
  await call("delete_entities", { entityNames: ["Ana", "Bob"] });
  const left = await call("read_graph", {});
  assert.ok(left.entities.every((e) => e.name !== "Ana" && e.name !== "Bob"));
}

test("the SDK's client over stdio", { timeout: 120_000 }, async () => {
  const transport = new StdioClientTransport({
    command: MNEME, args: ["mcp", join(FOLDER, "stdio"), "--compat", "reference-memory", "--tools", "all"],
  });
  const client = newClient();
  await client.connect(transport);
  try {
    await useMemory(client);
    await useReferenceTools(client);
  } finally {
    await client.close();
  }
});

test("the SDK's client over streamable HTTP, with a key", { timeout: 120_000 }, async () => {
  const keys = join(FOLDER, "keys.json");
  const key = execFileSync(MNEME, ["key", "add", keys, "--actor", "ana"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const server = spawn(MNEME, ["serve", join(FOLDER, "http"), "--listen", "127.0.0.1:0", "--tools", "all", "--keys",
    keys, "--compat", "reference-memory"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await new Promise((resolve, reject) => {
      createInterface(server.stdout).once("line", (l) => resolve([l]));
      server.once("exit", () => reject(new Error("mneme serve ended")));
    });
    const url = new URL(line.replace("listening on ", "") + "/mcp");
    const stranger = newClient();
    await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(url)));
    for (const header of [{ "X-API-Key": key }, { Authorization: `Bearer ${key}` }]) {
      const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: header } });
      const client = newClient();
      await client.connect(transport);
      assert.ok(transport.sessionId);
      if ("X-API-Key" in header) await useMemory(client);
      await useReferenceTools(client);
      await transport.terminateSession();
      await client.close();
    }
  } finally {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    assert.equal(server.exitCode ?? (await ended), 0);
  }
});
