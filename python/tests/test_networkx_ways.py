"""Each function of the NetworkX backend answers however its arguments are passed, and refuses what NetworkX refuses."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("networkx")

from networkx_backend import environment  # noqa: E402

here = pathlib.Path(__file__).parent


def run(folder, script, *arguments):
    done = subprocess.run([sys.executable, here / script, *arguments], env=environment(folder), capture_output=True,
                          text=True, timeout=1700)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout.splitlines()


def test_each_function_answers_each_way_of_passing_arguments(tmp_path):
    functions, calls, *missed = run(tmp_path, "networkx_ways.py")
    assert not missed, "the backend did not answer:\n" + "\n".join(missed)
    assert int(functions) >= 170 and int(calls) > 8 * int(functions)


def test_what_networkx_refuses(tmp_path):
    """The same exception, by name, by priority, and from NetworkX, for each function and class of graphs."""
    done = run(tmp_path, "networkx_refusals.py")
    assert int(done[0]) > 50, done
    assert not done[1:], "\n".join(done[1:])


def test_views_copies_and_graphs_that_change(tmp_path):
    calls, answered, differences, *told = run(tmp_path, "networkx_changing.py", "--runs", "500")
    assert differences == "0", "\n".join(told)
    assert int(answered) > 0.6 * int(calls)


@pytest.mark.all
def test_many_views_copies_and_graphs_that_change(tmp_path):
    calls, _, differences, *told = run(tmp_path, "networkx_changing.py", "--runs", "1000", "--seed", "2")
    assert int(calls) >= 1000 and differences == "0", "\n".join(told)
