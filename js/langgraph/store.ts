import {
  BaseStore,
  InvalidNamespaceError,
  validateNamespace,
  type GetOperation,
  type IndexConfig,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";

import {
  Gathered,
  type Mneme,
  NotFound,
  Tombstoned,
  VersionConflict,
  type BatchItem,
  type Memory,
} from "../src/index.js";
import { equalTexts, matches, matchesPath } from "./filter.js";
import { textsAt } from "./json_paths.js";
import { type Kept, keptOf, Layout, type Namespace, type Value } from "./layout.js";
import { type Find, foundInPages, portions } from "./portions.js";

export interface MnemeStoreOptions {
  /** Whose memory the store is: stores of different actors do not see each other. "store" if none is given. */
  actor?: string;
  /** What is embedded, and by what. The world has vectors of that length and no embedder of its own. */
  index?: IndexConfig;
  /** Milliseconds since 1970, by which values that somebody gave a time to live are gone. */
  now?: () => number;
}

type Vectors = ReadonlyMap<string, readonly number[]>;

const EVERYTHING = 1_000_000_000;
/** How often a batch is begun anew because somebody else was faster. */
const ATTEMPTS = 5;

/**
 * LangGraph's store over a world that `mneme serve` has open.
 *
 *     const store = new MnemeStore(connect("http://127.0.0.1:8765"));
 *     const graph = builder.compile({ store });
 */
export class MnemeStore extends BaseStore {
  readonly #world: Mneme;
  readonly #reads: Gathered;
  readonly #layout: Layout;
  readonly #index: IndexConfig | undefined;
  readonly #now: () => number;
  /** Settles when what was put before is there. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(world: Mneme, options: MnemeStoreOptions = {}) {
    super();
    const actor = options.actor ?? "store";
    this.#world = world;
    this.#reads = new Gathered(world);
    this.#layout = new Layout(actor);
    this.#index = options.index;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The answers in the order of the operations. Reads see what was there before the puts; of the puts to one key the
   * last holds; and the puts are one write, all or none, of up to 10,000 memories and 15 MiB. What is more is written
   * in portions, one behind the other.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const ops = operations.map((op) => ("value" in op && op.value !== null ? { ...op, value: inJson(op.value) } : op));
    for (const op of ops) check(op);
    const before = this.#written;
    if (!ops.some(isPut)) return before.then(() => this.#answers(ops)) as Promise<OperationResults<Op>>;
    const answered = before.then(() => this.#answersAndWrites(ops));
    this.#written = answered.catch(() => {});
    return answered as Promise<OperationResults<Op>>;
  }

  async #answersAndWrites(ops: readonly Operation[]): Promise<unknown[]> {
    const puts = new Map<string, PutOperation>();
    for (const op of ops) if (isPut(op)) puts.set(this.#layout.keyTag(op.namespace, op.key), op);
    const vectors = await this.#embedded([...puts.values()]);
    for (let attempt = 1; ; ++attempt) {
      const [answers, ...writes] = await Promise.all([
        this.#answers(ops),
        ...[...puts.values()].map((op) => this.#writesOf(op, vectors)),
      ]);
      try {
        for (const portion of portions(writes)) await this.#world.batch(portion);
        return answers;
      } catch (refused) {
        const wasOutrun =
          refused instanceof Tombstoned || refused instanceof VersionConflict || refused instanceof NotFound;
        if (!wasOutrun || attempt === ATTEMPTS) throw refused;
      }
    }
  }

  async #writesOf({ namespace, key, value, index }: PutOperation, vectors: Vectors): Promise<BatchItem[]> {
    const [old, oldVectors] = await Promise.all([
      this.#find(this.#layout.get(namespace, key)).then(({ memories }) => memories),
      foundInPages(this.#find, this.#layout.vectorsOf(namespace, key)).then(({ memories }) => memories),
    ]);
    if (value === null) return this.#layout.remove([...old, ...oldVectors]);
    const texts = this.#textsOf(value, index)
      .map((text) => vectors.get(text)!)
      .filter(hasDirection);
    const [newest] = old;
    if (newest === undefined || !this.#isExpired(keptOf(newest)))
      return this.#layout.put(namespace, key, value, old, oldVectors, texts);
    // What is put in the place of what has expired is new.
    return [...this.#layout.remove(old), ...this.#layout.put(namespace, key, value, [], oldVectors, texts)];
  }

  // Reading. What one batch reads is asked together: Gathered makes one tick of it.

  readonly #find: Find = (request) => this.#reads.find(request);

  async #answers(ops: readonly Operation[]): Promise<unknown[]> {
    const queries = await this.#embeddedQueries(ops.filter(isSearch));
    return Promise.all(
      ops.map((op) => {
        if (isSearch(op)) return this.#search(op, queries);
        if (isPut(op)) return null;
        if (isGet(op)) return this.#get(op);
        return this.#namespaces(op);
      }),
    );
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const [newest] = (await this.#find(this.#layout.get(namespace, key))).memories;
    if (newest === undefined) return null;
    const kept = keptOf(newest);
    return this.#isExpired(kept) ? null : itemOf(kept);
  }

  async #search(op: SearchOperation, queries: Vectors): Promise<SearchItem[]> {
    const { namespacePrefix: prefix, filter = {}, limit = 10, offset = 0, query } = op;
    if (limit <= 0) return [];
    const fits = (kept: Kept) =>
      startsWith(kept.namespace, prefix) && !this.#isExpired(kept) && matches(kept.value, filter);
    const wanted = offset + limit;
    const vector = query ? queries.get(query) : undefined;
    const hits = vector !== undefined && hasDirection(vector) ? await this.#near(prefix, vector, wanted, fits) : [];
    if (hits.length < wanted) {
      const near = new Set(hits.map(([kept]) => this.#layout.keyTag(kept.namespace, kept.key)));
      for (const kept of await this.#first(prefix, filter, wanted + near.size, fits))
        if (!near.has(this.#layout.keyTag(kept.namespace, kept.key))) hits.push([kept, undefined]);
    }
    return hits.slice(offset, wanted).map(([kept, score]) => ({ ...itemOf(kept), score }) as SearchItem);
  }

  /** The best of each value's vectors, the best first. */
  async #near(
    prefix: Namespace,
    vector: readonly number[],
    wanted: number,
    fits: (kept: Kept) => boolean,
  ): Promise<[Kept, number | undefined][]> {
    const known = new Map<string, Kept | undefined>();
    for (let size = 2 * wanted + 16; ; size *= 4) {
      const { memories, distances } = await foundInPages(this.#find, this.#layout.near(prefix, vector, size));
      const best = new Map<string, number>();
      memories.forEach(({ metadata }, place) => {
        const tag = String(metadata["of"]);
        if (!best.has(tag)) best.set(tag, 1 - distances[place]!);
      });
      const hits: [Kept, number][] = [];
      const tags = [...best.keys()];
      for (let from = 0; from < tags.length && hits.length < wanted; from += wanted) {
        const some = tags.slice(from, from + wanted);
        await Promise.all(
          some
            .filter((tag) => !known.has(tag))
            .map(async (tag) => {
              const [newest] = (await this.#find(this.#layout.ofKeyTag(tag))).memories;
              known.set(tag, newest === undefined ? undefined : keptOf(newest));
            }),
        );
        for (const tag of some) {
          const kept = known.get(tag);
          if (kept !== undefined && fits(kept)) hits.push([kept, best.get(tag)!]);
        }
      }
      if (hits.length >= wanted || memories.length < size) return hits.slice(0, wanted);
    }
  }

  /** What was written first, and is fit. */
  async #first(prefix: Namespace, filter: Value, wanted: number, fits: (kept: Kept) => boolean): Promise<Kept[]> {
    const read: Memory[] = [];
    let more: { offset?: number; at_seq?: number } = {};
    for (let size = 2 * wanted + 16; ; size *= 4) {
      const asked = this.#layout.under(prefix, equalTexts(filter), size);
      const { memories, at_seq } = await foundInPages(this.#find, { ...asked, ...more });
      read.push(...memories);
      const hits = newestOfEach(read).filter(fits);
      if (hits.length >= wanted || memories.length < size) return hits.slice(0, wanted);
      more = { offset: read.length, at_seq };
    }
  }

  async #namespaces({
    matchConditions = [],
    maxDepth,
    limit,
    offset = 0,
  }: ListNamespacesOperation): Promise<string[][]> {
    let prefix: Namespace = [];
    for (const { matchType, path } of matchConditions) {
      const any = path.indexOf("*");
      const plain = any === -1 ? path : path.slice(0, any);
      if (matchType === "prefix" && plain.length > prefix.length) prefix = plain;
    }
    const { memories } = await foundInPages(this.#find, this.#layout.under(prefix, {}, EVERYTHING));
    const names = new Map<string, string[]>();
    for (const { metadata } of memories) {
      if (typeof metadata["expires"] === "number" && metadata["expires"] * 1000 <= this.#now()) continue;
      const name = JSON.parse(String(metadata["namespace"])) as string[];
      if (!matchConditions.every((condition) => matchesPath(condition, name))) continue;
      const cut = name.slice(0, maxDepth);
      names.set(JSON.stringify(cut), cut);
    }
    const sorted = [...names.values()].sort((a, b) => a.join(":").localeCompare(b.join(":")));
    return sorted.slice(offset, offset + (limit ?? sorted.length));
  }

  #isExpired({ expires }: Kept): boolean {
    return expires !== undefined && expires * 1000 <= this.#now();
  }

  // Vectors.

  /** The texts of a value that have a vector each. */
  #textsOf(value: Value, index: PutOperation["index"]): string[] {
    if (this.#index === undefined || index === false) return [];
    return (index ?? this.#index.fields ?? ["$"]).flatMap((path) => textsAt(value, path));
  }

  async #embedded(puts: readonly PutOperation[]): Promise<Vectors> {
    const texts = [...new Set(puts.flatMap(({ value, index }) => (value === null ? [] : this.#textsOf(value, index))))];
    if (texts.length === 0) return new Map();
    const made = await this.#index!.embeddings.embedDocuments(texts);
    if (made.length !== texts.length)
      throw new Error(`${texts.length} texts were to be embedded, and there are ${made.length} vectors`);
    return new Map(texts.map((text, place) => [text, made[place]!]));
  }

  async #embeddedQueries(searches: readonly SearchOperation[]): Promise<Vectors> {
    if (this.#index === undefined) return new Map();
    const texts = [...new Set(searches.flatMap(({ query }) => (query ? [query] : [])))];
    const made = await Promise.all(texts.map((text) => this.#index!.embeddings.embedQuery(text)));
    return new Map(texts.map((text, place) => [text, made[place]!]));
  }
}

// Operations are told apart by the keys that they have.

function isSearch(op: Operation): op is SearchOperation {
  return "namespacePrefix" in op;
}

function isPut(op: Operation): op is PutOperation {
  return !isSearch(op) && "value" in op;
}

function isGet(op: Operation): op is GetOperation {
  return "key" in op && "namespace" in op && !("value" in op);
}

function check(op: Operation): void {
  if ("namespace" in op) validateNamespace(labels(op.namespace), { allowReservedRoot: true });
  else if (isSearch(op)) validateNamespace(labels(op.namespacePrefix), { allowEmpty: true, allowReservedRoot: true });
}

/** A text is not taken for the list of its letters. */
function labels(namespace: unknown): string[] {
  if (Array.isArray(namespace)) return namespace as string[];
  throw new InvalidNamespaceError(`A namespace is a list of labels, and this is ${JSON.stringify(namespace)}.`);
}

/** As it will be read. */
function inJson(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** Each value once: where two programs made one at once, the newest. The order is that of the first. */
function newestOfEach(memories: readonly Memory[]): Kept[] {
  const byName = new Map<string, Kept>();
  for (const memory of memories) {
    const kept = keptOf(memory);
    byName.set(JSON.stringify([kept.namespace, kept.key]), kept);
  }
  return [...byName.values()];
}

function itemOf({ namespace, key, value, memory }: Kept): Item {
  return {
    value,
    key,
    namespace,
    createdAt: new Date(memory.created_at),
    updatedAt: new Date(memory.version.created_at),
  };
}

function startsWith(namespace: Namespace, prefix: Namespace): boolean {
  return prefix.every((label, place) => namespace[place] === label);
}

/** Whether a world takes the vector: zeros are near to nothing. */
function hasDirection(vector: readonly number[]): boolean {
  return vector.some((number) => number !== 0);
}
