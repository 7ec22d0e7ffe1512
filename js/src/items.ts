/** Requests that stand in ticks and batches, and the types of what each is answered. */

import type { Refused } from "./errors.js";
import type { Answer, OpName, Request } from "./generated/ops.js";

export const TICK_READS = ["find", "context", "retrieve", "chroma", "search", "get", "resolve", "edges"] as const;
export const BATCH_ITEMS = [
  "write",
  "put",
  "delete_by",
  "sweep",
  "update",
  "update_head",
  "tombstone",
  "restore",
  "add_edge",
  "remove_edge",
  "assign_tag",
  "set_weights",
  "ingest",
] as const;
export const TICK_WRITES = [...BATCH_ITEMS, "attest", "compact"] as const;

type Item<Op extends OpName> = { [Name in Op]: { op: Name } & Request<Name> }[Op];
export type TickRead = Item<(typeof TICK_READS)[number]>;
export type BatchItem = Item<(typeof BATCH_ITEMS)[number]>;
export type TickWrite = Item<(typeof TICK_WRITES)[number]>;

type AnswerTo<Asked> = Asked extends { op: infer Op extends OpName } ? Answer<Op> : never;
/** An answer for each item, in their order. */
export type Answers<Items extends readonly unknown[]> = { -readonly [I in keyof Items]: AnswerTo<Items[I]> };
/** The same where each may have been refused by itself. */
export type Outcomes<Items extends readonly unknown[]> = { -readonly [I in keyof Items]: AnswerTo<Items[I]> | Refused };
