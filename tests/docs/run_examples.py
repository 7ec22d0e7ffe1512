#!/usr/bin/env python3
"""Runs the ```console blocks of documents, so that no document shows a command that does not work.

    run_examples.py MNEME DOCUMENT...

A line `$ COMMAND` is run by bash (`> ` continues it); all blocks of one document share an empty
directory, with `mneme` in PATH. It must exit with 0. Other lines are its output: each must stand in
it, in this order; `…` stands for anything, within a line or as a line.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(text):
    for match in re.finditer(r"^```console\n(.*?)^```", text, flags=re.M | re.S):
        first = text.count("\n", 0, match.start()) + 2
        yield first, match.group(1).splitlines()


def steps(lines, first):
    """(line number, command, expected lines)"""
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif line.startswith("> ") and found and not found[-1][2]:
            found[-1] = (found[-1][0], found[-1][1] + "\n" + line[2:], [])
        elif found:
            found[-1][2].append(line)
        else:
            raise SystemExit(f"line {number}: a block starts with a command")
    return found


def missing(expected, output):
    """The first expected line that the output does not have, or None."""
    lines = [line.rstrip() for line in output.splitlines()]
    at = 0
    for line in expected:
        if line.strip() in ("", "…"):
            continue
        pattern = ".*".join(re.escape(part) for part in line.strip().split("…"))
        while at < len(lines) and not re.search(pattern, lines[at]):
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def run(document, mneme):
    ran = 0
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "LC_ALL": "C.UTF-8", "COLUMNS": "100",
                       "PATH": f"{pathlib.Path(mneme).resolve().parent}:{os.environ['PATH']}"}
        for first, lines in blocks(document.read_text()):
            for number, command, expected in steps(lines, first):
                done = subprocess.run(["bash", "-c", command], cwd=home, env=environment,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                where = f"{document.name}:{number}: $ {command}"
                if done.returncode != 0:
                    raise SystemExit(f"{where}\nexit status {done.returncode}:\n{done.stdout}")
                absent = missing(expected, done.stdout)
                if absent is not None:
                    raise SystemExit(f"{where}\nthe output has no (further) line: {absent}\n"
                                     f"it is:\n{done.stdout}")
                ran += 1
    return ran


def main():
    mneme, documents = sys.argv[1], [pathlib.Path(a) for a in sys.argv[2:]]
    total = 0
    for document in documents:
        ran = run(document, mneme)
        print(f"{document.name}: {ran} commands")
        total += ran
    if total == 0:
        raise SystemExit("there was nothing to run")


if __name__ == "__main__":
    main()
