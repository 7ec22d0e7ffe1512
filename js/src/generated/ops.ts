// Made by scripts/generate.mjs from the OpenAPI document of `mneme serve`; not to be edited.

import type { components } from "./schemas.js";
import type { CallOptions } from "../call_options.js";
import type { Vector } from "../vectors.js";

type Schemas = components["schemas"];

/** The ops of the protocol by name. */
export type OpName = (typeof OPS)[number];
/** Vectors may be given as arrays of floats, also in lists of requests. */
type Taken<Asked> = {
  [Key in keyof Asked]: Key extends "vector" | "near_vector"
    ? Asked[Key] | Vector
    : Key extends "items"
      ? Asked[Key] extends (infer Item)[]
        ? Taken<Item>[]
        : Asked[Key]
      : Asked[Key];
};
/** What an op is asked with. */
export type Request<Op extends OpName> = Taken<Omit<Schemas[`${Op}_request`], "op">>;
/** What it answers, `ok` being true. */
export type Answer<Op extends OpName> = Schemas[`${Op}_answer`];

export const OPS = [
  "absent",
  "actors",
  "add_edge",
  "assign_tag",
  "attest",
  "batch",
  "changes",
  "checkpoint",
  "chroma",
  "chroma_many",
  "clock",
  "compact",
  "context",
  "decay",
  "delete_by",
  "edges",
  "erase",
  "find",
  "find_many",
  "forget",
  "forget_matching",
  "get",
  "get_edge",
  "history",
  "ingest",
  "ingest_source",
  "journal",
  "list",
  "load_compact",
  "namespaces",
  "point",
  "promote",
  "prove",
  "put",
  "remove_edge",
  "replay_receipt",
  "resolve",
  "restore",
  "retrieve",
  "retrieve_many",
  "revise",
  "root",
  "search",
  "search_many",
  "set_weights",
  "snapshot",
  "stale_of",
  "stats",
  "suggest_hashtags",
  "supersede_matching",
  "sweep",
  "tags",
  "tick",
  "tombstone",
  "trim",
  "unarchive",
  "update",
  "update_head",
  "verify",
  "weights",
  "write",
] as const;

/** Ops that change nothing, so that what broke off may be asked again. */
export const READS: ReadonlySet<string> = new Set([
  "absent",
  "actors",
  "changes",
  "context",
  "edges",
  "find",
  "find_many",
  "get",
  "get_edge",
  "history",
  "journal",
  "list",
  "load_compact",
  "namespaces",
  "point",
  "prove",
  "replay_receipt",
  "resolve",
  "root",
  "search",
  "search_many",
  "stale_of",
  "stats",
  "suggest_hashtags",
  "tags",
  "verify",
  "weights",
]);

