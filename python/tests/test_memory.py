"""Nothing leaks: arrays, graphs and results go when their last name does; files and pictures."""

import gc
import os
import sys
import weakref

import numpy as np
import pytest

import callisto_graph as cl


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_columns_are_let_go():
    u, v, w = np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([1.0, 2.0, 3.0])
    before = [sys.getrefcount(a) for a in (u, v, w)]
    for _ in range(100):
        cl.from_edges(u, v, w).pagerank()
        with pytest.raises(cl.UsageError):
            cl.from_edges(u, v, w, vertices=2)
    gc.collect()
    assert [sys.getrefcount(a) for a in (u, v, w)] == before


def test_graphs_and_receivers_are_let_go():
    graph = cl.grid(10, 10)
    gone = weakref.ref(graph)
    result = graph.pagerank()
    rows = graph.rows()

    def receive(*_):
        raise KeyError

    references = sys.getrefcount(receive)
    for _ in range(20):
        with pytest.raises(KeyError):
            cl.kronecker(8, 8, progress=receive)
    assert sys.getrefcount(receive) == references
    del graph, result
    gc.collect()
    assert gone() is None
    assert rows[1].sum() > 0


def test_labels_are_let_go():
    class Label:
        pass

    labels = [Label() for _ in range(4)]
    gone = weakref.ref(labels[0])
    graph = cl.from_edges([labels[0], labels[1]], [labels[2], labels[3]])
    assert graph.bfs(labels[0]).to_dict() == {labels[0]: 0, labels[2]: 1}
    del labels, graph
    gc.collect()
    assert gone() is None


def test_memory_does_not_grow():
    graph = cl.kronecker(10, 16)

    def work():
        graph.pagerank(), graph.components(), graph.truss(), graph.betweenness(samples=2), graph.hubs_first()
        cl.from_edges(*graph.edge_arrays()[:2]).to_scipy()

    for _ in range(10):
        work()
    gc.collect()
    before = resident()
    for _ in range(80):
        work()
    gc.collect()
    assert resident() - before < 6 << 20  # 80 graphs are more; some pages are kept for later


def test_files(tmp_path):
    graph = cl.from_edges(["b", "a", "ü"], ["a", "ü", "b"], [1, 2.5, 3])
    for name in ("g.cg", "g.csv", "g.csv.gz", "g.graphml", "g.gml", "g.net"):
        graph.write(tmp_path / name)
        again = cl.read(tmp_path / name, directed=False)
        assert again.label_list() == graph.label_list() and again.edges == 3, name
        assert np.array_equal(again.edge_arrays()[2], graph.edge_arrays()[2])
    assert cl.load(tmp_path / "g.cg", verify=True).label_list() == ["a", "b", "ü"]
    assert graph.write(tmp_path / "g.mtx")  # says what is lost
    (tmp_path / "t.txt").write_text("from;to\n1;2\n2;3\n")
    assert cl.read(tmp_path / "t.txt", columns=["from", "to"], separator=";", header=True).edges == 2
    (tmp_path / "names.txt").write_text("x\ny\nz\n")
    assert cl.read(tmp_path / "t.txt", names=tmp_path / "names.txt").label_list() == ["x", "y", "z"]
    (tmp_path / "old.csv").write_bytes("source,target\nZo\u00eb,b\nb,\n".encode("cp850"))
    old = cl.read(tmp_path / "old.csv", encoding="cp850", skip_bad_lines=True)
    assert (sorted(old.label_list()), old.edges) == (["Zo\u00eb", "b"], 1)
    assert any("1 line left out" in note for note in old.notes)


def test_files_that_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        cl.read(tmp_path / "nothing.txt")
    (tmp_path / "bad.txt").write_text("1 2\n3 x y z\n")
    with pytest.raises(cl.InputError, match=r"bad\.txt:2"):
        cl.read(tmp_path / "bad.txt", format="edge-list", ids="numbers")
    with pytest.raises(cl.InputError):
        cl.load(tmp_path / "bad.txt")
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(cl.InputError):
        cl.read(tmp_path / "empty.txt")
    graph = cl.grid(2, 2)
    with pytest.raises(cl.OutputError):
        graph.save(tmp_path / "no" / "folder.cg")
    with pytest.raises(cl.UsageError, match="suffix"):
        graph.write(tmp_path / "g.unknown")
    with pytest.raises(cl.UsageError):
        cl.read(tmp_path / "bad.txt", format="nonsense")
    with pytest.raises(cl.UsageError, match="pickle"):
        cl.from_edges([("a",)], [("b",)]).save(tmp_path / "g.cg")


def test_pictures(tmp_path):
    from xml.etree import ElementTree

    small = cl.from_edges(["<a>", "b"], ["b", "c&d"], directed=True)
    large = cl.kronecker(9, 8)
    for graph in (small, large, cl.from_edges([], []), cl.from_edges([0], [0])):
        ElementTree.fromstring(graph._repr_html_())
    picture = small.draw(values=small.pagerank())
    ElementTree.fromstring(picture.data)
    assert picture.data.count("<circle") == 3 and picture._repr_svg_() == picture.data and "&lt;a&gt;" in picture.data
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == picture.data
    ElementTree.fromstring(large.pagerank()._repr_html_())
    assert "512" in large._repr_html_()
    with pytest.raises(cl.UsageError, match="at most 500"):
        large.draw()
