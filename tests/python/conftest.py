"""Worlds for the tests: one in this process, and the same through a server."""

import os
import pathlib
import re
import subprocess
from typing import Iterator

import pytest

import mneme

COMMAND = os.environ.get("MNEME_COMMAND", "mneme")


class Served:
    """`mneme serve` of a world in `directory`, at a free port."""

    def __init__(self, directory: pathlib.Path, port: str = "0") -> None:
        self.process = subprocess.Popen(
            [COMMAND, "serve", str(directory), "--listen", f"127.0.0.1:{port}"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = []
        for line in self.process.stdout:
            said.append(line)
            found = re.search(r"http://[0-9.]+:\d+", line)
            if found:
                self.url = found.group()
                return
        raise AssertionError("no server: " + "".join(said))

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)


@pytest.fixture
def served(tmp_path: pathlib.Path) -> Iterator[Served]:
    server = Served(tmp_path / "world")
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(params=["library", "server"])
def world(request: pytest.FixtureRequest) -> Iterator[mneme.World]:
    if request.param == "library":
        with mneme.open_in_memory(seed=1) as inside:
            yield inside
    else:
        with mneme.connect(request.getfixturevalue("served").url) as through:
            yield through
