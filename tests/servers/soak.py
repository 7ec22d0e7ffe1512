#!/usr/bin/env python3
"""A server under load for long: what it takes and does not give back. Not a test of ctest:
scripts/nightly runs it. Standard library only; MNEME names the command.

    soak.py soak    --seconds S   ticks with reads and touches, searches, scrapes of /metrics, proofs
                                  and clients that send slowly, over a world to which nothing is added
    soak.py updates --seconds S   a few memories that are updated all the time

`soak` fails if memory grows by more than 1 MiB in ten minutes, once the window of seqs that can be read
has filled. `updates` fails if an update leaves more than its budget in memory, or a checkpoint takes
longer than its. As long as nothing compacts the indexes every version stays in them, and the memory of
`updates` grows linearly: its budget bounds what one update adds, not what all of them add. The last
line says what was measured.
"""

import argparse
import http.client
import json
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from served import Served, mneme  # noqa: E402

AGENTS, NOTES = 50, 20
WORDS = "tea leaf cup steam rain moss clay storm harbour keeper lamp boat stone bread".split()
GROWTH_KIB_PER_10_MIN = 1024
UPDATE_BYTES = 8192     # of memory for each update, until something compacts the indexes
CHECKPOINT_MS = 20_000


def text_of(agent, number):
    return " ".join(WORDS[(agent * 7 + number * k) % len(WORDS)] for k in (1, 3, 5)) + f" {number}"


def memory_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("the server is gone")


class Client:
    """Asks over one connection, again and again."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def op(self, **request):
        answer = Served.ask(self.connection, "POST", "/v1/op", request)
        if not answer.json["ok"]:
            raise AssertionError(f"{request}: {answer.text[:500]}")
        return answer.json

    def get(self, path):
        return Served.ask(self.connection, "GET", path)


def fill(directory):
    lines = [json.dumps({"type": "Note", "data": {"statement": text_of(agent, number)},
                         "actor": f"agent-{agent}", "visibility": "actor_public"})
             for agent in range(AGENTS) for number in range(NOTES)]
    notes = directory / "notes.jsonl"
    notes.write_text("\n".join(lines) + "\n")
    mneme("init", str(directory / "world"))
    mneme("import", str(directory / "world"), str(notes), "--format", "jsonl")


class Load:
    """Threads that work until told to stop; the first failure of any is kept."""

    def __init__(self):
        self.stopped = threading.Event()
        self.failure = None
        self.counts = {}
        self.threads = []

    def start(self, name, work):
        def run():
            try:
                number = 0
                while not self.stopped.is_set():
                    work(number)
                    number += 1
                    self.counts[name] = number
            except Exception as failure:  # whatever it is, the soak has failed
                if not self.stopped.is_set():
                    self.failure = self.failure or f"{name}: {failure!r}"
        self.threads.append(threading.Thread(target=run, daemon=True))
        self.threads[-1].start()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(120)
        if self.failure:
            raise AssertionError(self.failure)


def soaking(server, load):
    ids = [m["id"] for m in Client(server).op(op="find", types=["Note"], limit=100)["memories"]]
    ticker, searcher, prover, scraper = (Client(server) for _ in range(4))

    def tick(number):
        first = number % AGENTS
        reads = [{"op": "find", "near": text_of(agent, number % NOTES), "actor": f"agent-{agent}",
                   "limit": 3, "late_binding": True}
                  for agent in range(first, min(first + 10, AGENTS))]
        ticker.op(op="tick", reads=reads, writes=[])

    def search(number):
        searcher.op(op="search", query=text_of(number % AGENTS, number % NOTES), limit=5)

    def prove(number):
        prover.op(op="prove", ids=[ids[number % len(ids)]])

    def scrape(_):
        if scraper.get("/metrics").status != 200:
            raise AssertionError("/metrics")
        time.sleep(0.2)

    def slow(_):
        with server.raw(b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nContent-Le") as s:
            load.stopped.wait(2)
            s.sendall(b"ngth: 5\r\n\r\n")
            load.stopped.wait(1)

    for name, work in {"ticks": tick, "searches": search, "proofs": prove, "scrapes": scrape,
                       "slow clients": slow}.items():
        load.start(name, work)


def slope(samples):
    """Least squares of (seconds, KiB): KiB in ten minutes."""
    n = len(samples)
    mean_x = sum(x for x, _ in samples) / n
    mean_y = sum(y for _, y in samples) / n
    over = sum((x - mean_x) * (y - mean_y) for x, y in samples)
    return 600 * over / (sum((x - mean_x) ** 2 for x, _ in samples) or 1)


def soak(directory, seconds, verbose=True):
    fill(directory)
    with Served(directory / "world") as server:
        load = Load()
        soaking(server, load)
        samples, began = [], time.monotonic()
        while time.monotonic() - began < seconds and load.failure is None:
            time.sleep(1)
            samples.append((time.monotonic() - began, memory_kib(server.process.pid)))
            if verbose and len(samples) % 30 == 0:
                print(f"{samples[-1][0]:.0f} s: {samples[-1][1]} KiB", flush=True)
        load.stop()
        status = server.stop()
    settled = samples[len(samples) // 2:]
    growth = slope(settled)
    work = ", ".join(f"{count} {name}" for name, count in load.counts.items())
    print(f"{work}; memory {samples[0][1]} to {samples[-1][1]} KiB, in the second half "
          f"{growth:+.0f} KiB in ten minutes")
    return status == 0 and growth <= GROWTH_KIB_PER_10_MIN


def updates(directory, seconds):
    fill(directory)
    with Served(directory / "world") as server:
        client = Client(server)
        ids = [m["uri"] for m in client.op(op="find", types=["Note"], limit=100)["memories"]]
        began, done = time.monotonic(), 0
        before = memory_kib(server.process.pid)
        while time.monotonic() - began < seconds:
            items = [{"op": "update", "uri": uri, "data": {"statement": text_of(done % 97, number)}}
                     for number, uri in enumerate(ids)]
            answer = client.op(op="batch", items=items)
            ids = [item["uri"] for item in answer["results"]]
            done += len(items)
        grown = memory_kib(server.process.pid) - before
        started = time.monotonic()
        client.op(op="checkpoint")
        took_ms = 1000 * (time.monotonic() - started)
        status = server.stop()
    bytes_each = 1024 * grown / done
    print(f"{done} updates of {len(ids)} memories; {bytes_each:.0f} bytes of memory each (budget "
          f"{UPDATE_BYTES}), checkpoint {took_ms:.0f} ms (budget {CHECKPOINT_MS})")
    return status == 0 and bytes_each <= UPDATE_BYTES and took_ms <= CHECKPOINT_MS


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["soak", "updates"])
    parser.add_argument("--seconds", type=int, default=120)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mneme-soak-") as directory:
        run = {"soak": soak, "updates": updates}[arguments.what]
        return 0 if run(pathlib.Path(directory), arguments.seconds) else 1


if __name__ == "__main__":
    sys.exit(main())
