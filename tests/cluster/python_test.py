"""callisto_graph.cluster under the launcher of one MPI: results are those of one process, and failures end the job.

Usage: python_test.py openmpi|mpich, by the Python that has the package. Exit status 77: skipped, for there is no
launcher. The launcher starts this file again, with the name of a part and a folder.
"""

import ctypes
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from every_graph import launch_words


def raises(kind, call):
    """Returns the exception that call() raises."""
    try:
        call()
    except kind as e:
        return e
    raise AssertionError(f"expected {kind.__name__}")


def same(one, of_ranks, own, exactly=True):
    """Compares the result of one process with that of the ranks; `own`: what this rank has of it, by name."""
    whole = of_ranks.whole
    for name in one.columns:
        expected = getattr(one, name)
        if expected is None:
            continue
        close = np.array_equal if exactly else lambda a, b: np.allclose(a, b, rtol=1e-9, atol=1e-12)
        assert close(expected[own], of_ranks.own_columns[name]), (name, expected[own], of_ranks.own_columns[name])
        assert whole is None or close(expected, getattr(whole, name)), name


def results(folder):
    import callisto_graph as cl
    from callisto_graph import cluster

    rank = cluster.rank()
    assert cluster.ranks() == 3
    for file in ("random.cg", "random.txt"):
        one, many = cl.read(folder / file, directed=False), cluster.load(folder / file, directed=False)
        own = slice(many.first, many.last)
        assert (many.vertices, many.arcs, many.directed, many.weighted) == (one.vertices, one.arcs, False, False)
        same(one.pagerank(), many.pagerank(), own)
        same(one.components(), many.components(), own)
        assert many.components().facts["count"] == one.components().count
        found = many.bfs(17)  # of possible parents another may be chosen
        assert np.array_equal(one.bfs(17).distances[own], found.own)
        assert found.facts["reached"] == one.bfs(17).reached
        ranked = many.pagerank()
        if rank == 0:
            assert np.array_equal(one.bfs(17).distances, found.whole.distances)
            assert found.whole.path(5)[0] == 17 and len(found.whole.path(5)) == one.bfs(17)[5] + 1
            assert ranked.whole.top(3) == one.pagerank().top(3)
        else:
            assert ranked.whole is None and many.labels is None
        if file == "random.txt":
            continue
        assert many.statistics() == one.statistics()
        assert many.triangles() == one.triangles()
        same(one.pagerank(seeds={3: 1, 5: 2}), many.pagerank(seeds={3: 1, 5: 2} if rank == 0 else [9]), own)
        same(one.communities(), many.communities(), own)
        same(one.cores(), many.cores(), own)
        same(one.clustering(), many.clustering(), own, exactly=False)
        same(one.betweenness(samples=20), many.betweenness(samples=20), own, exactly=False)
        assert many.betweenness(samples=20).facts["sources"] == 20
        assert many.cores().facts["degeneracy"] == one.cores().degeneracy

    edges = [("ann", "bob", 2.5), ("bob", "cid", 1.0), ("ann", "cid", 5.0), ("dan", "eve", 1.0)]
    one = cl.from_edges(*map(list, zip(*edges)))
    many = cluster.deal(one if rank == 0 else None)
    same(one.sssp("ann"), many.sssp("ann"), slice(many.first, many.last))
    assert many.labels is None or list(many.labels) == ["ann", "bob", "cid", "dan", "eve"]
    paths = many.sssp("bob")
    assert paths.whole is None if rank != 0 else paths.whole["ann"] == 2.5

    # What all ranks raise goes on: the job lives.
    assert "zoe" in str(raises(KeyError, lambda: many.bfs("zoe")))
    assert "nowhere" in str(raises(FileNotFoundError, lambda: cluster.load(folder / "nowhere.cg")))
    assert "damping" in str(raises(cl.UsageError, lambda: many.pagerank(damping=2)))
    assert many.weighted and raises(cl.UsageError, lambda: cluster.load(folder / "random.cg").sssp(17))
    drawn = cluster.load(folder / "random.cg")
    drawn.draw_weights(4)
    assert drawn.sssp(17).facts["reached"] == found.facts["reached"]
    (folder / f"rank{rank}").touch()


