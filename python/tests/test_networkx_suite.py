"""NetworkX's own suite, run with the backend: every test passes, and the backend answers no fewer calls than before."""

import os
import pathlib
import subprocess
import sys

import pytest

networkx = pytest.importorskip("networkx")
pytest.importorskip("scipy")

from networkx_backend import environment  # noqa: E402

#: The tests of the functions that the backend declares.
PARTS = """
centrality/tests components/tests link_analysis/tests shortest_paths/tests traversal/tests community/tests
coloring/tests tree/tests/test_mst.py tree/tests/test_recognition.py tests/test_euler.py tests/test_hierarchy.py
tests/test_core.py tests/test_cluster.py tests/test_distance_measures.py
tests/test_dag.py tests/test_matching.py tests/test_mis.py tests/test_wiener.py tests/test_efficiency.py
tests/test_link_prediction.py tests/test_bridges.py bipartite/tests/test_basic.py assortativity/tests
flow/tests/test_maxflow.py connectivity/tests/test_cuts.py connectivity/tests/test_connectivity.py tests/test_triads.py
tests/test_richclub.py tests/test_smetric.py tests/test_reciprocity.py tests/test_isolate.py tests/test_regular.py
tests/test_structuralholes.py tests/test_cycles.py approximation/tests/test_matching.py
approximation/tests/test_dominating_set.py ../generators/tests/test_ego.py ../tests/test_convert_scipy.py
../tests/test_convert_numpy.py
""".split()


@pytest.mark.all
def test_suite(tmp_path):
    home = pathlib.Path(networkx.__file__).parent
    if not (home / "algorithms" / "centrality" / "tests").is_dir():
        pytest.skip("networkx is installed without its tests")
    answers = tmp_path / "answers"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--assert=plain", "-p", "networkx_answers", "--backend",
               "callisto", "--fallback-to-nx", *(f"algorithms/{part}" for part in PARTS)]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=1700,
                          env=environment(tmp_path, CALLISTO_NETWORKX_ANSWERS=str(answers)))
    assert done.returncode == 0, done.stdout[-6000:]

    counts = dict(line.split() for line in answers.read_text().splitlines())
    if keep := os.environ.get("CALLISTO_KEEP_ANSWERS"):  # rewrites the file after a change
        pathlib.Path(keep).write_text("".join(f"{name} {count}\n" for name, count in counts.items()))
    least = (pathlib.Path(__file__).parent / "networkx_answers.txt").read_text()
    before = dict(line.split() for line in least.splitlines())
    if networkx.__version__.split(".")[:2] != ["3", "6"]:
        return  # other versions have other tests; the counts are those of 3.6
    fewer = [name for name, count in before.items() if int(counts.get(name, 0)) < int(count)]
    assert not fewer, f"the backend answers fewer calls than networkx_answers.txt says: {fewer}"
