// Compiled, never run: what the client's types let a host say.

import { connect, unwrap, type Memory } from "mneme";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Equal<A, B> extends true ? [] : [never]): void {}

export async function use(): Promise<void> {
  const world = connect("http://127.0.0.1:8765", { actor: "ana" });
  const { memory } = await world.get({ id: "x" });
  same<typeof memory, Memory>();
  const statement: string = memory.version.created_at;
  const found = await world.find({ types: ["Note"], order_by: [{ field: "head.id", dir: "desc" }], limit: 5 });
  found.scores.map((score) => score.toFixed(2));
  const tick = await world.tick({
    reads: [
      { op: "find", limit: 5 },
      { op: "get", id: "x" },
    ],
    writes: [{ op: "put", namespace: "n", key: "k", type: "Note", data: { statement } }],
  });
  const memories: Memory[] = unwrap(tick.reads[0]).memories;
  const one: Memory = unwrap(tick.reads[1]).memory;
  const outcome: "created" | "updated" | "revived" = unwrap(tick.writes[0]).outcome;
  const { results } = await world.batch([{ op: "write", type: "Note", data: {} }]);
  const uri: string = results[0].uri;
  await world.asOf({ at_seq: 3 }).search({ query: "tea" });
  console.log(memories, one, outcome, uri);
  const near_vector = new Float32Array(3);
  await world.find({ near_vector, limit: 5 });
  await world.findMany({
    items: [
      { near_vector, limit: 5 },
      { near_vector: [1, 2, 3] as const, limit: 5 },
    ],
  });
  await world.write({ type: "Note", data: {}, vector: new Float64Array(3) });
  await world.search({ query: "tea", vector: [1, 2, 3] });
  await world.tick({ reads: [{ op: "find", near_vector, limit: 5 }] });

  // @ts-expect-error: a vector is of numbers
  await world.find({ near_vector: ["1"], limit: 5 });

  // @ts-expect-error: no such type of memory
  await world.find({ types: ["Poem"], limit: 5 });
  // @ts-expect-error: no such key
  await world.find({ limits: 5 });
  // @ts-expect-error: a key is missing
  await world.put({ namespace: "n", type: "Note", data: {} });
  // @ts-expect-error: a tick's item may have been refused
  tick.reads[0].memories;
  // @ts-expect-error: nothing is written into the past
  await world.asOf({ at_seq: 3 }).write({ type: "Note", data: {} });
  // @ts-expect-error: no read stands among a batch's items
  await world.batch([{ op: "get", id: "x" }]);
}
