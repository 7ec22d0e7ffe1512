// A running `mneme serve`, as the tests of clients start, stop and start it again.

import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export const MNEME = process.env.MNEME;
export const FOLDER = process.env.FOLDER;

/** A key of a server's file, for an actor, or for the host. */
export function addKey(file, ...options) {
  return execFileSync(MNEME, ["key", "add", file, ...options],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

export class Served {
  constructor(directory, ...options) {
    this.directory = directory;
    this.options = options;
  }

  async start() {
    this.process = spawn(MNEME, ["serve", this.directory, "--listen", "127.0.0.1:0",
      ...this.options], { stdio: ["ignore", "pipe", "inherit"] });
    const line = await new Promise((resolve, reject) => {
      createInterface(this.process.stdout).once("line", resolve);
      this.process.once("exit", () => reject(new Error("mneme serve ended")));
    });
    this.url = line.replace("listening on ", "");
    return this;
  }

  /** The exit status. */
  async stop() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGTERM");
    return this.process.exitCode ?? (await ended);
  }

  /** Without a word: what was answered has to be there. */
  async kill() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
  }
}