/** Which ops take the keys that a client fills in. */
export const TAKES: Readonly<Record<string, ReadonlySet<string>>> = {
  actor: new Set([
  "absent",
  "actors",
  "add_edge",
  "assign_tag",
  "attest",
  "changes",
  "chroma",
  "compact",
  "context",
  "decay",
  "delete_by",
  "edges",
  "find",
  "forget",
  "forget_matching",
  "get",
  "get_edge",
  "history",
  "ingest",
  "ingest_source",
  "list",
  "load_compact",
  "namespaces",
  "promote",
  "prove",
  "put",
  "remove_edge",
  "resolve",
  "restore",
  "retrieve",
  "revise",
  "search",
  "set_weights",
  "snapshot",
  "stale_of",
  "supersede_matching",
  "sweep",
  "tombstone",
  "unarchive",
  "update",
  "update_head",
  "write",
]),
  at_seq: new Set([
  "absent",
  "actors",
  "chroma",
  "context",
  "edges",
  "find",
  "get",
  "get_edge",
  "history",
  "list",
  "load_compact",
  "namespaces",
  "point",
  "resolve",
  "retrieve",
  "root",
  "search",
  "stale_of",
  "suggest_hashtags",
  "tags",
  "weights",
]),
  at: new Set([
  "absent",
  "actors",
  "chroma",
  "context",
  "edges",
  "find",
  "get",
  "get_edge",
  "history",
  "list",
  "load_compact",
  "namespaces",
  "point",
  "resolve",
  "retrieve",
  "root",
  "search",
  "stale_of",
  "suggest_hashtags",
  "tags",
  "weights",
]),
  scope: new Set([
  "absent",
  "actors",
  "add_edge",
  "attest",
  "batch",
  "changes",
  "chroma",
  "compact",
  "context",
  "delete_by",
  "edges",
  "find",
  "forget",
  "forget_matching",
  "get",
  "get_edge",
  "history",
  "ingest",
  "list",
  "namespaces",
  "prove",
  "put",
  "remove_edge",
  "resolve",
  "restore",
  "retrieve",
  "revise",
  "search",
  "stale_of",
  "supersede_matching",
  "tombstone",
  "unarchive",
  "update",
  "update_head",
  "write",
]),
  deadline_ms: new Set([
  "absent",
  "actors",
  "add_edge",
  "assign_tag",
  "attest",
  "batch",
  "changes",
  "checkpoint",
  "chroma",
  "chroma_many",
  "compact",
  "context",
  "decay",
  "delete_by",
  "edges",
  "erase",
  "find",
  "find_many",
  "forget",
  "forget_matching",
  "get",
  "get_edge",
  "history",
  "ingest",
  "ingest_source",
  "journal",
  "list",
  "load_compact",
  "namespaces",
  "point",
  "promote",
  "prove",
  "put",
  "remove_edge",
  "replay_receipt",
  "resolve",
  "restore",
  "retrieve",
  "retrieve_many",
  "revise",
  "root",
  "search",
  "search_many",
  "set_weights",
  "snapshot",
  "stale_of",
  "stats",
  "suggest_hashtags",
  "supersede_matching",
  "sweep",
  "tags",
  "tick",
  "tombstone",
  "trim",
  "unarchive",
  "update",
  "update_head",
  "verify",
  "weights",
  "write",
]),
};

/** A method for each op. */
export abstract class Ops {
  /** The answer to one request, or an error of errors.ts. */
  abstract call<Op extends OpName>(op: Op, request: Request<Op>, options?: CallOptions): Promise<Answer<Op>>;

  /**
   * no memory says that: what was searched, and proofs that ids and fields are not there
   *
   * As a line: `{"op":"absent","query":"zeppelin schedules","ids":["00000000000000000000000009"]}`
   */
  absent(request: Request<"absent"> = {}, options?: CallOptions): Promise<Answer<"absent">> {
    return this.call("absent", request, options);
  }

  /**
   * the actors, and how many live memories each has
   *
   * As a line: `{"op":"actors"}`
   */
  actors(request: Request<"actors"> = {}, options?: CallOptions): Promise<Answer<"actors">> {
    return this.call("actors", request, options);
  }

  /**
   * a typed, directed edge
   *
   * As a line: `{"op":"add_edge","src":"00000000000000000000000001","type":"references","dst":"00000000000000000000000002"}`
   */
  addEdge(request: Request<"add_edge">, options?: CallOptions): Promise<Answer<"add_edge">> {
    return this.call("add_edge", request, options);
  }

  /**
   * bind a hashtag to an anchor of the colour space, for good
   *
   * As a line: `{"op":"assign_tag","tag":"honey","zone":"Mid"}`
   */
  assignTag(request: Request<"assign_tag">, options?: CallOptions): Promise<Answer<"assign_tag">> {
    return this.call("assign_tag", request, options);
  }

  /**
   * what came of an intent; the actor's salience weights learn
   *
   * As a line: `{"op":"attest","intent_id":"trip","outcome":"success","cited":["mneme://Note/00000000000000000000000001#1"]}`
   */
  attest(request: Request<"attest">, options?: CallOptions): Promise<Answer<"attest">> {
    return this.call("attest", request, options);
  }

  /**
   * what was committed behind a seq, in order; waits for it where told to
   *
   * As a line: `{"op":"changes","since":0,"limit":10}`
   */
  changes(request: Request<"changes"> = {}, options?: CallOptions): Promise<Answer<"changes">> {
    return this.call("changes", request, options);
  }

  /**
   * make the next open fast
   *
   * As a line: `{"op":"checkpoint"}`
   */
  checkpoint(request: Request<"checkpoint"> = {}, options?: CallOptions): Promise<Answer<"checkpoint">> {
    return this.call("checkpoint", request, options);
  }

