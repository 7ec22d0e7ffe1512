"""docs/PYTHON.md says what is so: its blocks run, one after the other, as one program."""

import pathlib
import re

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/PYTHON.md"


def test_the_document_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text("utf-8"), re.M | re.S)
    assert len(blocks) > 5
    names = {"__name__": "document"}
    for block in blocks:
        exec(compile(block, str(DOCUMENT), "exec"), names)
    assert "tea is served at five" in capsys.readouterr().out
