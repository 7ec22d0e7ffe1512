// Of: js/src. The client against a real server.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import * as mneme from "mneme";
import { connect, Gathered, unwrap } from "mneme";
import { OPS, READS } from "../dist/src/generated/ops.js";
import { BATCH_ITEMS, TICK_READS, TICK_WRITES } from "../dist/src/items.js";
import { folder, mneme as command, serve } from "./served.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const note = (statement, more = {}) => ({ type: "Note", data: { statement }, ...more });

function nested(depth) {
  let value = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}
const cyclic = {};
cyclic.inner = cyclic;
/** What a write may have that no request, or no server, reads. */
const UNREADABLE = [
  { importance: NaN },
  { metadata: { x: [1, -Infinity] } },
  { importance: 2 ** 64 },
  { data: { statement: "\ud800" } },
  { metadata: nested(70) },
  { importance: 1n },
  { metadata: cyclic },
  { metadata: nested(100_000) },
  { metadata: { x: { y: { toJSON: () => 1n } } } },
];

/** A server of the test's own, which answers each request with the next of `answers`. */
async function stand_in(answers) {
  const asked = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      asked.push(JSON.parse(body));
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === "never") return;
      if (answer === "reset") return request.socket.destroy();
      const { status, headers, ...told } = answer;
      response.writeHead(status ?? 200, { "Content-Type": "application/json", ...headers });
      response.end(told.text ?? JSON.stringify(told));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, asked, close };
}