  /**
   * the door by colour: near in hashtags, recent, strong
   *
   * As a line: `{"op":"chroma","hashtags":["tea","leaf","cup","steam","rain","moss","clay","storm"],"k":5}`
   */
  chroma(request: Request<"chroma"> = {}, options?: CallOptions): Promise<Answer<"chroma">> {
    return this.call("chroma", request, options);
  }

  /**
   * many chroma queries at one seq
   *
   * As a line: `{"op":"chroma_many","items":[]}`
   */
  chromaMany(request: Request<"chroma_many">, options?: CallOptions): Promise<Answer<"chroma_many">> {
    return this.call("chroma_many", request, options);
  }

  /**
   * set the manual clock (shell --clock manual)
   *
   * As a line: `{"op":"clock","now":"2024-01-31T10:00:00Z"}`
   */
  clock(request: Request<"clock">, options?: CallOptions): Promise<Answer<"clock">> {
    return this.call("clock", request, options);
  }

  /**
   * shrink a context: what bears load stays, the rest becomes short
   *
   * As a line: `{"op":"compact","in_context":["mneme://Note/00000000000000000000000001#1"],"load_bearing":[],"intent_id":"trip","step_id":"1"}`
   */
  compact(request: Request<"compact">, options?: CallOptions): Promise<Answer<"compact">> {
    return this.call("compact", request, options);
  }

  /**
   * what an agent should know first: pinned, outcomes, frame-relevant; then what a query finds, or without a question what is most salient
   *
   * As a line: `{"op":"context","query":"when is tea served","budget_tokens":1500}`
   */
  context(request: Request<"context"> = {}, options?: CallOptions): Promise<Answer<"context">> {
    return this.call("context", request, options);
  }

  /**
   * one decay cycle of the colour space
   *
   * As a line: `{"op":"decay"}`
   */
  decay(request: Request<"decay"> = {}, options?: CallOptions): Promise<Answer<"decay">> {
    return this.call("decay", request, options);
  }

  /**
   * tombstone the memory that has a key of your own, if there is one
   *
   * As a line: `{"op":"delete_by","namespace":"tea","key":"today"}`
   */
  deleteBy(request: Request<"delete_by">, options?: CallOptions): Promise<Answer<"delete_by">> {
    return this.call("delete_by", request, options);
  }

  /**
   * the edges of a memory: out first, then in, each by type and other id
   *
   * As a line: `{"op":"edges","id":"00000000000000000000000001","direction":"both"}`
   */
  edges(request: Request<"edges"> = {}, options?: CallOptions): Promise<Answer<"edges">> {
    return this.call("edges", request, options);
  }

  /**
   * overwrite what memories said, everywhere and for good; roots and proofs stay what they are
   *
   * As a line: `{"op":"erase","ids":["00000000000000000000000001"],"reason":"asked for","by":"ana","dry_run":true}`
   */
  erase(request: Request<"erase">, options?: CallOptions): Promise<Answer<"erase">> {
    return this.call("erase", request, options);
  }

  /**
   * the typed query
   *
   * As a line: `{"op":"find","types":["Note"],"limit":5}`
   */
  find(request: Request<"find"> = {}, options?: CallOptions): Promise<Answer<"find">> {
    return this.call("find", request, options);
  }

  /**
   * many finds at one seq
   *
   * As a line: `{"op":"find_many","items":[{"types":["Note"],"limit":5}]}`
   */
  findMany(request: Request<"find_many">, options?: CallOptions): Promise<Answer<"find_many">> {
    return this.call("find_many", request, options);
  }

  /**
   * archive topics whose salience is below 0.05
   *
   * As a line: `{"op":"forget"}`
   */
  forget(request: Request<"forget"> = {}, options?: CallOptions): Promise<Answer<"forget">> {
    return this.call("forget", request, options);
  }

  /**
   * forget what words mean: by identifier, else by name, else by meaning; dry_run only shows it
   *
   * As a line: `{"op":"forget_matching","words":"everything about the harbour","dry_run":true}`
   */
  forgetMatching(request: Request<"forget_matching">, options?: CallOptions): Promise<Answer<"forget_matching">> {
    return this.call("forget_matching", request, options);
  }

