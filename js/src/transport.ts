/** How a request gets to a server. */

import * as http from "node:http";
import * as https from "node:https";

export interface Asked {
  body: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface Answered {
  status: number;
  text: string;
  /** What the server says of when to ask again. */
  retry_after: string | null;
}

/** An answer that did not come. */
export class BrokenOff extends Error {
  /** Whether the server may have read the request. */
  readonly was_sent: boolean;

  constructor(cause: unknown, was_sent: boolean) {
    super(cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : String(cause), {
      cause,
    });
    this.was_sent = was_sent;
  }
}

export interface Transport {
  /** Throws BrokenOff, also where the signal was aborted. */
  ask(asked: Asked): Promise<Answered>;
  close(): void;
  readonly isClosed: boolean;
}

/** A server closes what has rested for a minute: this side does so first, so that nothing is sent into the void. */
const MOST_REST_MS = 30_000;

/** Connections that stay open, as many as there are requests at once up to `connections`. */
export class KeepAlive implements Transport {
  isClosed = false;
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #module: typeof http | typeof https;

  constructor(url: URL, connections: number) {
    const options = {
      keepAlive: true,
      maxSockets: connections,
      scheduling: "lifo" as const,
      timeout: MOST_REST_MS,
      noDelay: true,
    };
    this.#url = url;
    this.#module = url.protocol === "https:" ? https : http;
    this.#agent = url.protocol === "https:" ? new https.Agent(options) : new http.Agent(options);
  }

  ask({ body, headers, signal }: Asked): Promise<Answered> {
    return new Promise((resolve, reject) => {
      let was_sent = false;
      const fail = (problem: unknown) => reject(new BrokenOff(problem, was_sent));
      const length = Buffer.byteLength(body);
      const request = this.#module.request(
        this.#url,
        { method: "POST", agent: this.#agent, signal, headers: { ...headers, "Content-Length": length } },
        (response) => {
          const pieces: Buffer[] = [];
          response.on("data", (piece: Buffer) => pieces.push(piece));
          response.on("error", fail);
          response.on("aborted", () => fail(new Error("the answer broke off")));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(pieces).toString("utf8"),
              retry_after: response.headers["retry-after"] ?? null,
            }),
          );
        },
      );
      request.on("socket", (socket) => {
        const sent = () => {
          was_sent = true;
        };
        if (socket.connecting) socket.once("connect", sent);
        else sent();
      });
      request.on("error", fail);
      request.end(body);
    });
  }

  close(): void {
    this.isClosed = true;
    this.#agent.destroy();
  }
}

/** A fetch of the host's own, for a proxy, or a runtime without Node's modules. */
export class ByFetch implements Transport {
  isClosed = false;
  readonly #url: URL;
  readonly #fetch: typeof fetch;

  constructor(url: URL, by: typeof fetch) {
    this.#url = url;
    this.#fetch = by;
  }

  async ask({ body, headers, signal }: Asked): Promise<Answered> {
    const by = this.#fetch; // a browser's must not be called as somebody's method
    try {
      const response = await by(this.#url, { method: "POST", body, headers: { ...headers }, signal });
      return { status: response.status, text: await response.text(), retry_after: response.headers.get("retry-after") };
    } catch (problem) {
      const cause = problem instanceof Error && problem.cause !== undefined ? problem.cause : problem;
      throw new BrokenOff(cause, (cause as { code?: string }).code !== "ECONNREFUSED");
    }
  }

  close(): void {
    this.isClosed = true;
  }
}
