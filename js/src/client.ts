/** A client of `mneme serve`. */

import type { CallOptions } from "./call_options.js";
import {
  Busy,
  DeadlineExceeded,
  errorOf,
  InvalidRequest,
  MnemeError,
  OutcomeUnknown,
  Shutdown,
  Unreachable,
  type Refusal,
} from "./errors.js";
import { type Answer, type OpName, Ops, READS, type Request, TAKES } from "./generated/ops.js";
import type { Answers, BatchItem, Outcomes, TickRead, TickWrite } from "./items.js";
import { SayableTick } from "./sayable_tick.js";
import { type Answered, BrokenOff, ByFetch, KeepAlive, type Transport } from "./transport.js";
import { asJson, withVectors } from "./vectors.js";

/** What is filled into every request that takes it, where the request says nothing itself. */
export interface Defaults {
  /** The agent that asks or acts. */
  actor?: string;
  /** A signed scope. */
  scope?: Request<"get">["scope"];
  /** After so many milliseconds the server gives up. */
  deadline_ms?: number;
  at_seq?: number;
  at?: string | number;
}

export interface ConnectOptions extends Pick<Defaults, "actor" | "scope" | "deadline_ms"> {
  /** One of `mneme key add`; without it the server has no keys. */
  key?: string;
  /** How long to wait for an answer: 60,000 ms. */
  timeout_ms?: number;
  /** How often to ask again where that is safe: 3. */
  retries?: number;
  /** Connections at once: 16. */
  connections?: number;
  /** In place of Node's own connections. */
  fetch?: typeof fetch;
}

interface Patience {
  timeout_ms: number;
  retries: number;
}

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type TakesAt = { [Op in OpName]: "at_seq" extends keyof Request<Op> ? Op : never }[OpName];
/** The world as of a moment: the reads that there are of it. */
export type Past = Pick<Mneme, Extract<Camel<TakesAt>, keyof Mneme>>;

/** A world that a server has open. */
export class Mneme extends Ops {
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #patience: Patience;
  readonly #defaults: Defaults;

  /** For `connect`. */
  constructor(transport: Transport, headers: Readonly<Record<string, string>>, patience: Patience, defaults: Defaults) {
    super();
    this.#transport = transport;
    this.#headers = headers;
    this.#patience = patience;
    this.#defaults = defaults;
  }

  /** The same world through the eyes of one agent. Connections are shared. */
  as(actor: string): Mneme {
    return this.#with({ actor });
  }

  /** The same world with a scope, which narrows what is seen. */
  within(scope: NonNullable<Defaults["scope"]>): Mneme {
    return this.#with({ scope });
  }

  /** The world as it was at an entry of the journal, or at a time. */
  asOf(moment: { at_seq: number } | { at: string | number }): Past {
    return this.#with(moment);
  }

  /**
   * Reads and writes of many agents as one: the reads see one moment, the writes are one commit, and what fails,
   * fails alone: its place has `{ok: false, error}` (see `unwrap`).
   */
  async tick<const Reads extends readonly TickRead[] = [], const Writes extends readonly TickWrite[] = []>(
    request: { reads?: Reads; writes?: Writes; deadline_ms?: number },
    options?: CallOptions,
  ): Promise<{ ok: true; seq: number; reads: Outcomes<Reads>; writes: Outcomes<Writes> }> {
    const asked = new SayableTick(request);
    for (;;) {
      try {
        return asked.told(await this.call("tick", asked.request as unknown as Request<"tick">, options)) as never;
      } catch (refused) {
        asked.leaveOut(refused);
      }
    }
  }

  /** Many writes, all or none. */
  async batch<const Items extends readonly BatchItem[]>(
    items: Items,
    more: Omit<Request<"batch">, "items"> = {},
    options?: CallOptions,
  ): Promise<{ ok: true; seq: number; results: Answers<Items> }> {
    return (await this.call("batch", { ...more, items } as unknown as Request<"batch">, options)) as never;
  }

