/** What a refused request throws: a class for each code of which a program decides something, all of them MnemeError. */

/** One thing that is wrong with a request: its code, what is wrong, and where. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

/** What an answer with `ok: false` says. */
export interface Refusal {
  code: string;
  message: string;
  at?: string;
  /** Where several places of the request are wrong: all of them. */
  faults?: readonly Fault[];
  [detail: string]: unknown;
}

/** An item of a tick or a list that was refused; the others were not. */
export interface Refused {
  ok: false;
  error: Refusal;
}

/** What the message of an error says behind that of its refusal. */
function suffix(code: string, at: string | undefined): string {
  return at === undefined ? ` (${code})` : ` (${code} at ${at})`;
}

/** A request that was refused and changed nothing, but for OutcomeUnknown. */
export class MnemeError extends Error {
  /** The name of the error, such as "not_found". */
  readonly code: string;
  /** Where in the request, such as "where.and[1].gt"; absent where it is no part of it. */
  readonly at: string | undefined;
  /** All that is wrong with the request, the first of them as above; the message tells of all. */
  readonly faults: readonly Fault[];
  /** Whatever else the answer says of it. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    const { code, message, at, faults, ...details } = refusal;
    super(message + suffix(code, at), options);
    this.name = new.target.name;
    this.code = code;
    this.at = at;
    this.faults = faults ?? [{ code, message, at: at ?? "" }];
    this.details = details;
  }
}

/** What the message of a refusal says of these faults. */
function toldAtOnce([first, ...others]: readonly Fault[]): string {
  return [first?.message, ...others.map(({ at, message }) => `at ${at}: ${message}`)].join("; also ");
}

/** The refusal with its places within `outer` as if that were called `name`. */
function renamed(refusal: Refusal, outer: string, name: string): Refusal {
  const within = (at: string) => (at.startsWith(outer) ? (name + at.slice(outer.length)).replace(/^\./, "") : at);
  const { at, faults, ...told } = refusal;
  const place = within(at ?? "");
  if (place !== "") told["at"] = place;
  if (faults === undefined) return told as Refusal;
  const placed = faults.map((fault) => ({ ...fault, at: within(fault.at) }));
  const message = told.message.replace(toldAtOnce(faults), () => toldAtOnce(placed));
  return { ...told, message, faults: placed };
}

/** The refusal of an item as it would be without the others; `outer` is where the item stands. */
export function byItself(refusal: Refusal, outer: string): Refusal {
  return renamed(refusal, outer, "");
}

/** What the message of an error says of faults that it does not name. */
function uncounted({ message, code, at }: MnemeError): string {
  return /; and \d+ more$/.exec(message.slice(0, -suffix(code, at).length))?.[0] ?? "";
}

/** The same of an item that stands elsewhere. */
export function moved({ error, ...told }: Refused, from: string, to: string): Refused {
  return { ...told, error: renamed(error, from, to) };
}

/** What the error says of the item at `from`, which stands at `to`. */
export function refusalOf(refused: MnemeError, from: string, to: string): Refusal {
  const faults = refused.faults.filter(({ at }) => at.startsWith(from));
  const [first] = faults;
  const more = faults.length > 1 ? { faults } : {};
  const isOfAll = faults.length === refused.faults.length;
  const message = toldAtOnce(faults) + (isOfAll ? uncounted(refused) : "");
  const told = { ...refused.details, code: refused.code, message, at: first!.at, ...more };
  return renamed(told, from, to);
}

/** There is no such thing, or none that the asker may see. */
export class NotFound extends MnemeError {}
/** An id of the caller's own is taken, also by something that was tombstoned or erased. */
export class AlreadyExists extends MnemeError {}
/** The memory was taken out of all answers; `restore` brings it back. */
export class Tombstoned extends MnemeError {}
/** What the memory said is gone for good. */
export class Erased extends MnemeError {}
/** What that version of the memory said was dropped by a trim; the memory is there. */
export class Trimmed extends MnemeError {}
/** Another version than expect_version is the current one. */
export class VersionConflict extends MnemeError {}
/** That moment can no longer, or not yet, be read. */
export class SeqUnavailable extends MnemeError {}
/** The scope does not open what was asked for. */
export class ScopeViolation extends MnemeError {}
/** The key is not known, or does not allow it. */
export class Forbidden extends MnemeError {}
/** It took longer than it was to take. */
export class DeadlineExceeded extends MnemeError {}
/** Too much is under way: try again. */
export class Busy extends MnemeError {}
/** There was no room; writes go on when there is. */
export class DiskFull extends MnemeError {}
/** The write may have happened or not. */
export class OutcomeUnknown extends MnemeError {}
/** The world, or the key, is for reading alone. */
export class ReadOnly extends MnemeError {}
/** Files of the world are damaged. */
export class Corrupt extends MnemeError {}
/** The server, or this client, was closed. */
export class Shutdown extends MnemeError {}
/** The server was not reached, and was asked nothing. */
export class Unreachable extends MnemeError {}
/** The request itself is not right, whatever the world holds; `at` says where. */
export class InvalidRequest extends MnemeError {}

type ErrorClass = new (refusal: Refusal, options?: ErrorOptions) => MnemeError;

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  not_found: NotFound,
  already_exists: AlreadyExists,
  tombstoned: Tombstoned,
  erased: Erased,
  trimmed: Trimmed,
  version_conflict: VersionConflict,
  seq_unavailable: SeqUnavailable,
  root_unavailable: SeqUnavailable,
  scope_violation: ScopeViolation,
  unauthorized: Forbidden,
  forbidden: Forbidden,
  actor_mismatch: Forbidden,
  deadline_exceeded: DeadlineExceeded,
  busy: Busy,
  rate_limited: Busy,
  disk_full: DiskFull,
  outcome_unknown: OutcomeUnknown,
  read_only: ReadOnly,
  corrupt: Corrupt,
  shutdown: Shutdown,
  unreachable: Unreachable,
};

/** The error that an answer stands for. `status` 400 and 422 are of what the request itself says. */
export function errorOf(refusal: Refusal, status = 200): MnemeError {
  const known = CLASSES[refusal.code];
  if (known !== undefined) return new known(refusal);
  return status === 400 || status === 413 || status === 422 ? new InvalidRequest(refusal) : new MnemeError(refusal);
}

/** The item, unless it was refused: then its error is thrown. */
export function unwrap<Item extends { ok: boolean }>(item: Item): Exclude<Item, Refused> {
  if (!item.ok) throw errorOf((item as unknown as Refused).error, 422);
  return item as Exclude<Item, Refused>;
}
