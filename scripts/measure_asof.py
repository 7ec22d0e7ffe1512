#!/usr/bin/env python3
"""Imports facts with validity and asks for every known answer again.

    measure_asof.py MNEME DIRECTORY

DIRECTORY has facts.jsonl ({s, r, o, from, to}: days, to included) and asof.jsonl ({s, r, at, values}:
what r of s was on day `at`). Prints how many answers of `mneme retrieve` with as_of are right. A day
before 1970 is refused as bad_time; it counts apart. Exit status 1 if an answer is wrong.
"""

import collections
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import time


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def day(number):
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(days=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def topic_ids(mneme, world):
    answer = json.loads(run(mneme, "find", world, '{"types":["Topic"],"limit":10000000}', "--json"))
    return {m["version"]["data"]["title"]: m["id"] for m in answer["memories"]}


def questions(path, ids):
    for line in path.read_text().splitlines():
        q = json.loads(line)
        yield q, {"op": "retrieve", "q": q["s"], "stages": ["temporal"], "touch": False,
                  "topic_ids": [ids[q["s"]]] if q["s"] in ids else [], "field_names": [q["r"]],
                  "as_of": day(q["at"])}


def values_of(answer):
    for candidate in answer["candidates"]:
        for field in candidate["fields"]:
            value = field["current"]["value"] if field["current"] else []
            return sorted(value if isinstance(value, list) else [value])
    return []


def main():
    mneme, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as home:
        world = home + "/world"
        run(mneme, "init", world, "--embedder", "none")
        started = time.monotonic()
        report = json.loads(run(mneme, "import", world, str(data / "facts.jsonl"), "--format", "facts",
                                "--json"))
        imported = time.monotonic()
        asked = list(questions(data / "asof.jsonl", topic_ids(mneme, world)))
        lines = "".join(json.dumps(request) + "\n" for _, request in asked)
        begun = time.monotonic()
        answers = run(mneme, "shell", world, "--json", input=lines).splitlines()
        done = time.monotonic()
    counts, wrong = collections.Counter(), []
    for (question, _), line in zip(asked, answers, strict=True):
        answer = json.loads(line)
        if not answer["ok"]:
            code = answer["error"]["code"]
            counts[f"refused as {code}, {'empty' if not question['values'] else 'not empty'}"] += 1
            if code != "bad_time" or question["values"]:
                wrong.append((question, answer))
        elif values_of(answer) == sorted(question["values"]):
            counts["right"] += 1
        else:
            wrong.append((question, answer))
    print(f"{report['memories_added']} topics, {report['field_revisions_added']} revisions "
          f"imported in {imported - started:.1f} s")
    print(f"{len(asked)} questions in {done - begun:.1f} s")
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    print(f"wrong: {len(wrong)}")
    for question, answer in wrong[:5]:
        print(json.dumps(question), json.dumps(answer))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
