/** Requests of any size. A batch and an answer have bounds: what is beyond one is written, or asked, in portions. */

import { type BatchItem, InvalidRequest, type Memory, type MnemeError, type Request } from "../src/index.js";

/** Writes of a batch, and bytes of a request: a server takes 16 MiB. */
const MOST_AT_ONCE = 10_000;
const MOST_BYTES = 15 << 20;
/** Memories of an answer. */
const PAGE = 10_000;

export interface Found {
  memories: Memory[];
  distances: number[];
  at_seq: number;
}

/** Asks one find. */
export type Find = (request: Request<"find">) => Promise<Found>;

/** All that a find with a fixed order finds, as of one moment, page by page where it is too much for one answer. */
export async function foundInPages(find: Find, request: Request<"find">): Promise<Found> {
  const { limit: wanted = PAGE, offset = 0 } = request;
  const all: Found = { memories: [], distances: [], at_seq: 0 };
  let size = PAGE;
  let more: { offset?: number; at_seq?: number } = {};
  for (;;) {
    size = Math.min(size, wanted - all.memories.length);
    let page;
    try {
      page = await find({ ...request, ...more, limit: size });
    } catch (refused) {
      if (size <= 1 || !isTooLarge(refused)) throw refused;
      size = Math.floor(size / 2);
      continue;
    }
    all.memories.push(...page.memories);
    all.distances.push(...page.distances);
    all.at_seq = page.at_seq;
    if (page.memories.length < size || all.memories.length >= wanted) return all;
    more = { offset: offset + all.memories.length, at_seq: page.at_seq };
  }
}

/** The writes, as many together as fit into one batch. Those of one value stay together, unless they are too much. */
export function* portions(groups: Iterable<readonly BatchItem[]>): Generator<BatchItem[]> {
  let portion: BatchItem[] = [];
  let size = 0;
  const fits = (count: number, bytes: number) => portion.length + count <= MOST_AT_ONCE && size + bytes <= MOST_BYTES;
  for (const group of groups) {
    const sizes = group.map((item) => Buffer.byteLength(JSON.stringify(item)) + 1);
    const whole = sizes.reduce((sum, bytes) => sum + bytes, 0);
    const isTogether = group.length <= MOST_AT_ONCE && whole <= MOST_BYTES;
    for (const [place, item] of group.entries()) {
      const isFull = isTogether ? place === 0 && !fits(group.length, whole) : !fits(1, sizes[place]!);
      if (isFull && portion.length > 0) {
        yield portion;
        portion = [];
        size = 0;
      }
      portion.push(item);
      size += sizes[place]!;
    }
  }
  if (portion.length > 0) yield portion;
}

/** Whether it was the answer that was too much. */
function isTooLarge(refused: unknown): boolean {
  return refused instanceof InvalidRequest && (refused as MnemeError).code === "limit_exceeded";
}
