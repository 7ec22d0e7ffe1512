// Zep's own client, unchanged, against `mneme serve --compat zep`.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { ZepClient } from "@getzep/zep-cloud";

import { FOLDER, Served, addKey } from "./served.mjs";

const facts = (found) => found.edges.map((e) => e.fact);

test("Zep's client", { timeout: 300_000 }, async (t) => {
  const keys = join(FOLDER, "zep_keys.json");
  const key = addKey(keys, "--actor", "app");
  const reader = addKey(keys, "--actor", "app", "--read-only");
  const other = addKey(keys, "--actor", "other");
  const server = await new Served(join(FOLDER, "zep"), "--compat", "mem0,zep", "--keys", keys).start();
  t.after(() => server.process.kill("SIGKILL"));
  const clientOf = (apiKey) => new ZepClient({ apiKey, baseUrl: `${server.url}/api/v2`, maxRetries: 0 });
  let client = clientOf(key);
  let triple;

  await t.test("has users and graphs", async () => {
    const ana = await client.user.add({ userId: "ana", firstName: "Ana", metadata: { deep: { a: [1] } } });
    assert.equal(ana.userId, "ana");
    assert.ok(ana.uuid && ana.createdAt);
    const got = await client.user.get("ana");
    assert.equal(got.firstName, "Ana");
    assert.deepEqual(got.metadata, { deep: { a: [1] } });
    assert.equal((await client.user.update("ana", { lastName: "Lima" })).lastName, "Lima");
    assert.equal((await client.user.get("ana")).firstName, "Ana");
    await assert.rejects(client.user.add({ userId: "ana" }), { statusCode: 409 });
    await assert.rejects(client.user.get("nobody"), { statusCode: 404 });
    await client.user.add({ userId: "bob" });
    const users = await client.user.listOrdered({ pageSize: 10, pageNumber: 1 });
    assert.deepEqual(users.users.map((u) => u.userId), ["bob", "ana"]);
    assert.equal(users.totalCount, 2);
    const graph = await client.graph.create({ graphId: "town", name: "The town" });
    assert.equal(graph.graphId, "town");
    assert.equal((await client.graph.get("town")).name, "The town");
    // Names are of whom the key is of.
    await clientOf(other).user.add({ userId: "ana" });
  });

  await t.test("adds data, and finds it", async () => {
    const one = await client.graph.add({ userId: "ana", type: "text", data: "The ferry leaves at eight",
      metadata: { from: "board" } });
    assert.equal(one.content, "The ferry leaves at eight");
    assert.equal(one.processed, true);
    assert.deepEqual(one.metadata, { from: "board" });
    const many = await client.graph.addBatch({ graphId: "town", episodes: [
      { type: "json", data: JSON.stringify({ bridge: { length: 80 } }) },
      { type: "message", data: "Bob: the bridge is closed", createdAt: "2024-05-01T10:00:00Z" }] });
    assert.deepEqual(many.map((e) => e.source), ["json", "message"]);
    assert.equal(many[1].createdAt, "2024-05-01T10:00:00Z");
    const found = await client.graph.search({ userId: "ana", query: "when does the ferry leave",
      scope: "episodes" });
    assert.equal(found.episodes[0].uuid, one.uuid);
    assert.ok(found.episodes[0].score > 0);
    assert.equal((await client.graph.search({ userId: "bob", query: "ferry", scope: "episodes" }))
      .episodes.length, 0);
    assert.equal((await client.graph.episode.get(one.uuid)).content, one.content);
    assert.equal((await client.graph.episode.getByUserId("ana", { lastn: 5 })).episodes.length, 1);
    assert.equal((await client.graph.episode.getByGraphId("town", { lastn: 1 })).episodes.length, 1);
    await client.graph.episode.delete(one.uuid);
    await assert.rejects(client.graph.episode.get(one.uuid), { statusCode: 404 });
  });

  await t.test("adds triples: nodes, and the facts between them", async () => {
    triple = await client.graph.addFactTriple({ userId: "ana", fact: "Ana works at the harbour",
      factName: "WORKS_AT", sourceNodeName: "Ana", targetNodeName: "Harbour",
      sourceNodeLabels: ["Person"], sourceNodeSummary: "A sailor", targetNodeAttributes: { depth: 12 },
      validAt: "2023-01-01T00:00:00Z" });
    assert.equal(triple.edge.fact, "Ana works at the harbour");
    assert.equal(triple.edge.sourceNodeUuid, triple.sourceNode.uuid);
    assert.deepEqual(triple.sourceNode.labels, ["Person"]);
    assert.equal(triple.sourceNode.summary, "A sailor");
    assert.deepEqual(triple.targetNode.attributes, { depth: 12 });
    assert.equal(triple.edge.invalidAt ?? null, null);
    const next = await client.graph.addFactTriple({ userId: "ana", fact: "Ana worked at the mill",
      factName: "WORKED_AT", sourceNodeName: "Ana", targetNodeName: "Mill",
      invalidAt: "2022-12-31T00:00:00Z", edgeAttributes: { years: 3 } });
    assert.equal(next.sourceNode.uuid, triple.sourceNode.uuid, "a node of that name is there");
    assert.equal(next.edge.invalidAt, "2022-12-31T00:00:00Z");
    assert.deepEqual(next.edge.attributes, { years: 3 });
    await client.graph.addFactTriple({ userId: "ana", fact: "The mill is beside the harbour",
      factName: "BESIDE", sourceNodeUuid: next.targetNode.uuid, targetNodeUuid: triple.targetNode.uuid });
    await assert.rejects(client.graph.addFactTriple({ userId: "bob", fact: "x", factName: "X",
      sourceNodeUuid: triple.sourceNode.uuid, targetNodeName: "y" }), { statusCode: 404 });
  });

  await t.test("goes on after it was killed", async () => {
    await server.kill();
    await server.start();
    client = clientOf(key);
    const found = await client.graph.search({ userId: "ana", query: "where does Ana work?", limit: 1 });
    assert.deepEqual(facts(found), ["Ana works at the harbour"]);
    const nodes = await client.graph.search({ userId: "ana", query: "harbour", scope: "nodes" });
    assert.equal(nodes.nodes[0].name, "Harbour");
    assert.deepEqual(nodes.nodes[0].attributes, { depth: 12 });
    const edges = await client.graph.edge.getByUserId("ana", {});
    assert.deepEqual(edges.map((e) => e.name), ["BESIDE", "WORKED_AT", "WORKS_AT"]);
    const first = await client.graph.edge.getByUserId("ana", { limit: 2 });
    const rest = await client.graph.edge.getByUserId("ana", { limit: 2, uuidCursor: first[1].uuid });
    assert.deepEqual([...first, ...rest].map((e) => e.uuid), edges.map((e) => e.uuid));
    assert.deepEqual((await client.graph.node.getByUserId("ana", {})).map((n) => n.name).sort(),
      ["Ana", "Harbour", "Mill"]);
    assert.equal((await client.graph.node.getEdges(triple.targetNode.uuid)).length, 2);
    assert.equal((await client.graph.node.get(triple.sourceNode.uuid)).name, "Ana");
    assert.equal((await client.graph.edge.get(triple.edge.uuid)).fact, triple.edge.fact);
    await client.graph.edge.delete(triple.edge.uuid);
    await assert.rejects(client.graph.edge.get(triple.edge.uuid), { statusCode: 404 });
    assert.equal((await client.graph.node.getEdges(triple.targetNode.uuid)).length, 1);
  });

  await t.test("keeps threads, and tells what is known of what they are about", async () => {
    await assert.rejects(client.thread.create({ threadId: "t", userId: "nobody" }), { statusCode: 404 });
    const thread = await client.thread.create({ threadId: "t", userId: "ana" });
    assert.equal(thread.threadId, "t");
    const added = await client.thread.addMessages("t", { messages: [
      { role: "user", name: "Ana", content: "Is the mill still running?" },
      { role: "assistant", content: "I will ask" }], returnContext: true });
    assert.equal(added.messageUuids.length, 2);
    assert.match(added.context, /Ana worked at the mill \(\? to 2022-12-31/);
    await client.thread.addMessages("t", { messages: [{ role: "user", content: "Thanks" }] });
    const { messages, totalCount } = await client.thread.get("t");
    assert.deepEqual(messages.map((m) => m.content), ["Is the mill still running?", "I will ask", "Thanks"]);
    assert.equal(messages[0].name, "Ana");
    assert.equal(totalCount, 3);
    assert.deepEqual((await client.thread.get("t", { lastn: 1 })).messages.map((m) => m.content), ["Thanks"]);
    assert.deepEqual((await client.thread.get("t", { limit: 1, cursor: 1 })).messages.map((m) => m.content),
      ["I will ask"]);
    assert.match((await client.thread.getUserContext("t")).context, /mill/);
    const said = await client.graph.search({ userId: "ana", query: "mill running", scope: "episodes" });
    assert.equal(said.episodes[0].threadId, "t");
    assert.deepEqual((await client.user.getThreads("ana")).map((x) => x.threadId), ["t"]);
    await client.thread.delete("t");
    await assert.rejects(client.thread.get("t"), { statusCode: 404 });
  });

  await t.test("refuses", async () => {
    await assert.rejects(client.graph.search({ userId: "nobody", query: "x" }), { statusCode: 404 });
    await assert.rejects(client.graph.search({ userId: "ana", graphId: "town", query: "x" }),
      { statusCode: 400 });
    await assert.rejects(client.graph.search({ userId: "ana", query: "x", scope: "auto" }),
      { statusCode: 400 });
    await assert.rejects(client.graph.add({ userId: "nobody", type: "text", data: "x" }),
      { statusCode: 404 });
    await assert.rejects(clientOf("wrong").user.get("ana"), { statusCode: 401 });
    await assert.rejects(clientOf(reader).user.add({ userId: "carl" }), { statusCode: 403 });
    assert.equal((await clientOf(reader).user.get("ana")).userId, "ana");
    assert.equal((await clientOf(other).graph.edge.getByUserId("ana", {})).length, 0);
    await assert.rejects(clientOf(other).user.get("bob"), { statusCode: 404 });
  });

  await t.test("deletes a user with all that is theirs, and a graph", async () => {
    await client.user.delete("ana");
    await assert.rejects(client.user.get("ana"), { statusCode: 404 });
    await client.user.add({ userId: "ana" });
    assert.equal((await client.graph.edge.getByUserId("ana", {})).length, 0);
    assert.equal((await client.graph.node.getByUserId("ana", {})).length, 0);
    await client.graph.delete("town");
    await assert.rejects(client.graph.get("town"), { statusCode: 404 });
    assert.equal((await clientOf(other).user.get("ana")).userId, "ana");
  });

  assert.equal(await server.stop(), 0);
});
