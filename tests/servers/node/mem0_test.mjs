// Mem0's own client, unchanged, against `mneme serve --compat mem0`.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { MemoryClient } from "mem0ai";

import { FOLDER, Served, addKey } from "./served.mjs";

assert.equal(process.env.MEM0_TELEMETRY, "false", "or the client calls out");

const said = (...texts) => texts.map((content) => ({ role: "user", content }));
const texts = (answer) => answer.results.map((m) => m.memory);

test("Mem0's client", { timeout: 300_000 }, async (t) => {
  const keys = join(FOLDER, "mem0_keys.json");
  const key = addKey(keys, "--actor", "app");
  const reader = addKey(keys, "--actor", "app", "--read-only");
  const other = addKey(keys, "--actor", "other");
  const server = await new Served(join(FOLDER, "mem0"), "--compat", "mem0", "--keys", keys).start();
  t.after(() => server.process.kill("SIGKILL"));
  const clientOf = (apiKey) => new MemoryClient({ apiKey, host: server.url });
  let client = clientOf(key);
  let tea;

  await t.test("adds word for word, and gets", async () => {
    await client.ping();
    const added = await client.add([
      { role: "user", content: "I take my tea without milk" },
      { role: "system", content: "be brief" },
      { role: "assistant", content: "Noted: no milk" },
    ], { userId: "ana/7", runId: "r1", metadata: { topic: "drinks", deep: { cups: [1, 2] }, n: 3 } });
    assert.equal(added.status, "SUCCEEDED");
    assert.deepEqual(added.results.map((r) => [r.event, r.data.memory]),
      [["ADD", "I take my tea without milk"], ["ADD", "Noted: no milk"]]);
    tea = await client.get(added.results[0].id);
    assert.equal(tea.memory, "I take my tea without milk");
    assert.equal(tea.userId, "ana/7");
    assert.equal(tea.runId, "r1");
    assert.equal(tea.agentId, null);
    assert.deepEqual(tea.metadata, { topic: "drinks", deep: { cups: [1, 2] }, n: 3 });
    assert.ok(!Number.isNaN(new Date(tea.createdAt).getTime()));
    await client.add(said("Bob sails on Sundays"), { userId: "bob", infer: false });
    await client.add(said("The harbour closes at six"), { agentId: "guide", appId: "map" });
    await client.add(said("It was warm in May"), { userId: "bob", timestamp: 1_700_000_000 });
  });

  await t.test("searches", async () => {
    const hits = await client.search("what does she drink, tea?", { filters: { user_id: "ana/7" } });
    assert.equal(hits.results[0].id, tea.id);
    assert.ok(hits.results[0].score > 0 && hits.results[0].score <= 1);
    assert.ok(hits.results.every((m) => m.userId === "ana/7"));
    const none = await client.search("tea without milk", { filters: { user_id: "bob" } });
    assert.ok(!texts(none).some((m) => m.includes("tea")));
    const one = await client.search("tea milk", { filters: { user_id: "*" }, topK: 1 });
    assert.equal(one.results.length, 1);
    const strict = await client.search("tea", { filters: { user_id: "ana/7" }, threshold: 0.99 });
    assert.ok(strict.results.every((m) => m.score >= 0.99));
    const by = await client.search("tea milk", {
      filters: { AND: [{ user_id: "ana/7" }, { metadata: { topic: "drinks" } }, { role: "user" }] },
    });
    assert.deepEqual(texts(by), ["I take my tea without milk"]);
  });

  await t.test("lists by filters, in pages, the newest first", async () => {
    const all = await client.getAll();
    assert.equal(all.count, 5);
    assert.equal(all.next, null);
    assert.equal(all.results[0].memory, "It was warm in May");
    assert.equal(new Date(all.results[0].createdAt).getTime(), 1_700_000_000_000);
    const page = await client.getAll({ page: 2, pageSize: 2 });
    assert.equal(page.count, 5);
    assert.deepEqual(texts(page), texts(all).slice(2, 4));
    assert.ok(page.next && page.previous);
    const follow = await fetch(page.next, { method: "POST", body: "{}",
      headers: { Authorization: `Token ${key}`, "Content-Type": "application/json" } });
    assert.deepEqual(texts(await follow.json()), texts(all).slice(4));
    const count = async (filters) => (await client.getAll({ filters })).count;
    assert.equal(await count({ user_id: "bob" }), 2);
    assert.equal(await count({ user_id: { in: ["bob", "ana/7"] } }), 4);
    assert.equal(await count({ OR: [{ user_id: "bob" }, { agent_id: "guide" }] }), 3);
    assert.equal(await count({ NOT: [{ user_id: "bob" }] }), 3);
    assert.equal(await count({ user_id: { ne: "bob" } }), 3);
    assert.equal(await count({ user_id: "*" }), 4);
    assert.equal(await count({ AND: [{ run_id: "r1" }, { metadata: { n: { gte: 3 } } }] }), 2);
    assert.equal(await count({ metadata: { n: { gt: 3 } } }), 0);
    assert.equal(await count({ topic: { icontains: "DRINK" } }), 2);
    assert.equal(await count({ created_at: { lt: "2024-01-01" } }), 1);
    assert.equal(await count({ user_id: { nin: ["bob"] }, agent_id: { contains: "uid" } }), 1);
    await assert.rejects(client.getAll({ filters: { user_id: { like: "b" } } }),
      { name: "ValidationError", message: /like/ });
    await assert.rejects(client.getAll({ filters: { AND: 3 } }), { name: "ValidationError" });
  });

  await t.test("updates, and tells the history, over a restart", async () => {
    await client.update(tea.id, { text: "I take my tea with milk" });
    await server.kill();
    await server.start();
    client = clientOf(key);
    const changed = await client.update(tea.id, { metadata: { topic: "breakfast" } });
    assert.equal(changed.memory, "I take my tea with milk");
    assert.deepEqual(changed.metadata, { topic: "breakfast" });
    assert.equal(changed.userId, "ana/7");
    assert.equal((await client.getAll({ filters: { topic: "breakfast" } })).count, 1);
    const events = await client.history(tea.id);
    assert.deepEqual(events.map((e) => [e.event, e.oldMemory, e.newMemory]), [
      ["ADD", null, "I take my tea without milk"],
      ["UPDATE", "I take my tea without milk", "I take my tea with milk"],
      ["UPDATE", "I take my tea with milk", "I take my tea with milk"],
    ]);
    assert.equal(events[0].userId, "ana/7");
    assert.equal(new Set(events.map((e) => e.id)).size, 3);
    await client.update(tea.id, { expirationDate: "2001-01-01" });
    assert.equal((await client.getAll({ filters: { topic: "breakfast" } })).count, 0);
    assert.equal((await client.getAll({ filters: { topic: "breakfast" }, showExpired: true })).count, 1);
    await client.update(tea.id, { expirationDate: null });
    assert.equal((await client.getAll({ filters: { topic: "breakfast" } })).count, 1);
  });

  await t.test("knows whose memories there are", async () => {
    const users = await client.users();
    assert.deepEqual(users.results.map((u) => [u.type, u.name, u.totalMemories]), [
      ["user", "ana/7", 2], ["user", "bob", 2], ["agent", "guide", 1], ["app", "map", 1],
      ["run", "r1", 2]]);
    assert.ok(users.results.every((u) => u.createdAt <= u.updatedAt));
    assert.equal((await client.users({ page: 2, pageSize: 4 })).results[0].name, "r1");
  });

  await t.test("changes and deletes many at once", async () => {
    const bobs = (await client.getAll({ filters: { user_id: "bob" } })).results;
    await client.batchUpdate(bobs.map((m, i) => ({ memoryId: m.id, text: `number ${i}` })));
    assert.deepEqual(texts(await client.getAll({ filters: { user_id: "bob" } })),
      ["number 0", "number 1"]);
    await assert.rejects(client.batchDelete([bobs[0].id, "01HZZZZZZZZZZZZZZZZZZZZZZ1"]),
      { name: "MemoryNotFoundError" });
    assert.equal((await client.getAll({ filters: { user_id: "bob" } })).count, 2);
    await client.batchDelete([bobs[0].id]);
    assert.equal((await client.getAll({ filters: { user_id: "bob" } })).count, 1);
  });

  await t.test("refuses as the service does", async () => {
    await assert.rejects(client.get("no-such-id"), { name: "MemoryNotFoundError" });
    await assert.rejects(client.history("01HZZZZZZZZZZZZZZZZZZZZZZ1"), { name: "MemoryNotFoundError" });
    await assert.rejects(client.add(said("x"), {}), { name: "ValidationError", message: /user_id/ });
    await assert.rejects(client.deleteAll(), { name: "ValidationError" });
    await assert.rejects(clientOf(reader).add(said("x"), { userId: "bob" }),
      { name: "AuthenticationError", message: /may only read/ });
    assert.equal((await clientOf(reader).get(tea.id)).id, tea.id);
    await assert.rejects(clientOf(other).get(tea.id), { name: "MemoryNotFoundError" });
    assert.equal((await clientOf(other).getAll()).count, 0);
    assert.deepEqual((await clientOf(other).users()).results, []);
    const stranger = await fetch(`${server.url}/v1/memories/${tea.id}/`,
      { headers: { Authorization: "Token wrong" } });
    assert.equal(stranger.status, 401);
    assert.ok((await stranger.json()).detail);
    // The word belongs to these routes: our own take Bearer.
    const own = await fetch(`${server.url}/v1/root`, { headers: { Authorization: `Token ${key}` } });
    assert.equal(own.status, 401);
  });

  await t.test("deletes one, all of a user, and entities", async () => {
    await client.delete(tea.id);
    await assert.rejects(client.get(tea.id), { name: "MemoryNotFoundError" });
    await assert.rejects(client.delete(tea.id), { name: "MemoryNotFoundError" });
    assert.equal((await client.history(tea.id)).at(-1).event, "DELETE");
    await client.deleteAll({ userId: "bob" });
    assert.equal((await client.getAll({ filters: { user_id: "bob" } })).count, 0);
    await client.deleteUsers({ userId: "ana/7" });
    await client.deleteUsers({ userId: "nobody" });
    assert.deepEqual((await client.users()).results.map((u) => u.name), ["guide", "map"]);
    await client.deleteUsers();
    assert.equal((await client.getAll()).count, 0);
  });

  assert.equal(await server.stop(), 0);
});

