#!/usr/bin/env python3
"""Compiles every header alone, twice in a row: it must include what it needs, and bear being included
again. Python 3 standard library only.

    scripts/check_headers.py

What many headers include is compiled once, precompiled: a header that includes another one, through
whichever, is the same text behind it. Headers that are included so are themselves compiled from
nothing, or behind another one that they include in turn.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from check_structure import ROOT, tree

COMPILER = ["g++", "-std=c++23", "-Wall", "-Wextra", "-Werror", "-DMSGPACK_NO_BOOST",
            f"-I{ROOT}", f"-I{ROOT}/include", "-x"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
CONDITION = re.compile(r"^\s*#\s*if|/\*", re.MULTILINE)
PRECOMPILED = 6


def headers():
    """As they are included, each with the file that it is."""
    return {name.removeprefix("include/"): ROOT / name for name in tree() if name.endswith(".hpp")}


def closures(files):
    """What each header includes, through whichever: our own headers with itself, and the others."""
    direct = {}
    for name, path in files.items():
        text = path.read_text()
        # What stands under a condition or in a comment may not be there: compiled from nothing.
        includes = [] if CONDITION.search(text) else INCLUDE.findall(text)
        found = [quoted or angled for quoted, angled in includes]
        direct[name] = ({f for f in found if f in files}, {f for f in found if f not in files})

    def closure(name):
        own, others, waiting = set(), set(), [name]
        while waiting:
            here = waiting.pop()
            if here in own:
                continue
            own.add(here)
            others |= direct[here][1]
            waiting.extend(direct[here][0])
        return own, others

    return {name: closure(name) for name in files}


def choose_bases(included):
    """For each header the one of a few to precompile that spares it most, or none. What a header
    costs is told by how many headers that are not ours it takes along."""
    cost = {name: len(others) for name, (_, others) in included.items()}
    spared = dict.fromkeys(included, 0)
    base_of = dict.fromkeys(included)
    for _ in range(PRECOMPILED):
        def gain(base):
            return sum(max(0, cost[base] - spared[name])
                       for name, (own, _) in included.items() if base in own and name != base)
        best = max(sorted(included), key=gain)
        if gain(best) == 0:
            break
        for name, (own, _) in included.items():
            if best in own and name != best and cost[best] > spared[name]:
                spared[name], base_of[name] = cost[best], best
    return base_of


def compiled(arguments, source=None):
    """What the compiler has to say, if it refuses."""
    done = subprocess.run(COMPILER + arguments, cwd=ROOT, input=source, capture_output=True, text=True,
                          check=False)
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else ""


def precompile(base, place):
    """The header behind which others are compiled; None if it does not compile."""
    text = place / (base.replace("/", "__"))
    text.write_text(f'#include "{base}"\n')
    return None if compiled(["c++-header", str(text), "-o", f"{text}.gch"]) else text


def compile_alone(name, behind):
    before = ["-include", str(behind)] if behind else []
    twice = f'#include "{name}"\n#include "{name}"\n'
    return name, compiled(["c++", "-fsyntax-only", "-Winvalid-pch", *before, "-"], twice)


def main():
    files = headers()
    base_of = choose_bases(closures(files))
    bases = sorted({base for base in base_of.values() if base})
    failed = 0
    with tempfile.TemporaryDirectory(prefix="mneme-headers-") as place, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        behind = dict(zip(bases, pool.map(lambda b: precompile(b, pathlib.Path(place)), bases)))
        jobs = [pool.submit(compile_alone, name, behind.get(base_of[name])) for name in files]
        for job in jobs:
            name, errors = job.result()
            if errors:
                failed += 1
                first = next((e for e in errors.splitlines() if "error" in e), errors[:200])
                print(f"{files[name].relative_to(ROOT)}: does not compile alone: {first}")
    print(f"headers: {len(files)} compiled alone, {len(bases)} of them precompiled for others, "
          f"{failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
