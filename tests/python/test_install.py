"""`pip install ./python`: the package is whole, and finds the library or names it."""

import ast
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    place = tmp_path_factory.mktemp("pip")
    # pip builds where the sources stand, and what it needs for that is the system's: no index is asked.
    shutil.copytree(PACKAGE, place / "python", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--quiet",
                           "--target", str(place / "site"), str(place / "python")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return place / "site"


def run(site, text, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    return subprocess.run([sys.executable, "-c", text], cwd=site, capture_output=True, text=True, check=False,
                          env={**kept, "PYTHONPATH": str(site), **more})


def test_all_of_the_package_is_installed(installed):
    sources = {path.relative_to(PACKAGE) for path in (PACKAGE / "mneme").rglob("*") if path.suffix in (".py", ".typed")}
    there = {path.relative_to(installed) for path in (installed / "mneme").rglob("*")}
    assert sources and sources <= there


def test_what_was_installed_opens_a_world(installed):
    done = run(installed, "import mneme; world = mneme.open_in_memory(); world.write('Note', {'statement': 'tea'}); "
               "print(world.search('tea').texts())", MNEME_LIBRARY=os.environ["MNEME_LIBRARY"])
    assert done.stdout == "['tea']\n", done.stderr


def test_a_library_that_is_not_there_is_named(installed):
    done = run(installed, "import mneme; mneme.open_in_memory()", MNEME_LIBRARY="/nowhere/libmneme.so")
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: libmneme.so was not found; build it")
    assert "/nowhere/libmneme.so" in last


def test_every_promised_python_can_read_it():
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

    def awaits(node):
        return any(isinstance(part, ast.Await) or (isinstance(part, ast.comprehension) and part.is_async)
                   for part in ast.walk(node))

    sources = sorted((PACKAGE / "mneme").rglob("*.py"))
    assert sources
    for source in sources:
        tree = ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 9))
        # Python before 3.11 refuses those, which no feature_version tells.
        assert not [f"{source.name}:{inner.lineno}" for outer in ast.walk(tree) if isinstance(outer, comprehensions)
                    for inner in ast.walk(outer)
                    if inner is not outer and isinstance(inner, comprehensions) and awaits(inner)]
