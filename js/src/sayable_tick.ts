/** A tick without the items that cannot be read. */

import { errorOf, InvalidRequest, MnemeError, moved, refusalOf, type Refused } from "./errors.js";
import type { Answer } from "./generated/ops.js";

const LISTS = ["reads", "writes"] as const;
type List = (typeof LISTS)[number];
type TickRequest = { readonly [key in List]?: readonly unknown[] } & { readonly deadline_ms?: number };

/** So many items are left out of a tick; with more it stays refused. */
const MOST = 100;

/** A tick that is refused as a whole for one of its items did nothing: it is asked again without that one. */
export class SayableTick {
  readonly #request: TickRequest;
  /** The places of what is asked still. */
  readonly #left: Record<List, number[]>;
  readonly #refused: Record<List, Map<number, Refused>> = { reads: new Map(), writes: new Map() };

  constructor(request: TickRequest) {
    this.#request = request;
    const places = (list: List) => (Array.isArray(request[list]) ? [...request[list].keys()] : []);
    this.#left = { reads: places("reads"), writes: places("writes") };
  }

  get request(): TickRequest {
    const asked: Record<string, unknown> = { ...this.#request };
    for (const list of LISTS)
      if (this.#refused[list].size > 0) asked[list] = this.#left[list].map((place) => this.#request[list]![place]);
    return asked;
  }

  /** The item for which it was refused; a refusal that is of none is thrown. */
  leaveOut(refused: unknown): void {
    const item = refused instanceof MnemeError ? /^(reads|writes)\[(\d+)\]/.exec(refused.at ?? "") : null;
    if (item === null) throw refused;
    const list = item[1] as List;
    const place = this.#left[list][Number(item[2])]!;
    const error = refusalOf(refused as MnemeError, item[0], `${list}[${place}]`);
    const left_out = this.#refused.reads.size + this.#refused.writes.size;
    if (left_out >= MOST || !(refused instanceof InvalidRequest)) throw left_out === 0 ? refused : errorOf(error, 422);
    this.#left[list].splice(Number(item[2]), 1);
    this.#refused[list].set(place, { ok: false, error });
  }

  /** The answer, with the refusals where they belong, and the places that others name as they were given. */
  told(answer: Answer<"tick">): Answer<"tick"> {
    const all: Record<string, unknown> = { ...answer };
    for (const list of LISTS) {
      if (this.#refused[list].size === 0) continue;
      const outcomes: unknown[] = [];
      this.#refused[list].forEach((refused, place) => (outcomes[place] = refused));
      answer[list].forEach((outcome, at) => {
        const place = this.#left[list][at]!;
        outcomes[place] = outcome.ok ? outcome : moved(outcome as Refused, `${list}[${at}]`, `${list}[${place}]`);
      });
      all[list] = outcomes;
    }
    return all as unknown as Answer<"tick">;
  }
}
