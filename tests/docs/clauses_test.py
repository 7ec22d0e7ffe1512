#!/usr/bin/env python3
"""Every clause in the tables of tests/README.md names tests that exist.

A test is the name of a TEST_CASE, or cases/NAME.case. Usage: clauses_test.py TESTS_DIRECTORY
"""

import pathlib
import re
import sys

CASE = re.compile(r'TEST_CASE(?:_METHOD\(\s*\w+\s*,|\()\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
ROW = re.compile(r"^\|(?P<clause>[^|]*)\|(?P<tests>[^|]*)\|\s*$")


def test_names(tests: pathlib.Path) -> set[str]:
    names = {f"cases/{path.name}" for path in tests.glob("cases/*.case")}
    for path in tests.rglob("*.cpp"):
        for found in CASE.finditer(path.read_text(encoding="utf-8")):
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(1))
            names.add("".join(parts).replace('\\"', '"'))
    return names


def clause_rows(readme: pathlib.Path) -> list[tuple[str, list[str]]]:
    text = readme.read_text(encoding="utf-8")
    _, _, part = text.partition("## Clauses and their tests")
    rows = []
    for line in part.splitlines():
        row = ROW.match(line)
        if not row or row["clause"].strip() in ("clause", "") or set(row["clause"]) <= set("- "):
            continue
        rows.append((row["clause"].strip(), re.findall(r"`([^`]+)`", row["tests"])))
    return rows


def main() -> int:
    tests = pathlib.Path(sys.argv[1])
    names = test_names(tests)
    rows = clause_rows(tests / "README.md")
    problems = [] if len(rows) > 50 else [f"only {len(rows)} clauses are read: is the table there?"]
    for clause, named in rows:
        if not named:
            problems.append(f'"{clause}" has no test')
        problems += [f'"{clause}": there is no test "{n}"' for n in named if n not in names]
    for problem in problems:
        print(problem)
    print(f"{len(rows)} clauses, {len(names)} tests, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
