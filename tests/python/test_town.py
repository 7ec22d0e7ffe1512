"""The town of examples/town: lives, is killed, goes on, and is the same town."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import COMMAND

import mneme

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples/town/town.py"
NAMES = ["Ana Berg", "Bo Dahl", "Cy Ek", "Di Falk"]


@pytest.fixture
def data(tmp_path):
    """A town that is made up, with a record of its first hours alone."""
    folder = tmp_path / "data"
    folder.mkdir()

    def write(name, rows):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "meta.json").write_text(json.dumps({"start_date": "March 01, 2024", "persona_names": NAMES}))
    write("personas.jsonl", [{"name": name, "currently": f"{name} looks for the key."} for name in NAMES[:3]])
    write("memories.jsonl", [{"scope": name, "type": "event", "poignancy": 2, "text": f"{name} saw boat {n}"}
                             for name in NAMES for n in range(5)])
    write("movement.jsonl", [{"who": name, "time": f"March 01, 2024, {hour:02}:00:00",
                              "act": f"{what} @ town:{where}:room"} for name in NAMES[:3] for hour, what, where in
                             [(6, "waking up", "house"), (7, "mending a net", "harbour"), (8, "drinking tea", "cafe")]])
    return folder


def lived(data, world, days, *more):
    done = subprocess.run([sys.executable, "-B", PROGRAM, data, world, "--days", str(days), *more], text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def told(said, name):
    return re.search(rf"^{name} (\w{{64}})\b", said, re.M).group(1)


def test_a_killed_town_goes_on(data, tmp_path):
    whole = lived(data, tmp_path / "whole", 2, "--check")
    assert "lived again: the same and the same root" in whole
    assert re.search(r"day 1  chat", whole) and re.search(r"Ana Berg +\w+ \w+ tells \w+ \w+: ", whole)
    world = tmp_path / "killed"
    for hour in (5, 17, 30):
        town = subprocess.Popen([sys.executable, "-B", PROGRAM, data, world, "--days", "2"], text=True,
                                stdout=subprocess.PIPE)
        for line in town.stdout:
            if line.startswith(f"hour {hour}:"):
                break
        town.kill()
        town.communicate(timeout=60)
    rest = lived(data, world, 2, "--check")
    assert re.search(r"^goes on behind hour (3\d|4\d)", rest, re.M)
    assert told(rest, "memories") == told(whole, "memories")
    subprocess.run([COMMAND, "replay", world, "--into", tmp_path / "replayed"], check=True, capture_output=True)
    with mneme.open(tmp_path / "replayed", create=False) as replayed:
        assert replayed.root().root == told(rest, "root")
    assert told(lived(data, world, 3), "memories") != told(whole, "memories")