  /**
   * the newest version of a memory, by id or by namespace and key, of a topic also its fields; raw adds the canonical head, history and events what a topic went through
   *
   * As a line: `{"op":"get","id":"00000000000000000000000001"}`
   */
  get(request: Request<"get"> = {}, options?: CallOptions): Promise<Answer<"get">> {
    return this.call("get", request, options);
  }

  /**
   * one edge, also a tombstoned one
   *
   * As a line: `{"op":"get_edge","src":"00000000000000000000000001","type":"references","dst":"00000000000000000000000002"}`
   */
  getEdge(request: Request<"get_edge">, options?: CallOptions): Promise<Answer<"get_edge">> {
    return this.call("get_edge", request, options);
  }

  /**
   * all versions of a memory, newest first, and what each changed
   *
   * As a line: `{"op":"history","id":"00000000000000000000000001"}`
   */
  history(request: Request<"history"> = {}, options?: CallOptions): Promise<Answer<"history">> {
    return this.call("history", request, options);
  }

  /**
   * a new topic, more of one, or the next revision of one field
   *
   * As a line: `{"op":"ingest","placement":"new_topic","title":"Harbour","fields":{"depth":{"value":12.5}}}`
   */
  ingest(request: Request<"ingest">, options?: CallOptions): Promise<Answer<"ingest">> {
    return this.call("ingest", request, options);
  }

  /**
   * cut a file, folder or git working tree into chunks
   *
   * As a line: `{"op":"ingest_source","path":"docs"}`
   */
  ingestSource(request: Request<"ingest_source">, options?: CallOptions): Promise<Answer<"ingest_source">> {
    return this.call("ingest_source", request, options);
  }

  /**
   * entries of the journal
   *
   * As a line: `{"op":"journal","limit":10}`
   */
  journal(request: Request<"journal"> = {}, options?: CallOptions): Promise<Answer<"journal">> {
    return this.call("journal", request, options);
  }

  /**
   * what there is, newest first, page by page
   *
   * As a line: `{"op":"list","limit":10}`
   */
  list(request: Request<"list"> = {}, options?: CallOptions): Promise<Answer<"list">> {
    return this.call("list", request, options);
  }

  /**
   * the newest compact record of an intent's step
   *
   * As a line: `{"op":"load_compact","intent_id":"trip","step_id":"1"}`
   */
  loadCompact(request: Request<"load_compact">, options?: CallOptions): Promise<Answer<"load_compact">> {
    return this.call("load_compact", request, options);
  }

  /**
   * the namespaces of keys, and how many live memories each has
   *
   * As a line: `{"op":"namespaces"}`
   */
  namespaces(request: Request<"namespaces"> = {}, options?: CallOptions): Promise<Answer<"namespaces">> {
    return this.call("namespaces", request, options);
  }

  /**
   * the point of a set of hashtags
   *
   * As a line: `{"op":"point","hashtags":["tea","leaf","cup","steam","rain","moss","clay","storm"]}`
   */
  point(request: Request<"point">, options?: CallOptions): Promise<Answer<"point">> {
    return this.call("point", request, options);
  }

  /**
   * a chunk that was made a memory: searches find the memory
   *
   * As a line: `{"op":"promote","chunk":"00000000000000000000000004","memory":"00000000000000000000000002"}`
   */
  promote(request: Request<"promote">, options?: CallOptions): Promise<Answer<"promote">> {
    return this.call("promote", request, options);
  }

  /**
   * proofs of presence or absence against a root
   *
   * As a line: `{"op":"prove","seqs":[1]}`
   */
  prove(request: Request<"prove"> = {}, options?: CallOptions): Promise<Answer<"prove">> {
    return this.call("prove", request, options);
  }

  /**
   * write the memory that has a key of your own, or make it; what was tombstoned is back
   *
   * As a line: `{"op":"put","namespace":"tea","key":"today","type":"Note","data":{"statement":"tea at five"},"payload":"{\"cups\":2}"}`
   */
  put(request: Request<"put">, options?: CallOptions): Promise<Answer<"put">> {
    return this.call("put", request, options);
  }

