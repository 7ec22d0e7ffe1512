#!/usr/bin/env python3
"""A load run: the line protocol and HTTP with 2 and 64 clients on loopback, in one run, bounded in
count and time. Not a test: it prints figures. Standard library only.

    load.py MNEME [--requests N] [--seconds S]

Half of the requests write a note (durable), half search among the notes; the last rows only search,
and show whether memory stays where it is when nothing is added. Clients are processes of
their own, so that Python's lock is not what is measured. p50 and p99 are of single requests; cpu is
the processor time of mneme alone for a request, which other work on the machine hardly changes.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WORDS = "tea leaf cup steam rain moss clay storm harbour keeper lamp boat stone bread".split()
SEED_NOTES = 2000


def request(number):
    text = " ".join(WORDS[(number * k) % len(WORDS)] for k in (1, 3, 5, 7)) + f" {number}"
    if number % 2 == 0:
        return {"op": "write", "type": "Note", "data": {"statement": text}}
    return {"op": "search", "query": text, "limit": 5}


def memory_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def cpu_s(pid):
    """Processor time that a process has taken, its threads together."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def over_lines(pipe_in, pipe_out, count, until):
    taken, failed = [], 0
    for number in range(count):
        if time.monotonic() > until:
            break
        start = time.perf_counter()
        pipe_in.write(json.dumps(request(number)) + "\n")
        pipe_in.flush()
        ok = json.loads(pipe_out.readline())["ok"]
        taken.append(time.perf_counter() - start)
        failed += not ok
    return taken, {"failed": failed} if failed else {}


def client(port, first, step, count, until, report):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    taken, statuses = [], {}
    for number in range(first, first + step * count, step):
        if time.monotonic() > until:
            break
        body = json.dumps(request(number))
        start = time.perf_counter()
        connection.request("POST", "/v1/op", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        taken.append(time.perf_counter() - start)
        if answer.status != 200:
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
    report.put((taken, statuses))


def over_http(port, clients, count, until, step=1):
    """Step 1: both kinds of requests; 2: searches only."""
    report = multiprocessing.Queue()
    share = count // clients
    processes = [multiprocessing.Process(target=client, args=(
        port, 10_000_001 + step * i * share, step, share, until, report))
                 for i in range(clients)]
    for p in processes:
        p.start()
    taken, statuses = [], {}
    for _ in processes:
        more, codes = report.get()
        taken += more
        for code, n in codes.items():
            statuses[code] = statuses.get(code, 0) + n
    for p in processes:
        p.join()
    return taken, statuses


def row(name, pid, run):
    before, cpu = memory_kib(pid), cpu_s(pid)
    start = time.perf_counter()
    taken, errors = run()
    passed = time.perf_counter() - start
    taken.sort()
    after = memory_kib(pid)
    print(f"{name:<22}{len(taken):>8}{len(taken) / passed:>10.0f}"
          f"{taken[len(taken) // 2] * 1e3:>9.2f}{taken[len(taken) * 99 // 100] * 1e3:>9.2f}"
          f"{(cpu_s(pid) - cpu) / len(taken) * 1e3:>9.2f}"
          f"{before / 1024:>10.0f}{after / 1024:>8.0f}  {errors or 'none'}", flush=True)
    return errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mneme")
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=30)
    a = parser.parse_args()
    bad = {}
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "w"
        seed = [json.dumps({"op": "batch", "items": [request(2 * (i + 100 * b)) for i in range(100)]})
                for b in range(SEED_NOTES // 100)]
        subprocess.run([a.mneme, "shell", "--json", world], input="\n".join(seed) + "\n", text=True,
                       stdout=subprocess.DEVNULL, check=True)
        print(f"{'':<22}{'requests':>8}{'per s':>10}{'p50 ms':>9}{'p99 ms':>9}"
              f"{'cpu ms':>9}"
              f"{'MiB before':>10}{'after':>8}  errors")
        shell = subprocess.Popen([a.mneme, "shell", "--json", world], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        row("line protocol, 1", shell.pid, lambda: over_lines(
            shell.stdin, shell.stdout, a.requests, time.monotonic() + a.seconds))
        shell.stdin.close()
        shell.wait()
        server = subprocess.Popen([a.mneme, "serve", world, "--listen", "127.0.0.1:0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        for clients, step in ((1, 1), (2, 1), (64, 1), (64, 2), (64, 2), (64, 2)):
            errors = row(f"HTTP, {clients}{', reads' if step == 2 else ''}", server.pid,
                         lambda n=clients, s=step: over_http(
                             port, n, a.requests, time.monotonic() + a.seconds, s))
            bad.update({c: n for c, n in errors.items() if c not in (429, 503)})
        server.terminate()
        server.wait()
    if bad:
        sys.exit(f"errors other than busy: {bad}")


if __name__ == "__main__":
    main()
