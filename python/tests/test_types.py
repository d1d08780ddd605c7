"""Types: the package is clean under mypy --strict, and says the right types to its users."""

import subprocess
import sys
from pathlib import Path

import pytest

import callisto_graph as cl

package = Path(cl.__file__).resolve().parent

user = """
import numpy as np
import callisto_graph as cl

g: cl.Graph = cl.from_edges([0], [1], directed=True)
reveal_type(g.pagerank())
reveal_type(g.pagerank().scores)
reveal_type(g.bfs(0).path(1))
reveal_type(cl.threads())
"""


@pytest.mark.all
def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(user)
    settings = Path(__file__).resolve().parents[2] / "pyproject.toml"
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir",
                            str(tmp_path), "--config-file", str(settings), str(program)],
                           capture_output=True, text=True,
                           env={"MYPYPATH": str(package.parent), "PATH": "/usr/bin:/bin"})
    for expected in ('Revealed type is "callisto_graph._results.PageRank"', 'list[Any]"',
                     'Revealed type is "callisto_graph._threads.Threads"'):
        assert expected in found.stdout, found.stdout + found.stderr
    wrong = [line for line in found.stdout.splitlines() if ": error:" in line]
    assert not wrong, "\n".join(wrong)


def test_every_public_name_is_documented_and_typed():
    assert (package / "py.typed").exists()
    for name in cl.__all__:
        if name in ("__version__", "Progress"):
            continue
        assert getattr(cl, name).__doc__, name
    for name in dir(cl.Graph):
        member = getattr(cl.Graph, name)
        if name.startswith("_") or not callable(member):
            continue
        assert member.__doc__, name
        assert "return" in member.__annotations__, name
        assert set(member.__code__.co_varnames[1:member.__code__.co_argcount + member.__code__.co_kwonlyargcount]) <= \
            set(member.__annotations__), name