  /**
   * tombstone an edge
   *
   * As a line: `{"op":"remove_edge","src":"00000000000000000000000001","type":"references","dst":"00000000000000000000000002"}`
   */
  removeEdge(request: Request<"remove_edge">, options?: CallOptions): Promise<Answer<"remove_edge">> {
    return this.call("remove_edge", request, options);
  }

  /**
   * ask again what a receipt says was asked: is the answer the same?
   *
   * As a line: `{"op":"replay_receipt","receipt":{"version":1,"op":"search","request":{"query":"tea","now":"2024-01-31T10:00:00Z"},"seq":1,"root":"00","world_id":"00","exact":true,"ranking":1,"results":[],"hash":"a7658d0f4d3cc8b99c730464b70adda7a2c4ec6aff0a9e51965735332571d206"}}`
   */
  replayReceipt(request: Request<"replay_receipt">, options?: CallOptions): Promise<Answer<"replay_receipt">> {
    return this.call("replay_receipt", request, options);
  }

  /**
   * exactly one version of a memory
   *
   * As a line: `{"op":"resolve","uri":"mneme://Note/00000000000000000000000001#1"}`
   */
  resolve(request: Request<"resolve">, options?: CallOptions): Promise<Answer<"resolve">> {
    return this.call("resolve", request, options);
  }

  /**
   * bring back what was tombstoned or forgotten, or a topic that was archived, as it was; what superseded it stays
   *
   * As a line: `{"op":"restore","id":"00000000000000000000000001"}`
   */
  restore(request: Request<"restore"> = {}, options?: CallOptions): Promise<Answer<"restore">> {
    return this.call("restore", request, options);
  }

  /**
   * topics near to a question, with neighbours, fields and their history
   *
   * As a line: `{"op":"retrieve","q":"harbour"}`
   */
  retrieve(request: Request<"retrieve"> = {}, options?: CallOptions): Promise<Answer<"retrieve">> {
    return this.call("retrieve", request, options);
  }

  /**
   * many retrieves at one seq
   *
   * As a line: `{"op":"retrieve_many","items":[{"q":"harbour"}]}`
   */
  retrieveMany(request: Request<"retrieve_many">, options?: CallOptions): Promise<Answer<"retrieve_many">> {
    return this.call("retrieve_many", request, options);
  }

  /**
   * merge topics with equal titles into the smallest id
   *
   * As a line: `{"op":"revise"}`
   */
  revise(request: Request<"revise"> = {}, options?: CallOptions): Promise<Answer<"revise">> {
    return this.call("revise", request, options);
  }

  /**
   * the root over all state
   *
   * As a line: `{"op":"root"}`
   */
  root(request: Request<"root"> = {}, options?: CallOptions): Promise<Answer<"root">> {
    return this.call("root", request, options);
  }

  /**
   * one question over memories and chunks
   *
   * As a line: `{"op":"search","query":"when is tea"}`
   */
  search(request: Request<"search"> = {}, options?: CallOptions): Promise<Answer<"search">> {
    return this.call("search", request, options);
  }

  /**
   * many searches at one seq
   *
   * As a line: `{"op":"search_many","items":[{"query":"tea"}]}`
   */
  searchMany(request: Request<"search_many">, options?: CallOptions): Promise<Answer<"search_many">> {
    return this.call("search_many", request, options);
  }

  /**
   * what searches weigh by, unless they say otherwise: some of them, or reset to those that the world was made with
   *
   * As a line: `{"op":"set_weights","weights":"neighbours=0.2,newer=0"}`
   */
  setWeights(request: Request<"set_weights"> = {}, options?: CallOptions): Promise<Answer<"set_weights">> {
    return this.call("set_weights", request, options);
  }

  /**
   * pin the present roots in the journal
   *
   * As a line: `{"op":"snapshot","reason":"before the trip"}`
   */
  snapshot(request: Request<"snapshot"> = {}, options?: CallOptions): Promise<Answer<"snapshot">> {
    return this.call("snapshot", request, options);
  }

  /**
   * what rests on a memory that was tombstoned, superseded or contradicted, and was not affirmed since, in id order
   *
   * As a line: `{"op":"stale_of","id":"00000000000000000000000001"}`
   */
  staleOf(request: Request<"stale_of"> = {}, options?: CallOptions): Promise<Answer<"stale_of">> {
    return this.call("stale_of", request, options);
  }

