/**
 * How values lie in a world: as the Python package puts them, so that each reads what the other wrote.
 *
 * A value is a Note whose statement is its JSON. It has a tag for (namespace, key), and one for each level of the
 * namespace; its metadata tell the names, and short texts of it that a filter may find. A vector of a value is a
 * Note beside it, since one memory has one vector.
 */

import { createHash } from "node:crypto";

import type { BatchItem, Memory, Request } from "../src/index.js";

export type Value = Record<string, unknown>;
export type Namespace = readonly string[];

/** A value that is there, and where. */
export interface Kept {
  namespace: string[];
  key: string;
  value: Value;
  memory: Memory;
  /** Seconds since 1970, where somebody gave it a time to live. */
  expires: number | undefined;
}

/** Levels of a namespace that have a tag each: a memory has 16 tags. */
const MOST_LEVELS = 13;
/** Texts of a value that have metadata each, and how long one is. */
const MOST_INDEXED = 40;
const LONGEST_INDEXED = 200;

export class Layout {
  readonly #actor: string;

  constructor(actor: string) {
    this.#actor = actor;
  }

  /** Finds a value; where two programs made it at once, the newest comes first. */
  get(namespace: Namespace, key: string): Request<"find"> {
    return this.#find({ has_tag: this.keyTag(namespace, key) }, 100, { order_by: [{ field: "head.id", dir: "desc" }] });
  }

  /** Finds the value whose vectors name it so. */
  ofKeyTag(tag: string): Request<"find"> {
    return this.#find({ has_tag: tag }, 1, { order_by: [{ field: "head.id", dir: "desc" }] });
  }

  /** Finds the vectors of a value. */
  vectorsOf(namespace: Namespace, key: string): Request<"find"> {
    return this.#find({ has_tag: this.#vectorTag(this.keyTag(namespace, key)) }, 100_000, {});
  }

  /** Finds values of namespaces that begin so, the oldest first: at least all those with these texts. */
  under(prefix: Namespace, same: Readonly<Record<string, unknown>>, limit: number): Request<"find"> {
    const texts = Object.entries(same).filter(([name, text]) => isIndexed(name, text));
    return this.#find(
      {
        and: [
          { has_tag: this.#levelTag("value", prefix) },
          ...texts.map(([name, text]) => ({ or: [{ eq: [`meta.v.${name}`, text] }, { eq: ["meta.many", true] }] })),
        ],
      },
      limit,
      { order_by: [{ field: "head.id", dir: "asc" }] },
    );
  }

  /** Finds the nearest vectors of namespaces that begin so. */
  near(prefix: Namespace, vector: readonly number[], limit: number): Request<"find"> {
    return this.#find({ has_tag: this.#levelTag("vector", prefix) }, limit, {
      near_vector: [...vector],
      rank: "distance",
    });
  }

  /** Puts a value in the place of an old one and of its vectors. */
  put(
    namespace: Namespace,
    key: string,
    value: Value,
    old: readonly Memory[],
    oldVectors: readonly Memory[],
    vectors: readonly (readonly number[])[],
  ): BatchItem[] {
    const tag = this.keyTag(namespace, key);
    const data = { statement: JSON.stringify(value) };
    const metadata = metadataOf(namespace, key, value) as NonNullable<Request<"write">["metadata"]>;
    const [kept, ...others] = old;
    const actor = this.#actor;
    const made: BatchItem[] =
      kept === undefined
        ? [{ op: "write", type: "Note", data, actor, metadata, tags: [tag, ...this.#levelTags("value", namespace)] }]
        : [
            { op: "update", uri: kept.uri, data, actor },
            { op: "update_head", uri: kept.uri, metadata, actor },
          ];
    return [
      ...made,
      ...this.remove([...others, ...oldVectors]),
      ...vectors.map(
        (vector): BatchItem => ({
          op: "write",
          type: "Note",
          data: { statement: "vector" },
          actor,
          vector: [...vector],
          metadata: { of: tag },
          tags: [this.#vectorTag(tag), ...this.#levelTags("vector", namespace)],
        }),
      ),
    ];
  }

  /** Takes memories out. */
  remove(memories: readonly Memory[]): BatchItem[] {
    return memories.map(({ uri }) => ({ op: "tombstone", uri, reason: "deleted by its key", actor: this.#actor }));
  }

  keyTag(namespace: Namespace, key: string): string {
    return tagOf(this.#actor, "key", key, ...namespace);
  }

  #vectorTag(keyTag: string): string {
    return tagOf(keyTag, "vector");
  }

  #levelTag(kind: "value" | "vector", prefix: Namespace): string {
    return tagOf(this.#actor, "level", kind, ...prefix.slice(0, MOST_LEVELS));
  }

  #levelTags(kind: "value" | "vector", namespace: Namespace): string[] {
    const depth = Math.min(namespace.length, MOST_LEVELS);
    return Array.from({ length: depth + 1 }, (_, level) => this.#levelTag(kind, namespace.slice(0, level)));
  }

  #find(where: Request<"find">["where"], limit: number, more: Request<"find">): Request<"find"> {
    return {
      types: ["Note"],
      where: where!,
      limit,
      actor: this.#actor,
      include_archived: true,
      include_ended: true,
      ...more,
    };
  }
}

export function keptOf(memory: Memory): Kept {
  const { namespace, key, expires } = memory.metadata;
  return {
    namespace: JSON.parse(String(namespace)) as string[],
    key: JSON.parse(String(key)) as string,
    value: JSON.parse(String(memory.version.data["statement"])) as Value,
    memory,
    expires: typeof expires === "number" ? expires : undefined,
  };
}

/** A tag for what these names name together. No two of them share one. */
export function tagOf(...names: readonly string[]): string {
  const said = `[${names.map(inAscii).join(", ")}]`;
  return `shelf:${createHash("sha256").update(said).digest("hex").slice(0, 40)}`;
}

/** JSON with nothing but printable ASCII. */
function inAscii(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function metadataOf(namespace: Namespace, key: string, value: Value): Value {
  const texts = Object.entries(value).filter(([name, text]) => isIndexed(name, text));
  const names = { namespace: JSON.stringify(namespace), key: JSON.stringify(key) };
  if (texts.length > MOST_INDEXED) return { ...names, many: true };
  return { ...names, ...Object.fromEntries(texts.map(([name, text]) => [`v.${name}`, text])) };
}

/** Half of a surrogate pair. */
const HALF = /[\ud800-\udfff]/u;

/** Who writes a value and who filters by it must agree, whatever their language. */
function isIndexed(name: string, text: unknown): text is string {
  if (typeof text !== "string" || text === "" || text.includes("\0") || HALF.test(text)) return false;
  if (name.length > 40 || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return false;
  return text.length <= LONGEST_INDEXED || (text.length <= 2 * LONGEST_INDEXED && [...text].length <= LONGEST_INDEXED);
}
