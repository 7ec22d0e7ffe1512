"""docs/PYTHON.md, docs/ADAPTERS.md and docs/CHANGES.md say what is so: the blocks of each run, one after the other, as one
program, and once more in the same directory."""

import pathlib
import re

import pytest

DOCUMENTS = pathlib.Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name,printed", [("PYTHON.md", "tea is served at five"), ("ADAPTERS.md", ""), ("CHANGES.md", "")])
def test_the_document_runs(name, printed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    document = DOCUMENTS / name
    blocks = re.findall(r"^```python\n(.*?)^```$", document.read_text("utf-8"), re.M | re.S)
    assert len(blocks) > (1 if name == "CHANGES.md" else 5)
    for _ in range(2):  # whoever tries it once more has the world of the first time
        names = {"__name__": "document"}
        for block in blocks:
            exec(compile(block, str(document), "exec"), names)
    assert printed in capsys.readouterr().out
