/** Vectors as requests have them. */

import { InvalidRequest } from "./errors.js";

/** No server reads what is nested half as deep. */
const MOST_NESTED = 200;

/** What a vector may be given as. */
export type Vector = readonly number[] | Float32Array | Float64Array;

/** The keys of requests that hold one. */
const KEYS = ["vector", "near_vector"];

/**
 * A vector as base64 of its 32-bit floats, which every `vector` and `near_vector` takes: a fourth of the bytes of a list
 * of numbers, and hardly any time.
 */
export function encodeVector(vector: Vector): string {
  check(vector, "vector");
  const bytes = new DataView(new ArrayBuffer(4 * vector.length));
  vector.forEach((number: number, place: number) => bytes.setFloat32(4 * place, number, true));
  return Buffer.from(bytes.buffer).toString("base64");
}

/** JSON has no NaN and no infinity: they would arrive as null. */
function check(vector: Vector, at: string): void {
  const place = vector.findIndex((number: unknown) => typeof number === "number" && !Number.isFinite(number));
  if (place < 0) return;
  const message = `the numbers of a vector are finite: this one is ${vector[place]}`;
  throw new InvalidRequest({ code: "bad_vector", message, at: `${at}[${place}]` });
}

/** The request as JSON. What JSON does not have is refused, and that says where it stands. */
export function asJson(request: Record<string, unknown>): string {
  const text = stringified(request);
  // A number that is not finite would arrive as null, which is the same as not given.
  const found = text.includes("null") ? notFinite(request, "") : undefined;
  if (found === undefined) return text;
  const message = `a number is finite, and this is ${found.number}`;
  throw new InvalidRequest({ code: "out_of_range", message, at: found.at });
}

function stringified(request: Record<string, unknown>): string {
  try {
    return JSON.stringify(request);
  } catch (cause) {
    const found = unsayable(request, "", new Set());
    if (found === undefined) throw cause;
    throw new InvalidRequest({ code: "bad_json", message: found.why, at: found.at }, { cause });
  }
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/** Where the first value stands of which JSON.stringify makes no text, and why; `within` are those around it. */
function unsayable(value: unknown, at: string, within: Set<object>): { at: string; why: string } | undefined {
  if (typeof value === "bigint" && !isJson(value)) return { at, why: `JSON has no BigInt, and this is ${value}n` };
  if (typeof value !== "object" || value === null) return undefined;
  if (within.has(value)) return { at, why: "a value is not within itself" };
  if (within.size > MOST_NESTED) return { at, why: `a request is not nested ${MOST_NESTED} levels deep` };
  if ("toJSON" in value) return isJson(value) ? undefined : { at, why: "its toJSON() makes no JSON" };
  within.add(value);
  for (const [key, item] of Object.entries(value)) {
    const found = unsayable(item, placeOf(value, at, key), within);
    if (found !== undefined) return found;
  }
  within.delete(value);
  return undefined;
}

function placeOf(outer: object, at: string, key: string): string {
  if (Array.isArray(outer)) return `${at}[${key}]`;
  return at === "" ? key : `${at}.${key}`;
}

function notFinite(value: unknown, at: string): { at: string; number: number } | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { at, number: value };
  if (typeof value !== "object" || value === null) return undefined;
  if ("toJSON" in value) return undefined; // it says itself what it is
  for (const [key, item] of Object.entries(value)) {
    const found = notFinite(item, placeOf(value, at, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The request with its vectors as JSON has them. `at` is where the request stands, "writes[3]." of an item. */
export function withVectors(request: Record<string, unknown>, at = ""): Record<string, unknown> {
  for (const key of KEYS) {
    const given = request[key];
    if (Array.isArray(given)) check(given as number[], at + key);
    if (!(given instanceof Float32Array || given instanceof Float64Array)) continue;
    check(given, at + key);
    request[key] = encodeVector(given);
  }
  const write = request["write"]; // of what supersedes
  if (typeof write === "object" && write !== null) request["write"] = withVectors({ ...write }, `${at}write.`);
  return request;
}
