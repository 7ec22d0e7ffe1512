"""examples/agent_loop: turns on a new world, and then on one that knows something already."""

import pathlib
import subprocess
import sys

import mneme

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples/agent_loop/agent_loop.py"


def told_by_turns(world):
    done = subprocess.run([sys.executable, "-B", PROGRAM, world], text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_agent_remembers_its_turns(tmp_path):
    world = tmp_path / "world"
    assert told_by_turns(world).endswith("remembers 3 things\n")
    assert told_by_turns(world).endswith("remembers 6 things\n")
    with mneme.open(world, create=False) as remembered:
        found = remembered.search("the pump in shed 3", actor="gardener", limit=1)
        assert "pump" in found[0].content
        assert remembered.get(found[0].id).activation.citations > 0