def beside_mpi(folder):
    """Another package has begun MPI, as mpi4py does, and ends it when the interpreter has ended."""
    mpi = ctypes.CDLL("libmpi.so.40" if MPI == "openmpi" else "libmpich.so.12", ctypes.RTLD_GLOBAL)
    given = ctypes.c_int()
    assert mpi.MPI_Init_thread(None, None, 3, ctypes.byref(given)) == 0
    ctypes.pythonapi.Py_AtExit(ctypes.cast(mpi.MPI_Finalize, ctypes.CFUNCTYPE(None)))
    from callisto_graph import cluster

    assert cluster.load(folder / "random.cg").components().own.size > 0
    (folder / f"beside{cluster.rank()}").touch()


def one_fails(folder):
    from callisto_graph import cluster

    if cluster.rank() == 1:
        raise LookupError("only here")
    cluster.load(folder / "random.cg").pagerank()


def bad_file(folder):
    from callisto_graph import cluster

    cluster.load(folder / "bad.txt", ids="numbers")


def one_is_absent(folder):
    from callisto_graph import cluster

    if cluster.rank() == 0:
        cluster.load(folder / "random.cg")


def all_raise(folder):
    from callisto_graph import cluster

    cluster.load(folder / "nowhere.cg")


def launched(ranks, part, folder):
    env = {**os.environ, "CALLISTO_GLOBAL_THREADS": "1"}
    return subprocess.run([*launch_words(MPI, LAUNCHER, ranks), sys.executable, __file__, MPI, part, folder], env=env,
                          timeout=240, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def ends_with(done, code, *lines):
    """Checks the exit code, and that each text is on exactly one line of standard error."""
    told = done.stderr.splitlines()
    assert done.returncode == code, f"exit code {done.returncode}, expected {code}:\n{done.stderr}"
    for text in lines:
        assert sum(text in line for line in told) == 1, f"expected one line with {text!r}:\n{done.stderr}"


def main():
    if LAUNCHER is None:
        print(f"skipped: no mpirun.{MPI}")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        draw = random.Random(5)
        (folder / "random.txt").write_text("".join(f"{draw.randrange(900)} {draw.randrange(900)}\n"
                                                   for _ in range(4000)) + "17 5\n")
        (folder / "bad.txt").write_text("0 1\n" * 9 + "1 x y\n")
        import callisto_graph as cl
        cl.read(folder / "random.txt", directed=False).save(folder / "random.cg")
        # As in a wheel.
        join = cl._core.job_join
        del cl._core.job_join
        assert "no ranks" in str(raises(ImportError, lambda: __import__("callisto_graph.cluster")))
        cl._core.job_join = join
        done = launched(3, "results", name)
        assert done.returncode == 0 and all((folder / f"rank{r}").exists() for r in range(3)), done.stderr
        done = launched(2, "beside_mpi", name)
        assert done.returncode == 0 and all((folder / f"beside{r}").exists() for r in range(2)), done.stderr
        ends_with(launched(2, "one_fails", name), 1, "in one_fails", "rank 1 of 2")
        ends_with(launched(2, "bad_file", name), 3, "bad.txt:10: 3 columns")
        done = launched(2, "one_is_absent", name)
        assert done.returncode != 0 and "callisto" in done.stderr, done.stderr
        ends_with(launched(2, "all_raise", name), 1, "FileNotFoundError")
    print("passed")
    return 0


MPI = sys.argv[1]
LAUNCHER = shutil.which(f"mpirun.{MPI}")
if len(sys.argv) > 2:
    globals()[sys.argv[2]](pathlib.Path(sys.argv[3]))
else:
    sys.exit(main())