test("the routes of the self-hosted server", { timeout: 120_000 }, async (t) => {
  const server = await new Served(join(FOLDER, "mem0_own"), "--compat", "mem0").start();
  t.after(() => server.process.kill("SIGKILL"));
  const ask = async (method, path, body) => {
    const response = await fetch(server.url + path, { method,
      headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const { body } = await ask("POST", "/memories", { messages: said("tea at five"), user_id: "ana" });
  const { id } = body.results[0];
  assert.equal((await ask("GET", "/memories?user_id=ana")).body.results[0].id, id);
  const found = await ask("POST", "/search", { query: "when is tea", user_id: "ana" });
  assert.equal(found.body.results[0].id, id);
  assert.equal((await ask("PUT", `/memories/${id}`, { text: "tea at six" })).body.memory, "tea at six");
  assert.equal((await ask("GET", `/memories/${id}/history`)).body.length, 2);
  assert.equal((await ask("POST", "/v1/ping/", {})).status, 405);
  assert.equal((await ask("DELETE", "/memories?user_id=ana")).status, 200);
  assert.equal((await ask("GET", `/memories/${id}`)).status, 404);
  assert.equal((await fetch(`${server.url}/memories`, { method: "POST", body: "{}" })).status, 415);
  assert.equal(await server.stop(), 0);
});