describe("a served world", () => {
  let server, world;
  before(async () => {
    server = await serve();
    world = connect(server.url);
  });
  after(async () => {
    world.close();
    await server.remove();
  });

  test("the types are made from this server's document", () => {
    const made = folder();
    const done = spawnSync(process.execPath, [join(HERE, "scripts/generate.mjs"), server.url, made], {
      encoding: "utf8",
    });
    assert.equal(done.status, 0, done.stderr);
    for (const file of ["schemas.ts", "ops.ts"])
      assert.equal(
        readFileSync(join(HERE, "src/generated", file), "utf8"),
        readFileSync(join(made, file), "utf8"),
        `${file} is of another version: npm run types`,
      );
  });

  test("every op is a method and known to the server", async () => {
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    assert.ok(OPS.length > 50);
    for (const op of OPS) {
      const method = op.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
      assert.equal(typeof world[method], "function", method);
      const { example } = document.paths[`/v1/${op}`].post.requestBody.content["application/json"];
      if (op === "clock" || op === "erase" || op === "ingest_source") continue;
      await world.call(op, example).catch((refused) => {
        assert.ok(refused instanceof mneme.MnemeError, refused);
        assert.ok(!["unknown_op", "unknown_key", "missing_key", "wrong_type"].includes(refused.code), refused.message);
      });
    }
  });

  test("what ticks and batches hold is what the server lets in", async () => {
    const refusal = async (list, op) => {
      const told = await world.call(list === "items" ? "batch" : "tick", { [list]: [{ op, no_such_key: 1 }] }).then(
        (tick) => tick[list][0].error,
        (refused) => ({ code: refused.code }),
      );
      return told.code;
    };
    for (const op of OPS) {
      assert.equal(await refusal("items", op), BATCH_ITEMS.includes(op) ? "unknown_key" : "bad_value", op);
      assert.equal(await refusal("writes", op), TICK_WRITES.includes(op) ? "unknown_key" : "bad_value", op);
      assert.equal(await refusal("reads", op), TICK_READS.includes(op) ? "unknown_key" : "bad_value", op);
    }
  });

  test("a memory is written, found, changed and read as it was", async () => {
    const ana = world.as("ana");
    const written = await ana.write(note("drinks her tea at five", { tags: ["tea"] }));
    const { memory } = await ana.get({ id: written.id });
    assert.equal(memory.version.data.statement, "drinks her tea at five");
    assert.equal(memory.actor_scope, "ana");
    const changed = await ana.update({ uri: written.uri, data: { statement: "drinks her tea at six" } });
    assert.equal(changed.version, 2);
    const found = await ana.find({ types: ["Note"], where: { has_tag: "tea" }, limit: 5 });
    assert.deepEqual(
      found.memories.map((m) => m.version.data.statement),
      ["drinks her tea at six"],
    );
    const then = await ana.asOf({ at_seq: written.seq }).get({ id: written.id });
    assert.equal(then.memory.version.data.statement, "drinks her tea at five");
    const at = await ana.asOf({ at: memory.created_at }).find({ types: ["Note"], where: { has_tag: "tea" }, limit: 5 });
    assert.deepEqual(
      at.memories.map((m) => m.version.version),
      [1],
    );
    await assert.rejects(ana.asOf({ at_seq: 1 }).write(note("never")), mneme.InvalidRequest);
    await assert.rejects(world.as("ben").get({ id: written.id }), mneme.NotFound);
  });

  test("by key: created, updated, revived, with a payload", async () => {
    const put = (statement, payload) =>
      world.put({ namespace: "pages", key: "3", ...note(statement), payload: JSON.stringify(payload) });
    assert.equal((await put("a", { n: 1 })).outcome, "created");
    assert.equal((await put("b", { n: 2 })).outcome, "updated");
    assert.equal((await world.deleteBy({ namespace: "pages", key: "3" })).changed, true);
    await assert.rejects(world.get({ namespace: "pages", key: "3" }), mneme.Tombstoned);
    assert.equal((await put("c", { n: 3 })).outcome, "revived");
    const { memory } = await world.get({ namespace: "pages", key: "3" });
    assert.deepEqual(JSON.parse(memory.version.payload), { n: 3 });
    assert.ok(
      (await world.namespaces()).namespaces.some(({ namespace, memories }) => namespace === "pages" && memories === 1),
    );
    const past = await world.history({ namespace: "pages", key: "3" });
    assert.deepEqual(
      past.versions.map((v) => v.version),
      [3, 2, 1],
    );
  });

  test("a tick reads one moment, then writes; what fails, fails alone", async () => {
    const written = await world.write(note("before", { actor: "tick", tags: ["tick"] }));
    const tick = await world.as("tick").tick({
      reads: [
        { op: "find", where: { has_tag: "tick" }, limit: 5 },
        { op: "get", id: "00000000000000000000000009" },
      ],
      writes: [
        { op: "write", ...note("meanwhile", { tags: ["tick"] }) },
        { op: "update", uri: written.uri, data: { statement: "" } },
      ],
    });
    assert.deepEqual(
      unwrap(tick.reads[0]).memories.map((m) => m.version.data.statement),
      ["before"],
    );
    assert.throws(() => unwrap(tick.reads[1]), mneme.NotFound);
    assert.equal(unwrap(tick.writes[0]).version, 1);
    assert.throws(() => unwrap(tick.writes[1]), mneme.InvalidRequest);
    const { memory } = await world.as("tick").get({ id: tick.writes[0].id });
    assert.equal(memory.actor_scope, "tick");
  });

  test("a batch is all or none", async () => {
    const { results } = await world.batch([
      { op: "write", ...note("one") },
      { op: "put", namespace: "b", key: "k", ...note("two") },
    ]);
    assert.equal(results[1].outcome, "created");
    const before = (await world.stats()).memories;
    await assert.rejects(
      world.batch([
        { op: "write", ...note("three") },
        { op: "write", ...note("") },
      ]),
      (refused) => {
        assert.ok(refused instanceof mneme.InvalidRequest);
        assert.match(refused.at, /^items\[1\]/);
        return true;
      },
    );
    assert.equal((await world.stats()).memories, before);
  });

  test("the calls of one turn are one tick", async () => {
    const town = new Gathered(world);
    const before = (await world.stats()).seq;
    const agents = Array.from({ length: 20 }, (_, i) => `agent-${i}`);
    const told = await Promise.allSettled(
      agents.flatMap((actor) => [
        town.write({ ...note(`${actor} is here`), actor }),
        town.find({ types: ["Note"], limit: 5, actor }),
        town.get({ id: "00000000000000000000000009", actor }),
      ]),
    );
    assert.deepEqual(
      told.slice(0, 3).map((one) => one.status),
      ["fulfilled", "fulfilled", "rejected"],
    );
    assert.ok(told[2].reason instanceof mneme.NotFound);
    assert.deepEqual(told[1].value.memories, []); // reads see what was there before
    const { entries } = await world.journal({ from: before + 1, limit: 100 });
    assert.equal(entries.length, 20);
    assert.equal((await town.namespaces()).ok, true); // what no tick holds goes by itself
  });

  test("all that is wrong is told, and where, whoever else asked", async () => {
    const wrong = { type: "Note", data: { text: "x; also at writes[0].importance: no" }, importance: 12 };
    const alone = await world.write(wrong).catch((refused) => refused);
    assert.deepEqual(
      alone.faults.map(({ code, at }) => [code, at]),
      [
        ["unknown_key", "data.text"],
        ["missing_field", "data.statement"],
        ["out_of_range", "importance"],
      ],
    );
    const town = new Gathered(world);
    const [, , together] = await Promise.allSettled([
      town.search({ query: "tea" }),
      town.write(note("y")),
      town.write(wrong),
    ]);
    assert.equal(together.reason.message, alone.message);
    assert.deepEqual(together.reason.faults, alone.faults);
    await assert.rejects(
      world.tick({ writes: [{ op: "write", ...wrong }] }).then((tick) => unwrap(tick.writes[0])),
      {
        at: "writes[0].data.text",
      },
    );
    await assert.rejects(world.find({ types: ["Note"], limit: 0 }), (refused) => refused.faults.length === 1);
  });

  test("half of a surrogate pair refuses what it is in, and that says where", async () => {
    const town = new Gathered(world);
    const told = await Promise.allSettled([
      town.write(note("fine: \u{1f600} and \\ud800 in letters")),
      town.write(note("broken: \ud83d")),
      town.find({ types: ["Note"], limit: 5 }),
      town.search({ query: "\udc00" }),
    ]);
    assert.deepEqual(
      told.map((one) => one.reason && [one.reason.code, one.reason.at]),
      [undefined, ["bad_json", "data.statement"], undefined, ["bad_json", "query"]],
    );
    await assert.rejects(
      world.batch([
        { op: "write", ...note("a") },
        { op: "write", ...note("\ud83d") },
      ]),
      {
        code: "bad_json",
        at: "items[1].data.statement",
      },
    );
  });

  test("what cannot be read in a tick is refused alone", async () => {
    const items = [{}, ...UNREADABLE, {}].map((more) => ({ op: "write", ...note("x"), ...more }));
    const before = (await world.stats()).seq;
    const told = await world.tick({
      reads: [
        { op: "search", query: "\udc00" },
        { op: "search", query: "tea", nonsense: 1 },
      ],
      writes: items,
    });
    assert.equal((await world.journal({ from: before + 1, limit: 100 })).entries.length, 2);
    const outcome = (one) => (one.ok ? "ok" : [one.error.code, one.error.at.slice(0, 24)]);
    assert.deepEqual(told.reads.map(outcome), [
      ["bad_json", "reads[0].query"],
      ["unknown_key", "reads[1].nonsense"],
    ]);
    assert.deepEqual(told.writes.map(outcome), [
      "ok",
      ["out_of_range", "writes[1].importance"],
      ["out_of_range", "writes[2].metadata.x[1]"],
      ["out_of_range", "writes[3].importance"],
      ["bad_json", "writes[4].data.statement"],
      ["bad_json", "writes[5].metadata.a.a.a"],
      ["bad_json", "writes[6].importance"],
      ["bad_json", "writes[7].metadata.inner"],
      ["bad_json", "writes[8].metadata.a.a.a"],
      ["bad_json", "writes[9].metadata.x.y"],
      "ok",
    ]);
    for (const unknown of ["no_such_key_", "no (such) key "]) {
      const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [unknown + n, n]));
      const { writes } = await world.tick({ writes: [{ op: "write", ...note("x", many) }] });
      const { message } = writes[0].error;
      assert.ok(message.includes(`; also at writes[0].${unknown}7: `) && message.endsWith("; and 4 more"), message);
    }
    const bad = (count) => Array.from({ length: count }, () => ({ op: "write", ...note("\ud800") }));
    await assert.rejects(world.tick({ writes: bad(101) }), { code: "bad_json", at: "writes[100].data.statement" });
    assert.throws(() => unwrap(told.writes[2]), { name: "InvalidRequest", message: /finite.*Infinity/ });
    await assert.rejects(world.write(note("x", { importance: NaN })), { code: "out_of_range", at: "importance" });
    assert.equal((await world.write(note("null", { importance: undefined }))).ok, true);
  });

  test("what cannot be read refuses nobody else of its turn", async () => {
    const town = new Gathered(world);
    const told = await Promise.allSettled([
      town.write(note("fine")),
      town.search({ query: "tea" }),
      ...UNREADABLE.map((more) => town.write(note("x", more))),
      town.write(note("fine, too")),
    ]);
    const [, , ...refused] = told.slice(0, -1);
    assert.deepEqual(
      told.map(({ status }) => status),
      ["fulfilled", "fulfilled", ...UNREADABLE.map(() => "rejected"), "fulfilled"],
    );
    assert.deepEqual(
      refused.map(({ reason }) => reason.at?.slice(0, 15) ?? reason.name),
      [
        "importance",
        "metadata.x[1]",
        "importance",
        "data.statement",
        "metadata.a.a.a.",
        "importance",
        "metadata.inner",
        "metadata.a.a.a.",
        "metadata.x.y",
      ],
    );
  });

  test("a turn that is too much for one request goes in several", async () => {
    const town = new Gathered(world);
    const half = "x".repeat(900_000);
    const told = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, n) => town.write(note(`${n} ${half}`))),
      town.write(note(half.repeat(20))),
      town.find({ types: ["Note"], where: { has_tag: "none" }, limit: 1 }),
    ]);
    assert.deepEqual(
      told.map(({ reason }) => reason?.code),
      [...Array(20).fill(undefined), "line_too_long", undefined],
    );
  });

  test("vectors are lists of finite numbers, or arrays of floats", async () => {
    assert.equal(mneme.encodeVector([1, 0.5]), "AACAPwAAAD8=");
    assert.equal(mneme.encodeVector(new Float32Array([1, 0.5])), "AACAPwAAAD8=");
    const refused = { name: "InvalidRequest", code: "bad_vector", at: "near_vector[1]", message: /NaN/ };
    await assert.rejects(world.find({ near_vector: [1, NaN], limit: 5 }), refused);
    await assert.rejects(new Gathered(world).find({ near_vector: [1, NaN], limit: 5 }), refused);
    const { reads } = await world.tick({
      reads: [{ op: "find", near_vector: new Float32Array([1, Infinity]), limit: 5 }],
    });
    assert.throws(() => unwrap(reads[0]), { ...refused, at: "reads[0].near_vector[1]", message: /Infinity/ });
    const vector = new Float32Array(384).fill(0.5);
    await world.supersedeMatching({ write: note("by vector", { vector }), dry_run: true });
    await assert.rejects(world.supersedeMatching({ write: note("by vector", { vector: [NaN] }) }), {
      code: "bad_vector",
      at: "write.vector[0]",
    });
    await assert.rejects(world.find({ near_vector: new Float32Array([1, 2]), limit: 5 }), { code: "dim_mismatch" });
  });

  test("what is refused says where", async () => {
    await assert.rejects(
      world.find({ types: ["Note"], limit: 5, where: { and: [{ has_tag: "tea" }, { gt: ["head.nothing", 1] }] } }),
      (refused) => {
        assert.equal(refused.name, "InvalidRequest");
        assert.match(refused.at, /^where/);
        assert.match(refused.message, new RegExp(refused.code));
        return true;
      },
    );
    const written = await world.write(note("x"));
    await assert.rejects(
      world.update({ uri: written.uri, data: { statement: "y" }, expect_version: 7 }),
      mneme.VersionConflict,
    );
    await assert.rejects(world.write(note("x", { id: written.id })), mneme.AlreadyExists);
    await assert.rejects(world.find({ types: ["Note"], limit: 1, at_seq: 1_000_000 }), mneme.SeqUnavailable);
  });

  test("many at once share few connections", async () => {
    const few = connect(server.url, { connections: 4 });
    const told = await Promise.all(Array.from({ length: 200 }, (_, i) => few.write(note(`number ${i}`))));
    assert.equal(new Set(told.map(({ id }) => id)).size, 200);
    few.close();
  });

  test("the same by fetch", async () => {
    const other = connect(`${server.url}/`, { fetch });
    assert.equal((await other.stats()).ok, true);
    await assert.rejects(other.get({ id: "00000000000000000000000009" }), mneme.NotFound);
  });
});