  /**
   * counts and sizes of the world
   *
   * As a line: `{"op":"stats"}`
   */
  stats(request: Request<"stats"> = {}, options?: CallOptions): Promise<Answer<"stats">> {
    return this.call("stats", request, options);
  }

  /**
   * assigned hashtags that a text names
   *
   * As a line: `{"op":"suggest_hashtags","text":"green tea"}`
   */
  suggestHashtags(request: Request<"suggest_hashtags">, options?: CallOptions): Promise<Answer<"suggest_hashtags">> {
    return this.call("suggest_hashtags", request, options);
  }

  /**
   * write a memory in place of what said the old (or of what words mean), in one step
   *
   * As a line: `{"op":"supersede_matching","write":{"type":"Note","data":{"statement":"tea is at six"}}}`
   */
  supersedeMatching(request: Request<"supersede_matching">, options?: CallOptions): Promise<Answer<"supersede_matching">> {
    return this.call("supersede_matching", request, options);
  }

  /**
   * tombstone what has expired (expires_at), the earliest first
   *
   * As a line: `{"op":"sweep"}`
   */
  sweep(request: Request<"sweep"> = {}, options?: CallOptions): Promise<Answer<"sweep">> {
    return this.call("sweep", request, options);
  }

  /**
   * every assigned hashtag
   *
   * As a line: `{"op":"tags"}`
   */
  tags(request: Request<"tags"> = {}, options?: CallOptions): Promise<Answer<"tags">> {
    return this.call("tags", request, options);
  }

  /**
   * take a memory out of every answer; its versions stay readable, and restore undoes it
   *
   * As a line: `{"op":"tombstone","uri":"mneme://Note/00000000000000000000000001#1","reason":"over"}`
   */
  tombstone(request: Request<"tombstone"> = {}, options?: CallOptions): Promise<Answer<"tombstone">> {
    return this.call("tombstone", request, options);
  }

  /**
   * drop how the world was used before a point; what was said stays
   *
   * As a line: `{"op":"trim","dry_run":true}`
   */
  trim(request: Request<"trim"> = {}, options?: CallOptions): Promise<Answer<"trim">> {
    return this.call("trim", request, options);
  }

  /**
   * bring an archived topic back
   *
   * As a line: `{"op":"unarchive","id":"00000000000000000000000003"}`
   */
  unarchive(request: Request<"unarchive">, options?: CallOptions): Promise<Answer<"unarchive">> {
    return this.call("unarchive", request, options);
  }

  /**
   * a new version of a memory: data whole, or replace of one span of its text
   *
   * As a line: `{"op":"update","uri":"mneme://Note/00000000000000000000000001#1","data":{"statement":"tea at six"}}`
   */
  update(request: Request<"update"> = {}, options?: CallOptions): Promise<Answer<"update">> {
    return this.call("update", request, options);
  }

  /**
   * tags, frames, importance, visibility, lifecycle or metadata; or affirm
   *
   * As a line: `{"op":"update_head","uri":"mneme://Note/00000000000000000000000001#1","tags":["tea"]}`
   */
  updateHead(request: Request<"update_head"> = {}, options?: CallOptions): Promise<Answer<"update_head">> {
    return this.call("update_head", request, options);
  }

  /**
   * check the whole journal: sums, chain and every recorded root
   *
   * As a line: `{"op":"verify"}`
   */
  verify(request: Request<"verify"> = {}, options?: CallOptions): Promise<Answer<"verify">> {
    return this.call("verify", request, options);
  }

  /**
   * what searches weigh by, unless they say otherwise
   *
   * As a line: `{"op":"weights"}`
   */
  weights(request: Request<"weights"> = {}, options?: CallOptions): Promise<Answer<"weights">> {
    return this.call("weights", request, options);
  }

  /**
   * a new memory
   *
   * As a line: `{"op":"write","type":"Note","data":{"statement":"tea at five"}}`
   */
  write(request: Request<"write">, options?: CallOptions): Promise<Answer<"write">> {
    return this.call("write", request, options);
  }
}
