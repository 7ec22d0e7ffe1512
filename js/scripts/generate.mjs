// Writes src/generated from what a server says of itself:
//
//   MNEME=../build/check/mneme node scripts/generate.mjs
//   node scripts/generate.mjs http://127.0.0.1:8765 [FOLDER]
//
// schemas.ts has the types of requests and answers, made by openapi-typescript; ops.ts a method for each op.

import { mkdir, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

import { serve } from "../test/served.mjs";

const HEADER = "// Made by scripts/generate.mjs from the OpenAPI document of `mneme serve`; not to be edited.\n\n";
const KEY = "components/schemas/";
/** What stands whole in the document wherever it is used, and has one type here. */
const SHARED = ["scope", "provenance"];
/** Their items tell what their answers are: client.ts has them. */
const TYPED_BY_HAND = new Set(["tick", "batch"]);

/** The keys of requests that all methods fill in from what the client was told once. */
const FILLED_IN = ["actor", "at_seq", "at", "scope", "deadline_ms"];

function camel(op) {
  return op.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

/** The document's schemas alone, with a name for what they share. */
function schemasOf(document) {
  const schemas = structuredClone(document.components.schemas);
  // Whatever request or answer: unions of all others.
  delete schemas.request;
  delete schemas.answer;
  for (const name of SHARED) {
    for (const schema of Object.values(schemas)) {
      const found = schema.properties?.[name];
      if (found === undefined || found.type !== "object" || found.properties === undefined) continue;
      const { description, ...shape } = found;
      if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(shape)) continue;
      schemas[name] = shape;
      schema.properties[name] = { $ref: `#/${KEY}${name}`, description };
    }
  }
  return schemas;
}

async function typesOf(document) {
  const made = await openapiTS(
    { openapi: "3.1.0", info: document.info, paths: {}, components: { schemas: schemasOf(document) } },
    { emptyObjectsUnknown: true, alphabetize: true },
  );
  const text = astToString(made);
  const from = text.indexOf("export interface components");
  const to = text.indexOf("export type $defs");
  return HEADER + text.slice(from, to === -1 ? undefined : to).trimEnd() + "\n";
}

function methodsOf(document) {
  const ops = Object.entries(document.paths)
    .map(([path, methods]) => [path, methods.post])
    .filter(([path, post]) => post !== undefined && path === `/v1/${post.operationId}`)
    .map(([, post]) => post)
    .filter((post) => document.components.schemas[`${post.operationId}_request`] !== undefined)
    .sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
  const takes = (op, key) => document.components.schemas[`${op}_request`].properties[key] !== undefined;
  const list = (names) => names.map((name) => `\n  "${name}",`).join("") + "\n";
  const methods = ops
    .filter((op) => !TYPED_BY_HAND.has(op.operationId))
    .map((op) => {
      const name = op.operationId;
      const needs = document.components.schemas[`${name}_request`].required ?? [];
      const example = JSON.stringify(op.requestBody.content["application/json"].example);
      return `
  /**
   * ${op.summary}
   *
   * As a line: \`${example.replaceAll("*/", "*\\/")}\`
   */
  ${camel(name)}(request: Request<"${name}">${needs.length === 0 ? " = {}" : ""}, options?: CallOptions): Promise<Answer<"${name}">> {
    return this.call("${name}", request, options);
  }
`;
    });
  return `${HEADER}import type { components } from "./schemas.js";
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
export type Request<Op extends OpName> = Taken<Omit<Schemas[\`\${Op}_request\`], "op">>;
/** What it answers, \`ok\` being true. */
export type Answer<Op extends OpName> = Schemas[\`\${Op}_answer\`];

export const OPS = [${list(ops.map((op) => op.operationId))}] as const;

/** Ops that change nothing, so that what broke off may be asked again. */
export const READS: ReadonlySet<string> = new Set([${list(
    ops.filter((op) => op["x-mneme-reads"]).map((op) => op.operationId),
  )}]);

/** Which ops take the keys that a client fills in. */
export const TAKES: Readonly<Record<string, ReadonlySet<string>>> = {${FILLED_IN.map(
    (key) => `
  ${key}: new Set([${list(ops.map((op) => op.operationId).filter((op) => takes(op, key)))}]),`,
  ).join("")}
};

/** A method for each op. */
export abstract class Ops {
  /** The answer to one request, or an error of errors.ts. */
  abstract call<Op extends OpName>(op: Op, request: Request<Op>, options?: CallOptions): Promise<Answer<Op>>;
${methods.join("")}}
`;
}

async function documentOf(url) {
  if (url !== undefined) return (await fetch(new URL("/openapi.json", url))).json();
  const server = await serve();
  try {
    return await documentOf(server.url);
  } finally {
    await server.remove();
  }
}

const [url, folder = new URL("../src/generated/", import.meta.url).pathname] = process.argv.slice(2);
const document = await documentOf(url);
await mkdir(folder, { recursive: true });
await writeFile(`${folder}/schemas.ts`, await typesOf(document));
await writeFile(`${folder}/ops.ts`, methodsOf(document));
