#!/usr/bin/env python3
"""Runs scripted cases against the mneme command. Format: tests/cases/README.md."""

import json
import os
import re
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def value_at(document, path):
    """The member of a JSON document at a path such as .memories[0].uri; .size() counts."""
    for key, index in re.findall(r"\.([A-Za-z_0-9()]+)|\[(\d+)\]", path):
        if key == "size()":
            document = len(document)
        elif key:
            if not isinstance(document, dict) or key not in document:
                raise Failure(f"there is no {path} in {json.dumps(document)[:300]}")
            document = document[key]
        else:
            if not isinstance(document, list) or int(index) >= len(document):
                raise Failure(f"there is no {path} in {json.dumps(document)[:300]}")
            document = document[int(index)]
    return document


class Step:
    def __init__(self, number, command):
        self.number = number
        self.command = command
        self.stdin = []
        self.status = 0
        self.expected = []  # (kind, text) in order


def read_steps(path):
    """Splits a case file into (kind, Step) in order; kind is run, start or stop."""
    steps = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            mark, text = line[0], line[2:]
            if mark in "$&;":
                kind = {"$": "run", "&": "start", ";": "stop"}[mark]
                steps.append((kind, Step(number, text)))
                continue
            if not steps:
                raise Failure(f"line {number}: an expectation without a command")
            step = steps[-1][1]
            if mark == "<":
                step.stdin.append(text)
            elif mark == "=":
                step.status = int(text)
            elif mark in "|~*!@":
                step.expected.append((mark, text))
            else:
                raise Failure(f"line {number}: unknown mark {mark!r}")
    return steps


def check_lines(expected, lines):
    at = 0
    for mark, text in expected:
        if mark == "*":
            at = len(lines)
            continue
        if at >= len(lines):
            raise Failure(f"expected another line of output: {text}")
        same = lines[at] == text if mark == "|" else re.fullmatch(text, lines[at])
        if not same:
            raise Failure(f"expected line {at + 1}: {text}\n       it is: {lines[at]}")
        at += 1
    if at < len(lines):
        raise Failure(f"unexpected output from line {at + 1}: {lines[at]}")


def check_members(expected, lines):
    """`@ [LINE] PATH = JSON` or `@ [LINE] PATH ~ REGEX`; LINE is the line of output, 1 if absent."""
    for text in expected:
        match = re.fullmatch(r"(?:(\d+) )?(\.\S*|\[\S*) ([=~]) (.*)", text)
        if not match:
            raise Failure(f"cannot read the expectation: {text}")
        line = int(match[1] or 1)
        if line > len(lines):
            raise Failure(f"there is no line {line} of output for: {text}")
        value = value_at(json.loads(lines[line - 1]), match[2])
        if match[3] == "=" and value != json.loads(match[4]):
            raise Failure(f"{text}\n       it is: {json.dumps(value)}")
        if match[3] == "~" and not re.search(match[4], value if isinstance(value, str)
                                             else json.dumps(value)):
            raise Failure(f"{text}\n       it is: {json.dumps(value)}")


def run_step(step, folder, environment):
    stdin = "".join(line + "\n" for line in step.stdin).encode()
    done = subprocess.run(step.command, shell=True, cwd=folder, env=environment, input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    out = done.stdout.decode("utf-8", "replace")
    err = done.stderr.decode("utf-8", "replace")
    try:
        if done.returncode != step.status:
            raise Failure(f"exit status {done.returncode}, expected {step.status}")
        lines = out.split("\n")[:-1] if out.endswith("\n") else out.split("\n") if out else []
        in_order = [e for e in step.expected if e[0] in "|~*"]
        if in_order:
            check_lines(in_order, lines)
        check_members([text for mark, text in step.expected if mark == "@"], lines)
        for mark, text in step.expected:
            if mark == "!" and not re.search(text, err):
                raise Failure(f"standard error does not have: {text}")
    except (Failure, json.JSONDecodeError, re.error) as failure:
        raise Failure(f"line {step.number}: {step.command}\n       {failure}\n"
                      f"--- stdout\n{out[:4000]}--- stderr\n{err[:2000]}")


def start_step(step, folder, environment):
    """Starts a process and waits for one line of output per line of input."""
    process = subprocess.Popen(step.command, shell=True, cwd=folder, env=environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in step.stdin:
        process.stdin.write((line + "\n").encode())
        process.stdin.flush()
        if not process.stdout.readline():
            raise Failure(f"line {step.number}: {step.command} gave no answer")
    return process


def run_steps(steps, environment):
    with tempfile.TemporaryDirectory(prefix="mneme-case-") as folder:
        started = []
        try:
            for kind, step in steps:
                if kind == "run":
                    run_step(step, folder, environment)
                elif kind == "start":
                    started.append(start_step(step, folder, environment))
                else:
                    process = started.pop()
                    process.stdin.close()
                    process.stdout.read()
                    if process.wait(timeout=300) != 0:
                        raise Failure(f"line {step.number}: the started process failed")
        finally:
            for process in started:
                process.kill()


def help_steps(mneme, topic):
    """The commands that a help text shows, as steps that must succeed."""
    text = subprocess.run([mneme, "help", topic], capture_output=True, text=True, check=True).stdout
    steps = [("run", Step(number, line[4:])) for number, line in enumerate(text.split("\n"), 1)
             if line.startswith("  $ ")]
    if not steps:
        raise Failure(f"the topic {topic} has no example")
    return steps


def topics(mneme):
    text = subprocess.run([mneme, "help"], capture_output=True, text=True, check=True).stdout
    rows = text.split("\ntopic ")[1].split("\n")[1:]
    return [row.split()[0] for row in rows if row.strip() and row.split()[0] != "ops"]


def main():
    mneme, cases = os.path.abspath(sys.argv[1]), sys.argv[2:]
    environment = dict(os.environ, LC_ALL="C", TZ="UTC",
                       PATH=os.path.dirname(mneme) + os.pathsep + os.environ["PATH"],
                       GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull,
                       TESTS=os.path.dirname(os.path.abspath(__file__)))
    failures = 0
    if cases == ["--help-examples"]:
        work = [(f"help {topic}", lambda t=topic: help_steps(mneme, t)) for topic in topics(mneme)]
    else:
        work = [(case, lambda c=case: read_steps(c)) for case in cases]
    for name, steps in work:
        try:
            run_steps(steps(), environment)
        except Failure as failure:
            failures += 1
            print(f"FAILED {name}: {failure}")
    print(f"{len(work) - failures} of {len(work)} passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
