#!/usr/bin/env python3
"""A leader and two followers, each `mneme serve`, on a PostgreSQL of the test's own: the leader is
killed, or stopped and woken, while somebody writes to whoever leads. Another one takes over within
the lease, nothing that was acknowledged is lost, and who was stopped acknowledges nothing.

    failover_test.py MNEME PROGRAMS [--rounds N] [--seconds N] [--seed N]
"""

# Of: tools/protocol/at_least.cpp

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import cluster

LEASE = 2.0
# A machine that has other things to do takes longer; what it took is printed.
PATIENCE = 30.0
# Far beyond the lease and what a claim takes: whoever needs that long does not take over by itself.
LONGEST_TAKEOVER = 10.0


class Server:
    """One process, and what it is asked."""

    def __init__(self, mneme, directory, log, *more):
        self.directory = directory
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [mneme, "serve", directory, "--log", log, "--follow", "--listen", "127.0.0.1:0", *more],
            stdout=subprocess.PIPE, stderr=self.said, text=True)
        line = self.process.stdout.readline()
        if "listening on" not in line:
            self.process.wait()
            self.said.seek(0)
            raise SystemExit(f"{directory} does not serve: {self.said.read()}")
        self.port = int(line.rstrip().rsplit(":", 1)[1])
        self.is_stopped = False

    def ask(self, timeout=10.0, **request):
        """The answer, or None where none came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", "/v1/op", json.dumps(request),
                               {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def status(self):
        answer = self.ask(op="stats", timeout=2.0)
        return answer["log"] if answer and answer["ok"] else None

    def health(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5.0)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status
        except OSError:
            return None
        finally:
            connection.close()

    def leads(self):
        status = None if self.is_stopped else self.status()
        return status is not None and status["role"] == "leader"

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)
        self.is_stopped = True

    def wake(self):
        self.process.send_signal(signal.SIGCONT)
        self.is_stopped = False

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def end(self):
        if self.process.poll() is None:
            if self.is_stopped:
                self.wake()
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.said.close()


class Writer(threading.Thread):
    """Writes to whoever takes it, and keeps what was acknowledged."""

    def __init__(self, servers):
        super().__init__(daemon=True)
        self.servers = servers  # by name; replaced by the main thread
        self.acknowledged = []  # (text, epoch, seq, root, when)
        self.written = 0
        self.is_over = False

    def run(self):
        name = next(iter(self.servers))
        while not self.is_over:
            text = f"note {self.written}"
            self.written += 1
            answer = self.servers[name].ask(op="write", type="Note", data={"statement": text},
                                            timeout=1.0)
            if answer and answer["ok"]:
                at = answer["log_position"]
                self.acknowledged.append((text, at["epoch"], at["seq"], at["root"],
                                          time.monotonic()))
                continue
            others = [n for n in self.servers if n != name]
            name = random.choice(others)
            time.sleep(0.01)


def until(what, says):
    began = time.monotonic()
    while not says():
        if time.monotonic() - began > PATIENCE:
            raise SystemExit(f"waited {PATIENCE:.0f} s for {what}")
        time.sleep(0.02)
    return time.monotonic() - began


def next_acknowledgement(writer, since):
    """How long it was until a write was acknowledged that was sent after `since`."""
    count = len(writer.acknowledged)
    until("a write that is acknowledged", lambda: len(writer.acknowledged) > count + 1)
    return writer.acknowledged[count + 1][4] - since


def check_doors(name, server, last):
    """Each read waits for what it names, and says that it has not come."""
    find = {"types": ["Note"], "limit": 1}
    for asked in ({"op": "stats"}, {"op": "journal", "from": last}, {"op": "root"},
                  {"op": "prove", "seqs": [last]}, {"op": "find_many", "items": [find]},
                  {"op": "search_many", "items": [{"query": "note"}]},
                  {"op": "retrieve_many", "items": [{"query": "note"}]},
                  {"op": "chroma_many", "items": []}):
        answer = server.ask(**asked, at_least=last, deadline_ms=20_000, timeout=30.0)
        if not answer or not answer["ok"]:
            raise SystemExit(f"{name} answers {asked} at seq {last} with {answer}")
        answer = server.ask(**asked, at_least=last + 1_000_000, deadline_ms=20, timeout=30.0)
        if not answer or answer["ok"] or answer["error"]["code"] != "behind":
            raise SystemExit(f"{name} answers {asked}, of what is not there, with {answer}")


def check(servers, writer):
    """Every copy has the same state, and all that was acknowledged, once."""
    last = max(seq for _, _, seq, _, _ in writer.acknowledged)
    roots = {}
    for _, epoch, seq, root, _ in writer.acknowledged:
        if roots.setdefault(seq, (root, epoch))[0] != root:
            raise SystemExit(f"two roots at seq {seq}: {root} and {roots[seq]}")
    by_seq = sorted((seq, epoch) for _, epoch, seq, _, _ in writer.acknowledged)
    epochs = [epoch for _, epoch in by_seq]
    if epochs != sorted(epochs):
        raise SystemExit("an older epoch acknowledged behind a newer one")
    for name, server in servers.items():
        answer = server.ask(op="find", types=["Note"], limit=100_000, at_least=last, form="full",
                            deadline_ms=20_000, timeout=30.0)
        if not answer or not answer["ok"]:
            raise SystemExit(f"{name} does not get to seq {last}: {answer}")
        texts = [m["version"]["data"]["statement"] for m in answer["memories"]]
        if len(set(texts)) != len(texts):
            raise SystemExit(f"{name} has a note twice")
        check_doors(name, server, last)
        lost = {text for text, *_ in writer.acknowledged} - set(texts)
        if lost:
            raise SystemExit(f"{name} lost {sorted(lost)[:5]}")
        for seq, (root, _) in list(roots.items())[-20:]:
            asked = server.ask(op="root", at_seq=seq, timeout=30.0)
            if not asked or asked.get("root") != root:
                raise SystemExit(f"{name} has {asked} at seq {seq}, where {root} was acknowledged")


def check_away(servers, postgres):
    """A log that is away shows in all of them; only who leads is unwell."""
    until("a leader", lambda: any(s.leads() for s in servers.values()))
    leader = next(s for s in servers.values() if s.leads())
    postgres.stop()
    until("a leader that is unwell", lambda: leader.health() == 503)
    for name, server in servers.items():
        until(f"{name} that misses the log", lambda s=server: "away_ms" in s.status())
        status = server.status()
        if status["lag_seqs"] is not None or not status["problem"]:
            raise SystemExit(f"{name} knows how far the log is, which is away: {status}")
        if server is not leader and server.health() != 200:
            raise SystemExit(f"{name}, which reads on, is unwell: {status}")


def run(mneme, programs, rounds, seconds, seed):
    random.seed(seed)
    place = tempfile.mkdtemp(prefix="mneme-failover-", dir="/dev/shm"
                             if os.access("/dev/shm", os.W_OK) else None)
    postgres = cluster.Cluster(programs)
    servers, writer = {}, None
    began = time.monotonic()
    try:
        log = postgres.address("town")
        subprocess.run([mneme, "init", f"{place}/one", "--log", log, "--embedder", "none"],
                       check=True, stdout=subprocess.DEVNULL)

        def start(name):
            servers[name] = Server(mneme, f"{place}/{name}", log, "--may-lead", "--advertise",
                                   f"http://{name}.example")

        for name in ("one", "two", "three"):
            start(name)
        until("a leader", lambda: any(s.leads() for s in servers.values()))
        writer = Writer(servers)
        writer.start()
        until("writes", lambda: len(writer.acknowledged) > 20)
        takeovers, wakes, lags = [], [], []
        for turn in range(rounds):
            if turn > 0 and seconds and time.monotonic() - began > seconds:
                break
            name = next((n for n, s in servers.items() if s.leads()), None)
            if name is None:
                until("a leader", lambda: any(s.leads() for s in servers.values()))
                continue
            old = servers[name]
            # A follower answers reads, refuses writes and says where to write.
            other = next(s for n, s in servers.items() if n != name)
            refused = other.ask(op="write", type="Note", data={"statement": "not here"})
            if refused and refused["ok"] and other.status()["role"] != "leader":
                raise SystemExit("a follower took a write")
            # Who, as far as it has heard; who led until just now may not have heard of anybody else.
            if (refused and not refused["ok"] and refused["error"]["code"] != "busy"
                    and ".example" not in json.dumps(refused)):
                raise SystemExit(f"a follower does not say who leads: {refused}")
            for _ in range(20):
                at = writer.acknowledged[-1]
                asked = time.monotonic()
                if other.ask(op="root", at_least=at[2], deadline_ms=10_000)["ok"]:
                    lags.append(time.monotonic() - asked)
            since = time.monotonic()
            if turn % 2 == 0:
                old.kill()
                takeovers.append(next_acknowledgement(writer, since))
                if random.random() < 0.3:
                    shutil.rmtree(old.directory)
                start(name)
            else:
                old.stop()
                takeovers.append(next_acknowledgement(writer, since))
                epoch = max(e for _, e, *_ in writer.acknowledged)
                old.wake()
                # Whatever it believes of the time.
                woken = old.ask(op="write", type="Note", data={"statement": f"woken {turn}"})
                if woken and woken["ok"] and woken["log_position"]["epoch"] < epoch:
                    raise SystemExit(f"who was stopped acknowledged a write: {woken}")
                wakes.append(until("a woken leader that follows",
                                   lambda s=old: (s.status() or {}).get("role") == "follower"
                                   or (s.status() or {}).get("epoch", 0) > epoch))
        writer.is_over = True
        writer.join()
        check(servers, writer)
        check_away(servers, postgres)
        if sorted(takeovers)[len(takeovers) // 2] > LONGEST_TAKEOVER:
            raise SystemExit(f"takeovers took {takeovers} s under a lease of {LEASE:.0f} s")
        lags.sort()
        print(f"{len(takeovers)} takeovers, the longest {max(takeovers):.2f} s, the median "
              f"{sorted(takeovers)[len(takeovers) // 2]:.2f} s, under a lease of {LEASE:.0f} s; "
              f"{len(writer.acknowledged)} acknowledged writes of {writer.written}, none lost; "
              f"a follower has what was acknowledged within {1000 * lags[len(lags) // 2]:.0f} ms "
              f"(p50), {1000 * lags[int(len(lags) * 0.99)]:.0f} ms (p99); seed {seed}")
    finally:
        if writer is not None:
            writer.is_over = True
            writer.join()
        for server in servers.values():
            server.end()
        postgres.end()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mneme")
    parser.add_argument("programs")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    run(a.mneme, a.programs, a.rounds, a.seconds, a.seed)
    sys.exit(0)
