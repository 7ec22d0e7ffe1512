/** What one call may say apart from its request. */
export interface CallOptions {
  /** Gives up when it is aborted; whether a write was done is not known then. */
  signal?: AbortSignal;
  /** How long to wait for the answer, all attempts together. */
  timeout_ms?: number;
  /** How often to ask again where that is safe. */
  retries?: number;
}
