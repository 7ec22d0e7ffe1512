// A running `mneme serve`, whose command the environment names: MNEME.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MNEME = process.env.MNEME ?? "mneme";

export function folder() {
  return mkdtempSync(join(tmpdir(), "mneme-js-"));
}

export function mneme(...args) {
  const done = spawnSync(MNEME, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${MNEME} ${args.join(" ")}: ${done.error ?? done.stdout + done.stderr}`);
  return done.stdout.trim();
}

/** Serves a world, which is made where there is none. `init` are options of `mneme init`. */
export async function serve({ place = folder(), init, options = [], port = 0 } = {}) {
  if (init !== undefined) mneme("init", join(place, "world"), ...init);
  const server = spawn(MNEME, ["serve", join(place, "world"), "--listen", `127.0.0.1:${port}`, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface(server.stdout).once("line", (line) => resolve(line.replace("listening on ", "")));
    ended.then((code) => reject(new Error(`mneme serve ended: ${code}`)));
  });
  return {
    url,
    place,
    async stop(signal = "SIGTERM") {
      server.kill(signal);
      await ended;
    },
    async remove() {
      await this.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
