export type { CallOptions } from "./call_options.js";
export { connect, type ConnectOptions, Mneme, type Past } from "./client.js";
export * from "./errors.js";
export { Gathered } from "./gathered.js";
export type { Answer, OpName, Request } from "./generated/ops.js";
export { encodeVector, type Vector } from "./vectors.js";
export type { Answers, BatchItem, Outcomes, TickRead, TickWrite } from "./items.js";

import type { components } from "./generated/schemas.js";

/** Memories, edges and hits, as answers have them. */
export type Memory = components["schemas"]["memory"];
export type Version = components["schemas"]["version"];
export type Edge = components["schemas"]["edge"];
export type Hit = components["schemas"]["hit"];
export type Scope = components["schemas"]["scope"];