test("a key says who asks", async () => {
  const place = folder();
  const key = command("key", "add", join(place, "keys"), "--actor", "ana");
  const server = await serve({ place, options: ["--keys", join(place, "keys")] });
  try {
    await assert.rejects(connect(server.url).stats(), mneme.Forbidden);
    const ana = connect(server.url, { key });
    const { id } = await ana.write(note("mine"));
    assert.equal((await ana.get({ id })).memory.actor_scope, "ana");
    await assert.rejects(ana.stats(), mneme.Forbidden);
    await assert.rejects(ana.as("ben").get({ id }), mneme.Forbidden);
    const town = new Gathered(ana);
    const told = await Promise.allSettled([town.get({ id }), town.get({ id, actor: "ben" }), town.write(note("hers"))]);
    assert.deepEqual(
      told.map(({ reason }) => reason && [reason.name, reason.at]),
      [undefined, ["Forbidden", "actor"], undefined],
    );
  } finally {
    await server.remove();
  }
});

test("a connection that the server has closed is not written to", async () => {
  const server = await serve({ options: ["--idle-ms", "100"] });
  const world = connect(server.url);
  for (let n = 0; n < 4; ++n) {
    await Promise.all([world.write(note(`${n} a`)), world.write(note(`${n} b`))]);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  assert.equal((await world.stats()).memories, 8);
  await server.remove();
});

test("a server that is not there, and comes back", async () => {
  const server = await serve();
  const world = connect(server.url, { retries: 0 });
  const { id } = await world.write(note("kept"));
  await server.stop();
  await assert.rejects(world.get({ id }), mneme.Unreachable);
  await assert.rejects(world.write(note("never")), mneme.Unreachable);
  const patient = connect(server.url, { retries: 12 });
  const waiting = patient.write(note("later")); // it was never asked: asked again until somebody hears it
  const again = await serve({ place: server.place, port: new URL(server.url).port });
  await waiting;
  assert.equal((await world.stats()).memories, 2);
  await again.remove();
});

describe("asked again where that is safe", () => {
  const busy = { status: 503, headers: { "Retry-After": "0" }, ok: false, error: { code: "busy", message: "later" } };
  const done = { ok: true, memory: {}, uri: "u", id: "i", version: 1, seq: 1 };

  test("busy: reads and writes", async () => {
    const server = await stand_in([busy, busy, done]);
    const world = connect(server.url);
    assert.equal((await world.write(note("x"))).seq, 1);
    assert.equal(server.asked.length, 3);
    server.close();
    const always = await stand_in([busy]);
    await assert.rejects(connect(always.url, { retries: 2 }).get({ id: "i" }), mneme.Busy);
    assert.equal(always.asked.length, 3);
    always.close();
  });

  test("an answer that broke off: reads alone", async () => {
    const server = await stand_in(["reset", done]);
    assert.equal((await connect(server.url).get({ id: "i" })).ok, true);
    server.close();
    for (const request of [
      (w) => w.write(note("x")),
      (w) => w.find({ limit: 1, late_binding: true }),
      (w) => w.retrieve({ q: "x" }),
    ]) {
      const once = await stand_in(["reset", done]);
      await assert.rejects(request(connect(once.url)), mneme.OutcomeUnknown);
      assert.equal(once.asked.length, 1);
      once.close();
    }
    assert.ok(READS.has("get") && !READS.has("tick") && !READS.has("retrieve") && !READS.has("write"));
  });

  test("no answer in time", async () => {
    const server = await stand_in(["never"]);
    const world = connect(server.url, { timeout_ms: 60 });
    await assert.rejects(world.get({ id: "i" }), mneme.DeadlineExceeded);
    await assert.rejects(world.write(note("x")), mneme.OutcomeUnknown);
    const stopped = new AbortController();
    setTimeout(() => stopped.abort(new Error("enough")), 10);
    await assert.rejects(world.get({ id: "i" }, { signal: stopped.signal, timeout_ms: 10_000 }), /enough/);
    await assert.rejects(world.get({ id: "i" }, { signal: AbortSignal.abort(new Error("before")) }), /before/);
    server.close();
  });

  test("somebody else's server", async () => {
    const server = await stand_in([{ status: 502, text: "<html>" }]);
    const world = connect(server.url, { retries: 1 });
    await assert.rejects(
      world.stats(),
      (refused) => refused instanceof mneme.Unreachable && /is it mneme\?/.test(refused),
    );
    assert.equal(server.asked.length, 2);
    await assert.rejects(world.write(note("x")), mneme.OutcomeUnknown);
    assert.equal(server.asked.length, 3);
    server.close();
    assert.throws(() => connect("ftp://x"), mneme.InvalidRequest);
  });

  test("a client that was closed asks nobody", async () => {
    const server = await stand_in([done]);
    for (const options of [{}, { fetch }]) {
      const world = connect(server.url, options);
      await world.stats();
      world.as("ana").close();
      await assert.rejects(world.stats(), mneme.Shutdown);
    }
    assert.equal(server.asked.length, 2);
    server.close();
  });

  test("defaults are filled in where an op takes them", async () => {
    const server = await stand_in([done]);
    const world = connect(server.url, { actor: "ana", deadline_ms: 500 });
    await world.get({ id: "i" });
    await world.as("ben").get({ id: "i", actor: "eve" });
    await world.stats();
    await world.findMany({ items: [{ limit: 1 }] });
    await world.tick({ reads: [{ op: "get", id: "i" }], writes: [] });
    assert.deepEqual(server.asked, [
      { op: "get", id: "i", actor: "ana", deadline_ms: 500 },
      { op: "get", id: "i", actor: "eve", deadline_ms: 500 },
      { op: "stats", deadline_ms: 500 },
      { op: "find_many", items: [{ limit: 1, actor: "ana" }], deadline_ms: 500 },
      { op: "tick", reads: [{ op: "get", id: "i", actor: "ana" }], writes: [], deadline_ms: 500 },
    ]);
    server.close();
  });
});
