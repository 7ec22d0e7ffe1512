// Of: js/langgraph. The store against LangGraph's own one in memory, and against the Python package.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { AsyncBatchedStore, InMemoryStore, InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { connect } from "mneme";
import { MnemeStore } from "mneme/langgraph";
import { folder, serve } from "./served.mjs";
import { textsAt } from "../dist/langgraph/json_paths.js";
import { portions } from "../dist/langgraph/portions.js";

const DIMS = 8;

function random_from(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** A direction for each text. */
const embeddings = {
  async embedQuery(text) {
    const random = random_from([...text].reduce((hash, c) => Math.imul(hash, 31) + c.codePointAt(0), 7));
    return Array.from({ length: DIMS }, () => random(2001) / 1000 - 1);
  },
  async embedDocuments(texts) {
    return Promise.all(texts.map((text) => this.embedQuery(text)));
  },
};

/**
 * LangGraph's own store but for three of its ways: a value that is put again, or deleted, keeps no vector of before, and
 * a namespace without values is gone, as in the stores that it has on databases.
 */
class Oracle extends InMemoryStore {
  extractTexts(puts) {
    for (const { namespace, key } of puts) this.vectors.get(namespace.join(":"))?.delete(key);
    return super.extractTexts(puts);
  }

  listNamespacesOperation(op) {
    for (const [name, items] of this.data) if (items.size === 0) this.data.delete(name);
    return super.listNamespacesOperation(op);
  }

  /** What it answers would change with the next put, also with one of the same batch. */
  getOperation(op) {
    return structuredClone(super.getOperation(op));
  }
}

const LABELS = ["users", "ana", "bo", "notes", "ü", "a b"];
const FILTERS = [
  { kind: "habit" },
  { kind: { $eq: "work" } },
  { kind: { $ne: "habit" } },
  { hour: { $gte: 3, $lt: 7 } },
  { hour: { $gt: "5" } },
  { kind: "habit", hour: { $lte: 6 } },
  { kind: { $in: ["habit", "rest"] } },
  { kind: { $nin: ["habit"] } },
  { hour: 4 },
  { gone: { $ne: 1 } },
  { gone: 1 },
  { kind: {} },
  { kind: { a: 1 } },
  { kind: { $like: "x" } },
  { on: true },
  { none: null },
  { kind: { $eq: "work", $ne: "rest" } },
];
const PATHS = [["text"], ["text", "list[*].t"], ["list[-1].t", "{kind,deep.er}"], ["$"], ["nothing"], ["*"], []];

class Sequence {
  constructor(seed, indexed) {
    this.random = random_from(seed);
    this.indexed = indexed;
    this.texts = 0;
  }

  one(list) {
    return list[this.random(list.length)];
  }

  namespace(least = 1) {
    return Array.from({ length: least + this.random(3) }, () => this.one(LABELS));
  }

  value() {
    const value = { text: `text ${++this.texts}` };
    if (this.random(3)) value.kind = this.one(["habit", "work", "rest"]);
    if (this.random(3)) value.hour = this.random(9);
    if (this.random(4) === 0) value.on = true;
    if (this.random(4) === 0) value.none = null;
    if (this.random(3) === 0) value.list = [{ t: `item ${++this.texts}` }, { t: `item ${++this.texts}` }];
    if (this.random(4) === 0) value.deep = { er: `deep ${++this.texts}` };
    if (this.random(8) === 0) value.long = "long ".repeat(100);
    return value;
  }

  operation() {
    const kind = this.random(12);
    const key = this.one(["tea", "fish", "k 3"]);
    if (kind < 4) {
      const put = { namespace: this.namespace(), key, value: this.value() };
      if (this.indexed && this.random(3) === 0) put.index = this.random(2) ? false : this.one(PATHS);
      return put;
    }
    if (kind === 4) return { namespace: this.namespace(), key, value: null };
    if (kind < 8) return { namespace: this.namespace(), key };
    if (kind < 11) {
      const search = { namespacePrefix: this.namespace(0), limit: 1000, offset: 0 };
      if (this.random(2)) search.filter = this.one(FILTERS);
      if (this.random(2)) search.query = `text ${1 + this.random(this.texts + 1)}`;
      if (this.random(3) === 0) Object.assign(search, { limit: 1 + this.random(3), offset: this.random(4) });
      return search;
    }
    const list = { matchConditions: undefined, limit: 1 + this.random(9), offset: this.random(3) };
    if (this.random(2)) list.maxDepth = 1 + this.random(3);
    if (this.random(2))
      list.matchConditions = [{ matchType: this.one(["prefix", "suffix"]), path: [this.one(["*", ...LABELS])] }];
    return list;
  }
}

const named = ({ namespace, key }) => JSON.stringify([namespace, key]);
const timeless = (item) => {
  if (item === null || Array.isArray(item)) return item;
  const { createdAt, updatedAt, score, ...rest } = item;
  assert.ok(createdAt instanceof Date && updatedAt >= createdAt, named(item));
  return rest;
};

/** What both answer to one search. Between namespaces the original has no order that says anything. */
function same_hits(ours, all, op, place) {
  const { limit, offset } = op;
  const page = all.slice(offset, offset + limit);
  assert.equal(ours.length, page.length, place);
  const ranked = all.filter(({ score }) => score !== undefined).length;
  const wholes = new Map(all.map((item) => [named(item), item]));
  const isOrdered = new Set(all.map(({ namespace }) => JSON.stringify(namespace))).size <= 1;
  ours.forEach((hit, i) => {
    const whole = wholes.get(named(hit));
    assert.deepEqual(timeless(hit), timeless(whole), place);
    if (offset + i < ranked) {
      // Values that say the same are as near: which of them is first says nothing.
      for (const { score } of [whole, page[i]])
        assert.ok(Math.abs(hit.score - score) < 1e-4, `${place}: ${hit.score} ${score}`);
    } else {
      assert.equal(hit.score, undefined, place);
      if (isOrdered) assert.equal(named(hit), named(page[i]), place);
    }
  });
  assert.equal(new Set(ours.map(named)).size, ours.length, place);
}

async function same_answers(store, oracle, sequence, batches) {
  for (let n = 0; n < batches; ++n) {
    const ops = Array.from({ length: 1 + sequence.random(6) }, () => sequence.operation());
    // A page of the original's that begins behind all that has a score begins anew with what has none.
    const whole = ops.map((op) => ("namespacePrefix" in op ? { ...op, limit: 1000, offset: 0 } : op));
    const expected = await oracle.batch(whole);
    const answers = await store.batch(ops);
    assert.equal(answers.length, ops.length);
    ops.forEach((op, i) => {
      const place = `batch ${n}, ${JSON.stringify(op)}`;
      if ("namespacePrefix" in op) same_hits(answers[i], expected[i], op, place);
      else if ("value" in op) assert.equal(answers[i] ?? null, null);
      else if ("key" in op)
        assert.deepEqual(answers[i] && timeless(answers[i]), expected[i] && timeless(expected[i]), place);
      else assert.deepEqual(answers[i], expected[i], place);
    });
  }
}

describe("a store", () => {
  let server, world;
  before(async () => {
    server = await serve({ init: ["--embedder", "none"] });
    world = connect(server.url);
  });
  after(async () => {
    world.close();
    await server.remove();
  });

  for (const seed of [1, 2, 3])
    test(`answers as LangGraph's own does, seed ${seed}`, () =>
      same_answers(new MnemeStore(world, { actor: `plain ${seed}` }), new Oracle(), new Sequence(seed, false), 120));

  for (const seed of [4, 5, 6])
    test(`the same with vectors, seed ${seed}`, () => {
      const index = { dims: DIMS, embeddings, fields: PATHS[seed % PATHS.length] };
      return same_answers(
        new MnemeStore(world, { actor: `indexed ${seed}`, index }),
        new Oracle({ index }),
        new Sequence(seed, true),
        120,
      );
    });

  test("what is put again keeps when it was made; what was deleted is new", async () => {
    const store = new MnemeStore(world, { actor: "times" });
    await store.put(["a"], "k", { n: 1 });
    const first = await store.get(["a"], "k");
    await store.put(["a"], "k", { n: 2 });
    const second = await store.get(["a"], "k");
    assert.deepEqual([second.value, +second.createdAt], [{ n: 2 }, +first.createdAt]);
    assert.ok(second.updatedAt > first.updatedAt);
    await store.delete(["a"], "k");
    assert.equal(await store.get(["a"], "k"), null);
    await store.put(["a"], "k", { n: 3 });
    assert.ok((await store.get(["a"], "k")).createdAt > second.createdAt);
    await store.put(["a"], "k", { n: 3 }); // the same again
    assert.deepEqual((await store.get(["a"], "k")).value, { n: 3 });
  });

  test("what was deleted leaves nothing behind, vectors neither", async () => {
    const store = new MnemeStore(world, {
      actor: "tidy",
      index: { dims: DIMS, embeddings, fields: ["text", "more[*]"] },
    });
    const memories = async () => (await world.actors()).actors.find(({ actor }) => actor === "tidy")?.memories ?? 0;
    await store.put(["a"], "k", { text: "text 1", more: ["text 2", "text 3"] });
    assert.equal(await memories(), 4);
    await store.put(["a"], "k", { text: "text 1" });
    assert.equal(await memories(), 2);
    await store.put(["a"], "k", { text: "text 1" }, false);
    assert.equal(await memories(), 1);
    await store.put(["a"], "k", { text: "text 2" });
    await store.delete(["a"], "k");
    await store.delete(["a"], "k");
    assert.equal(await memories(), 0);
  });

  test("names are refused as LangGraph refuses them", async () => {
    await assert.rejects(new MnemeStore(world).put("abc", "k", {}), InvalidNamespaceError);
    for (const store of [new MnemeStore(world), new InMemoryStore()]) {
      for (const name of [[], ["a", ""], ["a.b"], ["a:b"], ["a\0"], ["langgraph", "x"], [1]])
        await assert.rejects(store.put(name, "k", {}), InvalidNamespaceError, JSON.stringify(name));
      await assert.rejects(store.batch([{ namespace: ["a.b"], key: "k" }]), InvalidNamespaceError);
      await assert.rejects(store.batch([{ namespacePrefix: ["a.b"] }]), InvalidNamespaceError);
      await store.batch([{ namespace: ["langgraph"], key: "k", value: { a: 1 } }]); // a batch may
      assert.deepEqual((await store.get(["langgraph"], "k")).value, { a: 1 });
    }
  });

  test("half of a surrogate pair is kept", async () => {
    const store = new MnemeStore(world, { actor: "halves" });
    await store.put(["half \ud800"], "\udc00", { text: "half \ud800" });
    assert.deepEqual((await store.get(["half \ud800"], "\udc00")).value, { text: "half \ud800" });
    assert.equal((await store.search([], { filter: { text: "half \ud800" } })).length, 1);
  });

  test("puts and gets that nobody awaits come in order", async () => {
    const store = new MnemeStore(world, { actor: "order" });
    const puts = Array.from({ length: 20 }, (_, n) => store.put(["a"], "k", { n }));
    const got = store.get(["a"], "k");
    await Promise.all(puts);
    assert.deepEqual((await got).value, { n: 19 });
    assert.equal((await store.search(["a"])).length, 1);
  });

  test("two programs that make one value at once have one afterwards", async () => {
    const stores = Array.from({ length: 4 }, () => new MnemeStore(connect(server.url), { actor: "crowd" }));
    await Promise.all(stores.map((store, n) => store.put(["a"], "k", { n })));
    assert.equal((await stores[0].search(["a"])).length, 1);
    assert.deepEqual((await stores[1].search(["a"]))[0].value, (await stores[1].get(["a"], "k")).value);
    await Promise.all(stores.map((store, n) => store.put(["a"], "k", { n: 10 + n })));
    await stores[2].delete(["a"], "k");
    assert.equal(await stores[3].get(["a"], "k"), null);
    assert.deepEqual(await stores[3].search(["a"]), []);
  });

  test("under LangGraph's own batching, a turn is a tick", async () => {
    const store = new AsyncBatchedStore(new MnemeStore(world, { actor: "turn" }));
    store.start();
    await Promise.all(Array.from({ length: 30 }, (_, n) => store.put(["n"], `k${n}`, { n })));
    const before = (await world.stats()).seq;
    const got = await Promise.all(Array.from({ length: 30 }, (_, n) => store.get(["n"], `k${n}`)));
    assert.deepEqual(
      got.map(({ value }) => value.n),
      Array.from({ length: 30 }, (_, n) => n),
    );
    assert.equal((await world.stats()).seq, before); // reads leave nothing
    store.stop();
  });

  test("many values, long ones, and what a world cannot hold", async () => {
    const store = new MnemeStore(world, { actor: "many" });
    await store.batch(
      Array.from({ length: 1200 }, (_, n) => ({
        namespace: ["m", `${n % 40}`],
        key: `${n}`,
        value: { n, text: "x".repeat(300) },
      })),
    );
    assert.equal((await store.search(["m"], { limit: 10_000 })).length, 1200);
    assert.deepEqual(
      (await store.search(["m"], { filter: { n: { $gte: 1199 } } })).map(({ key }) => key),
      ["1199"],
    );
    assert.equal((await store.listNamespaces({ prefix: ["m"], limit: 1000 })).length, 40);
    const long = "ü".repeat(200_000);
    await store.put(["long"], "k", { long });
    assert.equal((await store.get(["long"], "k")).value.long, long);
    await assert.rejects(store.put(["long"], "k", { long: long.repeat(4) }), /limit_exceeded/);
    assert.equal((await store.get(["long"], "k")).value.long, long); // as it was
    const deep = Array.from({ length: 20 }, (_, n) => `l${n}`);
    await store.put(deep, "k", { at: "the bottom" });
    assert.equal((await store.search(deep.slice(0, 17)))[0].value.at, "the bottom");
    assert.deepEqual(await store.search([...deep.slice(0, 16), "elsewhere"]), []);
  });

  test("writes in portions", () => {
    const items = (count, length) => Array.from({ length: count }, () => ({ op: "write", text: "x".repeat(length) }));
    assert.deepEqual(
      [...portions([items(6000, 1), items(6000, 1), items(3, 1)])].map((p) => p.length),
      [6000, 6003],
    );
    assert.deepEqual(
      [...portions([items(25_000, 1)])].map((p) => p.length),
      [10_000, 10_000, 5000],
    );
    assert.deepEqual(
      [...portions([items(2, 5 << 20), items(2, 5 << 20)])].map((p) => p.length),
      [2, 2],
    );
    assert.deepEqual([...portions([])], []);
  });

  test("texts at paths", () => {
    const value = { a: { b: "x", c: 3 }, l: [{ t: "1" }, { t: "2" }, {}], n: null, f: false };
    const told = (path) => textsAt(value, path);
    assert.deepEqual(told("a.b"), ["x"]);
    assert.deepEqual(told("l[*].t"), ["1", "2"]);
    assert.deepEqual(told("l[-3].t"), ["1"]);
    assert.deepEqual(told("l[7].t"), []);
    assert.deepEqual(told("{a.b,f,zz}"), ["x", "false"]);
    assert.deepEqual(told("a.*"), ["x", "3"]);
    assert.deepEqual(told("n"), []);
    assert.deepEqual(told("$"), [JSON.stringify(value, null, 2)]);
  });

  test("Python reads what was put here, and the other way round", async () => {
    const index = { dims: DIMS, embeddings, fields: ["text"] };
    const store = new MnemeStore(world, { actor: "both", index });
    await store.put(["users", "ünä"], 'tea "5"\x7f', { text: "text 1", kind: "habit", list: [1, { a: null }] });
    await store.put(["users", "bo"], "fish", { text: "text 2", kind: "work" });
    await store.put(["users", "bo"], "gone", { text: "text 3", kind: "work" });
    const vectors = Object.fromEntries(
      await Promise.all(
        ["text 1", "text 2", "text 3", "text 4"].map(async (text) => [text, await embeddings.embedQuery(text)]),
      ),
    );
    const program = `
import json, sys
import mneme
from mneme.adapters.langgraph import MnemeStore
url, vectors = sys.argv[1], json.loads(sys.argv[2])
index = {"dims": ${DIMS}, "embed": lambda texts: [vectors[text] for text in texts], "fields": ["text"]}
store = MnemeStore(world=mneme.connect(url), actor="both", index=index)
told = [[hit.key, hit.value] for hit in store.search(("users",), query="text 2", limit=2)]
told.append(store.get(("users", "ünä"), 'tea "5"\\x7f').value)
told.append([hit.key for hit in store.search((), filter={"kind": "habit"})])
told.append([list(name) for name in store.list_namespaces()])
store.delete(("users", "bo"), "gone")
store.put(("users", "bo"), "fish", {"text": "text 4", "kind": "rest"})
store.put(("users", "py"), "k", {"text": "text 1", "kind": "py"}, ttl=0.000001)
store.put(("users", "py"), "kept", {"text": "text 3", "kind": "py"}, ttl=60)
print(json.dumps(told))`;
    const python = spawnSync("python3", ["-c", program, server.url, JSON.stringify(vectors)], {
      encoding: "utf8",
      env: {
        ...process.env,
        PYTHONPATH: `${process.env.MNEME_TREE ?? fileURLToPath(new URL("../..", import.meta.url))}/python`,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    assert.equal(python.status, 0, python.stderr);
    const [nearest, , tea, habits, names] = JSON.parse(python.stdout);
    assert.deepEqual(nearest, ["fish", { text: "text 2", kind: "work" }]);
    assert.deepEqual(tea, { text: "text 1", kind: "habit", list: [1, { a: null }] });
    assert.deepEqual(habits, ['tea "5"\x7f']);
    assert.deepEqual(names, [
      ["users", "bo"],
      ["users", "ünä"],
    ]);

    assert.equal(await store.get(["users", "bo"], "gone"), null);
    const [fish] = await store.search(["users"], { query: "text 4", limit: 1 });
    assert.deepEqual([fish.key, fish.value.kind], ["fish", "rest"]);
    assert.ok(fish.score > 0.999 && fish.updatedAt > fish.createdAt);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      (await store.search([], { filter: { kind: "py" } })).map(({ key }) => key),
      ["kept"],
    );
    assert.equal(await store.get(["users", "py"], "k"), null); // its time is over
    await store.put(["users", "py"], "k", { text: "text 2" });
    assert.deepEqual((await store.get(["users", "py"], "k")).value, { text: "text 2" });
    assert.deepEqual(await store.listNamespaces({ suffix: ["py"] }), [["users", "py"]]);
  });
});
