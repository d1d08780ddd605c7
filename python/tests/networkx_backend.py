"""How tests run Python with the backend installed: the build tree has no metadata of an installed package."""

import os
import pathlib
import subprocess
import sys

ENTRY_POINTS = """[networkx.backends]
callisto = callisto_graph.nx

[networkx.backend_info]
callisto = _callisto_graph_info:get_info
"""


def environment(folder, **more):
    """Returns an environment in which NetworkX finds the backend; `folder` gets the metadata that pip would write."""
    import callisto_graph

    metadata = pathlib.Path(folder) / "callisto_graph-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: callisto-graph\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    paths = [str(folder), str(pathlib.Path(callisto_graph.__file__).parent.parent), os.path.dirname(__file__)]
    # The order of sets of texts decides what NetworkX's own functions look at next, and so how many calls they make.
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0",
            "CALLISTO_COSCHED": "off", **more}


def run_script(folder, script, **more):
    """Runs a script in a Python that has the backend; returns its output. Fails the test if the script fails."""
    done = subprocess.run([sys.executable, "-c", script], env=environment(folder, **more), capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
