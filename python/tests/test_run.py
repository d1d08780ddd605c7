"""Long calls beside Python: Ctrl-C, progress, threads, fork, exit, and what an import does."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import callisto_graph as cl

#: Kernels that take longer than a watch period on the graph of `large`, by name; all of them must stop when asked.
slow = {
    "betweenness": lambda g, **o: g.betweenness(**o),
    "betweenness of lengths": lambda g, **o: g.with_random_weights().betweenness(weights="length", **o),
    "edge betweenness": lambda g, **o: g.edge_betweenness(**o),
    "closeness": lambda g, **o: g.closeness(**o),
    "closeness of lengths": lambda g, **o: g.with_random_weights().closeness(weights="length", **o),
    "eccentricities": lambda g, **o: g.with_random_weights().eccentricities(along="out", weights="length", **o),
    "walks": lambda g, **o: g.walks(each=20, **o),
    "similar pairs": lambda g, **o: g.similar_pairs(count=10, **o),
    "truss": lambda g, **o: g.truss(**o),
    "pagerank": lambda g, **o: g.pagerank(tolerance=0.0, iterations=10**6, accelerated=False, **o),
    "generator": lambda g, **o: cl.kronecker(21, 16, **o),
}


class Ended(Exception):
    """What a receiver of progress raises."""


def run(program, *arguments, timeout=120, **environment):
    """Runs a program of Python by itself."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], capture_output=True, text=True,
                          timeout=timeout, env={**os.environ, **environment})


@pytest.mark.parametrize("kernel", slow.values(), ids=slow.keys())
def test_a_receiver_that_raises_ends_the_kernel(large, kernel):
    def receive(stage, done, total, unit):
        raise Ended(stage)

    began = time.monotonic()
    with pytest.raises(Ended):
        kernel(large, progress=receive)
    assert time.monotonic() - began < 60  # each takes minutes otherwise, or ends by itself


