"""Graphs that change: analyses that follow them against the kernels, labels, columns, errors."""

import pickle
import random
import threading

import networkx as nx
import numpy as np
import pytest

import callisto_graph as cl
from conftest import same


@pytest.mark.parametrize("directed", [False, True])
def test_follows_random_changes(directed):
    rng = random.Random(7)
    start = cl.uniform(40, 80, seed=3, directed=directed)
    live = start.changing()
    ranks, alike, parts = live.pagerank(tolerance=1e-9), live.pagerank(tolerance=1e-9, weights=None), live.components()
    cores, groups = live.cores(), live.communities()
    levels, lengths = live.distances(0), live.distances(0, weights="length")
    before = levels.to_dict()
    assert parts.update() == levels.update() == []
    for _ in range(60):
        u, v = rng.randrange(44), rng.randrange(44)
        if rng.random() < 0.5:
            live.add_edge(u, v, rng.choice([1, 1, 2, 0.5]))
        else:
            live.remove_edge(u, v)
        now = live.to_graph()
        assert now.edges == live.edges and now.vertices == live.vertices == len(ranks)
        assert same(ranks, now.pagerank(tolerance=1e-12).to_dict(), 1e-6)
        assert same(alike, now.pagerank(weights=None, tolerance=1e-12).to_dict(), 1e-6)
        assert np.array_equal(np.asarray(parts), now.components().of) and parts.count == now.components().count
        assert groups.modularity > now.communities().quality - 0.1 and groups.count == len(set(groups))
        fresh = now.cores()
        assert np.array_equal(np.asarray(cores), np.asarray(fresh)) and cores.degeneracy == fresh.degeneracy
        changed = levels.update()
        after = levels.to_dict()
        assert {label for label, d in after.items() if d != before.get(label, np.inf)} == set(changed)
        before = after
        expected = now.bfs(0).distances
        assert np.array_equal(np.asarray(levels), np.where(expected < 0, np.inf, expected))
        if now.weighted:
            assert np.allclose(np.asarray(lengths), now.sssp(0).distances)


def test_labels():
    live = cl.from_edges(["a", "b"], ["b", "c"], directed=False).changing()
    parts = live.components()
    live.add_edge("x", 7, weight=2.5)
    assert live.vertices == 5 and live.weight(7, "x") == 2.5 and live.weight("a", "c") is None and "x" in live
    assert parts[7] == "x" and parts["c"] == "a" and parts.top(1) == [("a", 3)]
    assert parts.now().members() == [["a", "b", "c"], ["x", 7]]
    kept = live.distances("a").now()
    live.add_edge("c", "x")
    assert set(parts.update()) == {"x", 7} and parts.count == 1
    assert kept["c"] == 2 and len(kept) == 5 and "x" in kept.to_dict()
    assert live.remove_edge("c", "x") and not live.remove_edge("c", "x") and not live.remove_edge("c", "nothing")
    assert list(live.to_graph().to_networkx().edges) == [("a", "b"), ("b", "c"), ("x", 7)]
    numbers = cl.ChangingGraph()
    numbers.add_edge(0, 1)
    numbers.add_edge(np.int64(5), 1)
    assert numbers.to_graph().label_list() == [0, 1, 5] and 5 in numbers and 2 not in numbers


def test_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": ["a", "b", "c"], "v": ["b", "c", "a"], "w": [1.0, 2.0, 3.0]})
    live = cl.ChangingGraph(directed=True)
    ranks = live.pagerank()
    live.add_edges(frame["u"], frame["v"], frame["w"])
    assert live.edges == 3 and live.directed and live.weight("c", "a") == 3
    assert ranks.to_series()["a"] == pytest.approx(1 / 3, abs=1e-3)
    assert live.remove_edges(["a", "a", "q"], ["b", "c", "r"]) == 1 and live.edges == 2 and live.vertices == 3
    some = cl.grid(4, 4).changing()
    some.add_edges(np.array([0, 1]), np.array([15, 14]))
    assert some.edges == cl.grid(4, 4).edges + 2


def test_refusals():
    live = cl.grid(3, 3).changing()
    for weight in (-1, float("nan"), float("inf")):
        with pytest.raises(cl.UsageError, match="weight"):
            live.add_edge("new", 0, weight)
        with pytest.raises(cl.UsageError, match="row 1"):
            live.add_edges(["new", 0], [0, 1], [1, weight])
    with pytest.raises(cl.UsageError, match="rows"):
        live.add_edges([0], [1, 2])
    with pytest.raises(cl.UsageError, match="missing"):
        live.add_vertex(None)
    with pytest.raises(KeyError, match="nowhere"):
        live.distances("nowhere")
    with pytest.raises(cl.UsageError, match="damping"):
        live.pagerank(damping=1)
    with pytest.raises(cl.UsageError, match="weights"):
        live.distances(0, weights="strength")
    assert live.vertices == 9 and live.edges == cl.grid(3, 3).edges


def test_threads_take_turns():
    live = cl.ChangingGraph()
    parts = live.components()

    def add(which):
        for i in range(200):
            live.add_edge(("node", i), ("node", i + 1))
            assert parts[("node", i)] is not None

    threads = [threading.Thread(target=add, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert live.vertices == 201 and live.edges == 200 and parts.count == 1


def test_a_result_outlives_its_names():
    ranks = nx.path_graph(3)
    made = cl.from_networkx(ranks).changing().pagerank()
    assert made.top(1)[0][0] == 1 and "ChangingPageRank" in repr(made)


def test_updates_follow_batches():
    graph = cl.grid(3, 3).changing()
    rank = graph.pagerank()
    batches = [([0], [8]), (["x"], [4], [2.5])]
    told = list(rank.updates(batches))
    assert len(told) == 2 and 0 in told[0] and "x" in told[1] and graph.weight("x", 4) == 2.5
    fresh = graph.to_graph().pagerank(tolerance=1e-9)
    assert np.abs(np.asarray(rank) - np.asarray(fresh)).sum() < 2e-3


def test_a_pickle_says_what_to_keep():
    with pytest.raises(TypeError, match="to_graph"):
        pickle.dumps(cl.grid(2, 2).changing())
