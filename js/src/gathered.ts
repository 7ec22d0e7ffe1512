/** The calls of one turn of the event loop as one tick. */

import type { CallOptions } from "./call_options.js";
import type { Mneme } from "./client.js";
import { byItself, errorOf, MnemeError, type Refused } from "./errors.js";
import { type Answer, type OpName, Ops, type Request } from "./generated/ops.js";
import { TICK_READS, TICK_WRITES } from "./items.js";
import { asJson, withVectors } from "./vectors.js";

const READABLE: ReadonlySet<string> = new Set(TICK_READS);
const WRITABLE: ReadonlySet<string> = new Set(TICK_WRITES);
/** Items of one tick. */
const MOST_AT_ONCE = 10_000;
/** The request, or the answer to all of it, was too much. */
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
      const all = [...reads, ...writes];
      const unsayable = isUnsayable(refused) ? all.filter((one) => !isSayable(one)) : [];
      if (unsayable.length > 0) {
        await Promise.all([
          this.#tick(reads.filter(isSayable), writes.filter(isSayable)),
          ...unsayable.map((one) => this.#alone(one)),
        ]);
      } else if (!isOfOne(refused)) {
        for (const { reject } of all) reject(refused);
      } else if (all.length === 1) {
        await this.#alone(all[0]!);
      } else {
        await this.#halves(reads, writes);
      }
    }
  }

  /** One behind the other: all that is read is read before anything is written. */
  async #halves(reads: readonly Pending[], writes: readonly Pending[]): Promise<void> {
    const half = (reads.length + writes.length) >> 1;
    const written = Math.max(0, half - reads.length);
    await this.#tick(reads.slice(0, half), writes.slice(0, written));
    await this.#tick(reads.slice(half), writes.slice(written));
  }

  async #alone({ item, resolve, reject }: Pending): Promise<void> {
    const { op, ...request } = item;
    await this.#world.call(op as "write", request as never).then(resolve as never, reject);
  }
}

/** A tick that was refused for what no JSON and no UTF-8 has. */
function isUnsayable(refused: unknown): boolean {
  return !(refused instanceof MnemeError) || refused.code === "bad_json" || refused.code === "out_of_range";
}

/** A tick that was refused, and did nothing, for one of its items, or since it is too much together. */
function isOfOne(refused: unknown): boolean {
  return refused instanceof MnemeError && (TOO_LARGE.has(refused.code) || /^(reads|writes)\[/.test(refused.at ?? ""));
}

/**
 * Whether JSON has all of it, and no half of a surrogate pair is in its texts, which no UTF-8 has: JSON has those, and
 * no others, escaped.
 */
function isSayable({ item }: Pending): boolean {
  try {
    return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(asJson(item));
  } catch {
    return false;
  }
}

/** Who asked knows of no tick: what is refused is refused as if nobody else had asked. */
function settle(list: string, waiting: readonly Pending[], answers: readonly { ok: boolean }[]): void {
  waiting.forEach(({ resolve, reject }, place) => {
    const answer = answers[place];
    if (answer?.ok === true) resolve(answer as never);
    else reject(errorOf(byItself((answer as Refused).error, `${list}[${place}]`), 422));
  });
}
