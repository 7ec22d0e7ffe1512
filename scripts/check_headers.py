#!/usr/bin/env python3
"""Compiles headers alone, twice in a row: each must include what it needs, and bear being included
again. Python 3 standard library only.

    scripts/check_headers.py [--all]

    --all   those too that the source of the same name includes first, in which what they lack would
            mostly show; scripts/nightly takes all

A header that includes another one, through whichever, is the same text behind it: each is compiled
behind the largest one that it includes, precompiled, and is itself precompiled where others stand
behind it. What is refused so is compiled once more from nothing, which alone tells.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from check_structure import ROOT, tree

# Templates are instantiated where they are precompiled, not in each that stands behind.
COMPILER = ["clang++-19", "-std=c++23", "-Wall", "-Wextra", "-Werror", "-DMSGPACK_NO_BOOST",
            f"-I{ROOT}", f"-I{ROOT}/include", "-fpch-instantiate-templates", "-fno-crash-diagnostics"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
CONDITION = re.compile(r"^\s*#\s*if|/\*", re.MULTILINE)


def headers():
    """As they are included, each with the file that it is."""
    return {name.removeprefix("include/"): ROOT / name for name in tree() if name.endswith(".hpp")}


def begins_own_source(name):
    """Does the source beside the header include it first?"""
    source = (ROOT / name).with_suffix(".cpp")
    first = INCLUDE.search(source.read_text()) if source.exists() else None
    return first is not None and name in first.groups()


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


def choose_bases(included, chosen):
    """For each header that was chosen the largest of them that it includes, or None; what is not ours
    is larger by far."""
    size = {name: len(own) + 3 * len(others) for name, (own, others) in included.items()}
    return {name: max((included[name][0] & chosen) - {name}, key=lambda base: (size[base], base),
                      default=None)
            for name in chosen}


def refused(arguments):
    """What the compiler has to say, if it refuses."""
    done = subprocess.run(COMPILER + arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else ""


class Compilation:
    """Of one header: precompiled into a directory, or judged alone."""

    def __init__(self, place, base_of):
        self.place, self.base_of = place, base_of
        self.bases = {base for base in base_of.values() if base}

    def precompiled(self, name):
        return self.place / (name.replace("/", "__") + ".pch")

    def errors(self, name):
        """None where it compiles; a header that others stand behind is left precompiled if it does."""
        twice = self.place / name.replace("/", "__")
        twice.write_text(f'#include "{name}"\n#include "{name}"\n')
        into = (["-x", "c++-header", str(twice), "-o", str(self.precompiled(name))]
                if name in self.bases else ["-fsyntax-only", "-x", "c++", str(twice)])
        base = self.base_of[name] and self.precompiled(self.base_of[name])
        if base and base.exists() and not refused(["-include-pch", str(base), *into]):
            return None
        return refused(into) or None


def compile_all(base_of):
    """What is wrong with each header of which something is: bases first, the rest as these are had."""
    behind = {}
    for name, base in base_of.items():
        behind.setdefault(base, []).append(name)
    wrong = {}
    with tempfile.TemporaryDirectory(prefix="mneme-headers-") as place, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compilation = Compilation(pathlib.Path(place), base_of)
        running = {}

        def start(names):
            running.update({pool.submit(compilation.errors, name): name for name in names})

        start(behind[None])
        while running:
            done, _ = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED)
            for job in done:
                name = running.pop(job)
                if errors := job.result():
                    wrong[name] = errors
                start(behind.get(name, []))
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Compiles headers alone.")
    parser.add_argument("--all", action="store_true",
                        help="those too that the source of the same name includes first")
    takes_all = parser.parse_args().all
    files = headers()
    chosen = {name for name in files if takes_all or not begins_own_source(name)}
    base_of = choose_bases(closures(files), chosen)
    wrong = compile_all(base_of)
    for name, errors in sorted(wrong.items()):
        first = next((e for e in errors.splitlines() if "error" in e), errors[:200])
        print(f"{files[name].relative_to(ROOT)}: does not compile alone: {first}")
    print(f"headers: {len(chosen)} of {len(files)} compiled alone, "
          f"{len(set(base_of.values()) - {None})} of them precompiled for others, "
          f"{len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