  override async call<Op extends OpName>(op: Op, request: Request<Op>, options: CallOptions = {}): Promise<Answer<Op>> {
    if (this.#transport.isClosed) throw new Shutdown({ code: "shutdown", message: "this client was closed" });
    const filled = this.#filled(op, request as Readonly<Record<string, unknown>>);
    const repeatable = READS.has(op) && !bindsLate(filled);
    const body = asJson({ ...filled, op });
    const patience = new Waiting(op, repeatable, { ...this.#patience, ...defined(options) }, options.signal);
    try {
      for (;;) {
        try {
          return this.#answer(
            await this.#transport.ask({ body, headers: this.#headers, signal: patience.signal }),
          ) as Answer<Op>;
        } catch (problem) {
          await patience.again(problem);
        }
      }
    } finally {
      patience.end();
    }
  }

  /** Lets go of the connections; the server goes on. What is asked from now on is refused, also through `as` and others. */
  close(): void {
    this.#transport.close();
  }

  #with(more: Defaults): Mneme {
    return new Mneme(this.#transport, this.#headers, this.#patience, { ...this.#defaults, ...more });
  }

  /** With the defaults, also in the items of a list. */
  #filled(op: string, request: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { at_seq, at } = this.#defaults;
    if ((at_seq !== undefined || at !== undefined) && !TAKES["at_seq"]?.has(op))
      throw new InvalidRequest({ code: "unsupported", message: `"${op}" is not asked as of a moment` });
    const filled: Record<string, unknown> = withVectors(this.#fill(op, request));
    const one = op.endsWith("_many") ? op.slice(0, -"_many".length) : undefined;
    for (const list of ["items", "reads", "writes"]) {
      const items = request[list];
      if (!Array.isArray(items)) continue;
      filled[list] = items.map((item: Record<string, unknown>, place) =>
        withVectors(this.#fill(String(item["op"] ?? one), item, true), `${list}[${place}].`),
      );
    }
    return filled;
  }

  #fill(op: string, request: Readonly<Record<string, unknown>>, isItem = false): Record<string, unknown> {
    const filled: Record<string, unknown> = { ...request };
    for (const [key, value] of Object.entries(this.#defaults)) {
      if (value === undefined || filled[key] !== undefined || !TAKES[key]?.has(op)) continue;
      if (key === "deadline_ms" && isItem) continue; // that of a list stands beside its items
      if (key === "at" && filled["at_seq"] !== undefined) continue;
      if (key === "at_seq" && filled["at"] !== undefined) continue;
      filled[key] = value;
    }
    return filled;
  }

  #answer({ status, text, retry_after }: Answered): unknown {
    let answer: { ok?: unknown; error?: Refusal };
    try {
      answer = JSON.parse(text) as typeof answer;
    } catch {
      answer = {};
    }
    if (answer?.ok === true) return answer;
    if (answer?.ok === false && answer.error !== undefined) {
      const refused = errorOf(answer.error, status);
      throw retry_after === null
        ? refused
        : Object.assign(refused, { details: { ...refused.details, retry_after_s: Number(retry_after) } });
    }
    // A proxy that gave up: what is behind it may have been asked.
    throw new BrokenOff(new Error(`${status} without an answer of mneme's: is it mneme?`), true);
  }
}

/** One call until it is answered: how long, how often, and what a failure means. */
class Waiting {
  readonly signal: AbortSignal;
  readonly #op: string;
  readonly #repeatable: boolean;
  readonly #given: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #passOn = () => this.#controller.abort(this.#given?.reason);
  readonly #timeout_ms: number;
  #left: number;
  #attempt = 0;
  #isLate = false;

  constructor(op: string, repeatable: boolean, patience: Patience, given: AbortSignal | undefined) {
    this.#op = op;
    this.#repeatable = repeatable;
    this.#left = patience.retries;
    this.#timeout_ms = patience.timeout_ms;
    this.#given = given;
    this.signal = this.#controller.signal;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort(new Error(`no answer within ${patience.timeout_ms} ms`));
    }, patience.timeout_ms);
    if (given?.aborted) this.#passOn();
    else given?.addEventListener("abort", this.#passOn, { once: true });
  }

  /** Returns where the request may be asked again, after a while; throws otherwise. */
  async again(problem: unknown): Promise<void> {
    if (this.signal.aborted) throw this.#stopped(problem);
    if (this.#left <= 0 || !this.#isSafe(problem)) throw this.#meaning(problem);
    this.#left -= 1;
    const told = problem instanceof MnemeError ? Number(problem.details["retry_after_s"]) : NaN;
    const pause = 25 * 2 ** this.#attempt++ * (1 + Math.random());
    await this.#rest(Number.isFinite(told) && told > 0 ? Math.min(told * 1000, this.#timeout_ms) : pause);
    if (this.signal.aborted) throw this.#stopped(problem);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#passOn);
  }

  /** What was not done is done by asking again; what only reads may be asked twice. */
  #isSafe(problem: unknown): boolean {
    if (problem instanceof BrokenOff) return this.#repeatable || !problem.was_sent;
    return problem instanceof Busy || (problem instanceof Shutdown && this.#repeatable);
  }

  #meaning(problem: unknown): unknown {
    if (!(problem instanceof BrokenOff)) return problem;
    if (this.#repeatable || !problem.was_sent)
      return new Unreachable(
        { code: "unreachable", message: `no answer: ${problem.message}; start a server with: mneme serve DIR` },
        { cause: problem },
      );
    return this.#unknown(problem.message, problem);
  }

  #stopped(problem: unknown): unknown {
    if (!this.#isLate) return this.#given?.reason ?? problem;
    const mayBeDone = !(problem instanceof Busy) && !(problem instanceof BrokenOff && !problem.was_sent);
    if (this.#repeatable || !mayBeDone)
      return new DeadlineExceeded({ code: "deadline_exceeded", message: `no answer within ${this.#timeout_ms} ms` });
    return this.#unknown(`not within ${this.#timeout_ms} ms`, problem);
  }

  #unknown(why: string, cause: unknown): OutcomeUnknown {
    return new OutcomeUnknown(
      { code: "outcome_unknown", message: `"${this.#op}" was not answered (${why}): it may have been done` },
      { cause },
    );
  }

  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, milliseconds);
      const signal = this.signal;
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

/** A find that binds late tells what it told, and so writes. */
function bindsLate(request: Readonly<Record<string, unknown>>): boolean {
  const items = Array.isArray(request["items"]) ? (request["items"] as Record<string, unknown>[]) : [];
  return request["late_binding"] === true || items.some((item) => item["late_binding"] === true);
}

function defined(options: CallOptions): Partial<Patience> {
  return {
    ...(options.timeout_ms === undefined ? {} : { timeout_ms: options.timeout_ms }),
    ...(options.retries === undefined ? {} : { retries: options.retries }),
  };
}

/** Opens no connection yet: the first request does. */
export function connect(url: string | URL, options: ConnectOptions = {}): Mneme {
  const place = new URL(url);
  if (place.protocol !== "http:" && place.protocol !== "https:")
    throw new InvalidRequest({
      code: "bad_value",
      message: `not the address of a server: ${place.href}; one looks like http://127.0.0.1:8765`,
    });
  place.pathname = `${place.pathname.replace(/\/+$/, "")}/v1/op`;
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (options.key !== undefined) headers["Authorization"] = `Bearer ${options.key}`;
  const transport =
    options.fetch === undefined ? new KeepAlive(place, options.connections ?? 16) : new ByFetch(place, options.fetch);
  const { actor, scope, deadline_ms } = options;
  return new Mneme(
    transport,
    headers,
    { timeout_ms: options.timeout_ms ?? 60_000, retries: options.retries ?? 3 },
    {
      ...(actor === undefined ? {} : { actor }),
      ...(scope === undefined ? {} : { scope }),
      ...(deadline_ms === undefined ? {} : { deadline_ms }),
    },
  );
}
