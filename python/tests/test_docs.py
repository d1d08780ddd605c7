"""The pages for Python users: their sessions run and print what they show; the reference is that of the package."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from callisto_graph import _core

root = Path(__file__).resolve().parents[2]
pages = ["docs/tutorial/first-graph-in-python.md", "docs/how-to/python-recipes.md",
         "docs/how-to/watch-a-graph-that-changes.md"]


@pytest.mark.parametrize("page", pages)
def test_sessions(page, monkeypatch):
    for library in ("pandas", "scipy"):
        pytest.importorskip(library)
    monkeypatch.chdir(root)
    text = Path(page).read_text(encoding="utf-8")
    sessions = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(sessions, {}, page, page, 0)
    assert len(test.examples) > 7
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, out=told.append).failed == 0, "".join(told)


def test_the_notebook_runs():
    pytest.importorskip("pandas")
    found = subprocess.run([sys.executable, root / "python/pages/notebook.py"], capture_output=True, text=True, check=True)
    cells = json.loads(found.stdout)["cells"]
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    names = {}
    before = os.getcwd()
    os.chdir(root)
    try:
        for source in code:
            exec(compile(source, "cell", "exec"), names)
    finally:
        os.chdir(before)
    assert names["club"].vertices == 34


def test_readme_lines(monkeypatch):
    pytest.importorskip("networkx")
    monkeypatch.chdir(root)
    text = Path("README.md").read_text(encoding="utf-8")
    lines = re.search(r"```python\n(import callisto_graph.*?)```", text, re.DOTALL)
    assert lines
    names = {}
    exec(compile(lines[1], "README.md", "exec"), names)
    assert names["rank"].converged


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="signatures are printed in another way by each Python")
@pytest.mark.skipif(not hasattr(_core, "job_join"), reason="the reference has ranks, which this build has not (a wheel)")
def test_the_reference_is_up_to_date():
    found = subprocess.run([sys.executable, root / "python/pages/reference.py"], capture_output=True, text=True, check=True)
    assert found.stdout == (root / "docs/reference/python-api.md").read_text(encoding="utf-8"), \
        "run python/pages/reference.py --write"
