/** The calls of one turn of the event loop as one tick. */

import type { CallOptions } from "./call_options.js";
import type { Mneme } from "./client.js";
import { byItself, errorOf, MnemeError, type Refused } from "./errors.js";
import { type Answer, type OpName, Ops, type Request } from "./generated/ops.js";
import { TICK_READS, TICK_WRITES } from "./items.js";
import { withVectors } from "./vectors.js";

const READABLE: ReadonlySet<string> = new Set(TICK_READS);
const WRITABLE: ReadonlySet<string> = new Set(TICK_WRITES);
/** Items of one tick. */
const MOST_AT_ONCE = 10_000;
/** The request, or the answer to all of it, was too much; reads are asked again in two halves then. */
const TOO_LARGE: ReadonlySet<string> = new Set(["limit_exceeded", "line_too_long"]);

interface Pending {
  item: Record<string, unknown>;
  resolve: (answer: never) => void;
  reject: (problem: unknown) => void;
}

/**
 * A world whose agents may call it one by one: what is asked in one turn of the event loop goes as one tick, whose
 * reads see the world before its writes. A call with options of its own goes by itself, as do ops that no tick holds.
 */
export class Gathered extends Ops {
  readonly #world: Mneme;
  #reads: Pending[] = [];
  #writes: Pending[] = [];

  constructor(world: Mneme) {
    super();
    this.#world = world;
  }

  override call<Op extends OpName>(op: Op, request: Request<Op>, options?: CallOptions): Promise<Answer<Op>> {
    const waiting = READABLE.has(op) ? this.#reads : WRITABLE.has(op) ? this.#writes : undefined;
    if (waiting === undefined || options !== undefined) return this.#world.call(op, request, options);
    return new Promise((resolve, reject) => {
      const item = withVectors({ ...request, op }); // what cannot be said is refused alone
      if (this.#reads.length + this.#writes.length === 0) setImmediate(() => void this.#go());
      waiting.push({ item, resolve, reject });
      if (this.#reads.length + this.#writes.length >= MOST_AT_ONCE) void this.#go();
    });
  }

  async #go(): Promise<void> {
    const reads = this.#reads;
    const writes = this.#writes;
    this.#reads = [];
    this.#writes = [];
    await this.#tick(reads, writes);
  }

  async #tick(reads: readonly Pending[], writes: readonly Pending[]): Promise<void> {
    if (reads.length + writes.length === 0) return;
    try {
      const told = await this.#world.call("tick", {
        reads: reads.map(({ item }) => item),
        writes: writes.map(({ item }) => item),
      });
      settle("reads", reads, told.reads);
      settle("writes", writes, told.writes);
    } catch (refused) {
      const isTooLarge = refused instanceof MnemeError && TOO_LARGE.has(refused.code);
      if (isTooLarge && writes.length === 0 && reads.length > 1) {
        const half = reads.length >> 1;
        await Promise.all([this.#tick(reads.slice(0, half), []), this.#tick(reads.slice(half), [])]);
        return;
      }
      const all = [...reads, ...writes];
      if (refused instanceof MnemeError && refused.code === "bad_json" && all.some((one) => !isSayable(one))) {
        await Promise.all([
          this.#tick(reads.filter(isSayable), writes.filter(isSayable)),
          ...all.filter((one) => !isSayable(one)).map((one) => this.#alone(one)),
        ]);
        return;
      }
      for (const { reject } of all) reject(refused);
    }
  }

  async #alone({ item, resolve, reject }: Pending): Promise<void> {
    const { op, ...request } = item;
    await this.#world.call(op as "write", request as never).then(resolve as never, reject);
  }
}

/** No half of a surrogate pair, which no UTF-8 has, is in its texts: JSON has those, and no others, escaped. */
function isSayable({ item }: Pending): boolean {
  return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(item));
}

/** Who asked knows of no tick: what is refused is refused as if nobody else had asked. */
function settle(list: string, waiting: readonly Pending[], answers: readonly { ok: boolean }[]): void {
  waiting.forEach(({ resolve, reject }, place) => {
    const answer = answers[place];
    if (answer?.ok === true) resolve(answer as never);
    else reject(errorOf(byItself((answer as Refused).error, `${list}[${place}]`), 422));
  });
}