@pytest.fixture
def interruptible():
    """Lets SIGINT interrupt: a job in the background of a script ignores it, and so does Python then."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kernel", [slow["betweenness"], slow["pagerank"]], ids=["betweenness", "pagerank"])
def test_ctrl_c(large, interruptible, kernel):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        kernel(large)
    timer.join()


def test_ctrl_c_again_and_again(large, interruptible):
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            large.betweenness()
    assert large.components().count > 0


def test_a_signal_handler_of_its_own_runs_while_a_kernel_does(large):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()

        def receive(*_):
            if seen:
                raise Ended

        with pytest.raises(Ended):
            large.betweenness(progress=receive)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_progress_counts_up(large):
    told = []
    large.with_random_weights().closeness(weights="length", samples=64, progress=lambda *now: told.append(now))
    assert told and all(isinstance(stage, str) and unit for stage, _, _, unit in told)
    for (stage, done, total, _), (next_stage, next_done, _, _) in zip(told, told[1:]):
        assert total == 0 or done <= total
        assert stage != next_stage or next_done >= done or next_done == 0
    small = []
    cl.grid(3, 3).pagerank(progress=lambda *now: small.append(now))
    assert small  # also of a kernel that ends at once


def test_progress_bars(capsys):
    pytest.importorskip("tqdm")
    cl.kronecker(10, 8, progress=True).pagerank(progress=True)
    assert "\n" not in capsys.readouterr().out


def test_a_receiver_that_calls_the_same_graph(large):
    seen = []

    def receive(*_):
        seen.append(large.pagerank().converged)
        if len(seen) == 2:
            raise Ended

    with pytest.raises(Ended):
        large.betweenness(progress=receive)
    assert seen == [True, True]


def test_python_goes_on_beside_a_kernel(large):
    counted = 0
    begun, ended = threading.Event(), threading.Event()

    def rank():
        begun.set()
        with pytest.raises(Ended):
            large.betweenness(progress=receive)
        ended.set()

    def receive(*_):
        if counted > 1000:
            raise Ended

    thread = threading.Thread(target=rank)
    thread.start()
    begun.wait()
    while not ended.is_set():
        counted += 1
        if counted % 100 == 0:
            time.sleep(0)
    thread.join()
    assert counted > 1000


def test_many_threads_at_once():
    graph = cl.kronecker(12, 8)
    expected = graph.pagerank().scores
    wrong = []

    def work():
        for _ in range(5):
            if not np.array_equal(graph.pagerank().scores, expected) or graph.components().count != count:
                wrong.append(1)

    count = graph.components().count
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_number_of_threads():
    before = cl.threads()
    with cl.threads(3) as n:
        assert n == cl.threads() == 3
        assert cl.grid(50, 50).components().count == 1
    assert cl.threads() == before
    cl.threads(1)
    assert cl.threads() == 1
    cl.threads(before)
    assert isinstance(cl.sharing(), str)


def test_fork_after_use():
    graph = cl.kronecker(12, 8)
    expected = graph.pagerank().scores
    child = os.fork()
    if child == 0:
        same = np.array_equal(graph.pagerank().scores, expected) and graph.triangles() > 0
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(graph.pagerank().scores, expected)


def test_fork_while_a_kernel_runs(large):
    ending = threading.Event()
    running = threading.Event()

    def receive(*_):
        running.set()
        if ending.is_set():
            raise Ended

    def rank():
        with pytest.raises(Ended):
            large.betweenness(progress=receive)

    thread = threading.Thread(target=rank)
    thread.start()
    running.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        os._exit(0 if cl.kronecker(10, 8).pagerank().converged else 1)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        ending.set()
        thread.join()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.all
def test_processes_of_multiprocessing(method):
    graph = cl.from_edges(["a", "b"], ["b", "c"], [1, 2.5])
    with multiprocessing.get_context(method).Pool(2) as pool:
        made = pool.starmap(_sssp, [(graph, "a"), (graph, "c")])
        pool.close()
        pool.join()  # not by the signal that the end of the block sends, which may meet a child in its start
    assert made == [{"a": 0, "b": 1, "c": 3.5}, {"a": 3.5, "b": 2.5, "c": 0}]


def _sssp(graph, source):
    return graph.sssp(source).to_dict()


def test_an_import_does_nothing():
    found = run("""
        import os, sys, numpy
        def state():
            return (len(os.listdir("/proc/self/task")), sorted(os.readlink(f"/proc/self/fd/{fd}")
                    for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")),
                    [line for line in open("/proc/self/maps") if "/dev/shm/callisto" in line])
        before = state()
        import callisto_graph
        assert state() == before, (before, state())
        heavy = {"pandas", "scipy", "networkx", "igraph", "tqdm", "polars", "pyarrow"} & set(sys.modules)
        assert not heavy, heavy
        """, CALLISTO_COSCHED="on")
    assert found.returncode == 0, found.stderr


def test_exit_while_a_daemon_thread_runs_a_kernel():
    found = run("""
        import threading, callisto_graph as cl
        graph, running = cl.kronecker(16, 16), threading.Event()
        def rank():
            try:
                graph.betweenness(progress=lambda *_: running.set())
            except cl.CancelledError:
                print("cancelled", flush=True)
        threading.Thread(target=rank, daemon=True).start()
        running.wait()
        """)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_bad_environment_variable_is_told():
    found = run("import callisto_graph as cl; cl.grid(400, 400).pagerank()", CALLISTO_THREADS="many")
    assert found.returncode == 1
    assert "UsageError: CALLISTO_THREADS" in found.stderr.strip().splitlines()[-1]


def test_pickles():
    for graph in (cl.from_edges(["a", "b"], ["b", "c"]), cl.from_edges([5, 9], [9, -1], [1, 2.5], directed=True),
                  cl.from_edges([("x",)], ["y"]), cl.grid(5, 5).with_random_weights(), cl.from_edges([], []),
                  cl.from_edges([0, 0, 0], [1, 1, 0], repeats="keep"), cl.kronecker(7, 4).hubs_first()):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            copy = pickle.loads(pickle.dumps(graph, protocol))
            assert repr(copy) == repr(graph) and copy.label_list() == graph.label_list()
            for mine, its in zip(graph.rows() + graph.rows("in"), copy.rows() + copy.rows("in")):
                assert np.array_equal(mine, its)
