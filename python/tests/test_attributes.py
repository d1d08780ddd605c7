"""Columns of vertices and edges: they stay with the graph; conditions, places, samples and vectors."""

import importlib.util
import pickle

import pytest

np = pytest.importorskip("numpy")

import callisto_graph as cl  # noqa: E402

PEOPLE = {"vertex": ["Ada", "Cleo", "Ben", "Dora"], "age": [36, None, 17, 52], "city": ["Bern", "Thun", None, "Bern"]}
TIES = {"source": ["Ada", "Ada", "Ben", "Cleo", "Ada"], "target": ["Ben", "Cleo", "Cleo", "Dora", "Ben"],
        "strength": [2.0, 1.0, 3.0, 1.0, 1.0], "kind": ["work", "home", "work", "road", "home"],
        "since": [2001, 1999, 2010, 2020, 1990]}


def graph(directed=False, weight="strength", repeats="remove"):
    return cl.from_frame(TIES, weight=weight, vertices=PEOPLE, attributes=True, directed=directed, repeats=repeats)


def by_edge(g, name):
    return {frozenset((g.label(u), g.label(v))): value
            for u, v, value in zip(*(column.tolist() for column in g.edge_arrays()[:2]), g.edge_columns()[name].tolist())}


def test_columns_of_frames():
    g = graph()
    assert g.vertex_columns()["age"].tolist() == [36, None, 17, 52]
    assert g.vertex_columns()["city"].tolist() == ["Bern", "Thun", None, "Bern"]
    # Of the two edges of Ada and Ben the lightest stays: the last row.
    assert by_edge(g, "kind") == {frozenset(("Ada", "Ben")): "home", frozenset(("Ada", "Cleo")): "home",
                                  frozenset(("Ben", "Cleo")): "work", frozenset(("Cleo", "Dora")): "road"}
    assert by_edge(g, "since")[frozenset(("Ada", "Ben"))] == 1990
    assert by_edge(graph(repeats="heaviest"), "since")[frozenset(("Ada", "Ben"))] == 2001
    assert by_edge(graph(repeats="first"), "since")[frozenset(("Ada", "Ben"))] == 2001
    with pytest.raises(cl.UsageError, match="keep"):
        graph(repeats="keep")


def test_columns_follow_into_other_graphs():
    g = graph()
    some = g.subgraph(["Dora", "Cleo", "Ben"])
    assert dict(zip(some.label_list(), some.vertex_columns()["age"].tolist())) == {"Cleo": None, "Ben": 17, "Dora": 52}
    assert by_edge(some, "kind") == {frozenset(("Ben", "Cleo")): "work", frozenset(("Cleo", "Dora")): "road"}
    assert by_edge(g.unweighted(), "kind") == by_edge(g, "kind") == by_edge(graph(directed=True).undirected(), "kind")
    again = pickle.loads(pickle.dumps(g))
    assert again.vertex_columns()["city"].tolist() == g.vertex_columns()["city"].tolist()
    assert by_edge(again, "since") == by_edge(g, "since")


@pytest.mark.parametrize("directed", [False, True])
def test_columns_in_files(tmp_path, directed):
    g = graph(directed)
    g.save(tmp_path / "g.cg")
    g.write(tmp_path / "g.graphml")
    for path in ("g.cg", "g.graphml"):
        again = cl.read(tmp_path / path, attributes=True)
        assert again.vertices == 4
        order = {label: v for v, label in enumerate(again.label_list())}
        ages = again.vertex_columns()["age"].tolist()
        assert [ages[order[label]] for label in PEOPLE["vertex"]] == [36, None, 17, 52]
        assert by_edge(again, "kind") == by_edge(g, "kind")
    assert cl.read(tmp_path / "g.cg", attributes=["city"]).vertex_columns().keys() == {"city"}
    assert cl.read(tmp_path / "g.cg", attributes=True, where="kind == 'work'").edges == 1
    assert sorted(cl.read(tmp_path / "g.graphml", where="age > 30").label_list()) == ["Ada", "Dora"]


def test_conditions():
    g = graph()
    adults = g.where("age >= 18 or age is missing")
    assert adults.label_list() == ["Ada", "Cleo", "Dora"] and adults.edges == 2
    work = g.where("kind == 'work' and city is missing")
    assert work.label_list() == ["Ben"] and work.edges == 0
    kept = g.where("kind in ('work', 'road')")
    assert kept.vertices == 4 and by_edge(kept, "since") == {frozenset(("Ben", "Cleo")): 2010,
                                                             frozenset(("Cleo", "Dora")): 2020}
    assert g.where("weight > 1").edges == 1
    assert graph(directed=True).where("since < 2000").directed
    with pytest.raises(cl.UsageError, match="colour"):
        g.where("colour == 'red'")
    with pytest.raises(cl.UsageError, match="expected"):
        g.where("age >=")
    assert g.hubs_first().where("since >= 2000").edges == 2


def test_more_columns():
    g = graph().with_columns(vertices={"rank": graph().pagerank(), "seen": [True, False, True, True]},
                             edges={"age": np.arange(4)})
    assert g.vertex_columns()["seen"].tolist() == [True, False, True, True]
    assert g.vertex_columns()["rank"].dtype == np.float64 and set(g.edge_columns()) == {"kind", "since", "age"}
    assert g.where("seen and rank > 0").vertices == 3
    for wrong, match in (({"a": [1]}, "1 rows for 4"), ({"a": [1, "x", 2, 3]}, "mixes"), ({"a": [[], 1, 2, 3]}, "list"),
                         ({"a": [2**70, 1, 2, 3]}, "64 bits")):
        with pytest.raises(cl.UsageError, match=match):
            graph().with_columns(vertices=wrong)
    assert cl.from_edges([0], [1]).vertex_columns() == {} == cl.from_edges([0], [1]).edge_columns()


def test_frames():
    pd = pytest.importorskip("pandas")
    g = cl.from_frame(pd.DataFrame(TIES), weight="strength", vertices=pd.DataFrame(PEOPLE), attributes=True)
    assert list(g.vertex_frame().columns) == ["vertex", "age", "city"]
    assert list(g.to_frame().columns) == ["source", "target", "weight", "kind", "since"]
    assert g.vertex_frame()["city"].tolist()[0] == "Bern"


def test_data_sets(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet, dataset = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow.dataset")
    rows = pa.table(TIES)
    (tmp_path / "ties").mkdir()
    for part in range(2):
        parquet.write_table(rows.slice(3 * part, 3), tmp_path / "ties" / f"{part}.parquet")
    both = dataset.dataset(tmp_path / "ties")
    g = cl.from_frame(both, weight="strength", vertices=PEOPLE, attributes=True)
    assert by_edge(g, "since") == by_edge(graph(), "since")
    assert cl.from_frame(both, weight="strength").edges == 4
    with pytest.raises(cl.UsageError, match="no column 'nobody'"):
        cl.from_frame(both, target="nobody")
    pl = pytest.importorskip("polars")
    lazy = pl.scan_parquet(tmp_path / "ties" / "*.parquet")
    assert by_edge(cl.from_frame(lazy, weight="strength", vertices=pl.DataFrame(PEOPLE).lazy(), attributes=True),
                   "kind") == by_edge(graph(), "kind")


def test_layout():
    g = cl.grid(5, 5)
    places = g.layout()
    assert places.points().shape == (25, 2) and np.isfinite(places.points()).all()
    assert places.to_dict()[3] == (places.x[3], places.y[3])
    near = np.linalg.norm(places.points()[0] - places.points()[1])
    assert near < np.linalg.norm(places.points()[0] - places.points()[24])
    assert len(cl.from_edges([], []).layout()) == 0


def test_plot():
    g = cl.grid(3, 3)
    if importlib.util.find_spec("matplotlib") is None:
        with pytest.raises(ImportError, match="matplotlib"):
            g.plot()
        return
    import matplotlib

    matplotlib.use("Agg")
    ax = g.plot(values=g.pagerank())
    assert len(ax.collections) == 2 and len(ax.texts) == 9
    assert g.plot(ax, layout=np.zeros((9, 2)), labels=False) is ax
    with pytest.raises(cl.UsageError, match="layout"):
        g.plot(layout=np.zeros((8, 2)))


@pytest.mark.parametrize("replace", [False, True])
def test_samples_of_neighbours(replace):
    g = cl.kronecker(8, 8, directed=True)
    seeds = [1, 2, 7]
    s = g.sample_neighbours(seeds, [3, 2], replace=replace, seed=5)
    offsets, targets, _ = g.rows("in")
    assert s.vertices[:3].tolist() == seeds and len(set(s.vertices.tolist())) == len(s.vertices) == s.ends[-1]
    assert (s.edge_index() == [s.source, s.target]).all()
    assert (targets[s.arcs] == s.vertices[s.source]).all()
    for place in range(s.ends[1]):
        arcs = s.arcs[s.target == place]
        v, most = s.vertices[place], 3 if place < s.ends[0] else 2
        assert ((offsets[v] <= arcs) & (arcs < offsets[v + 1])).all()
        degree = offsets[v + 1] - offsets[v]
        assert len(arcs) == (most if degree and (replace or degree > most) else degree)
        assert replace or len(set(arcs.tolist())) == len(arcs)
    assert (g.sample_neighbours(seeds, [3, 2], replace=replace, seed=5).arcs == s.arcs).all()
    whole = g.sample_neighbours([1], [-1])
    assert sorted(whole.labels()[1:]) == sorted(set(g.neighbours(1, "in")) - {1})
    with pytest.raises(cl.UsageError, match="side"):
        g.sample_neighbours([1], [1], side="both")


def test_batches_of_samples():
    g = cl.from_edges([f"v{u}" for u in range(30)], [f"v{(u * 7 + 1) % 31}" for u in range(30)], directed=True)
    made = list(g.neighbour_batches([2, 2], size=10, seed=4))
    assert [s.ends[0] for s in made] == [10, 10, 10, 1]
    order = [v for s in made for v in s.vertices[:s.ends[0]].tolist()]
    assert sorted(order) == list(range(31)) != order
    again = list(g.neighbour_batches([2, 2], size=10, seed=4))
    assert all((a.vertices == b.vertices).all() and (a.arcs == b.arcs).all() for a, b in zip(made, again))
    assert [s.labels()[0] for s in g.neighbour_batches([1], seeds=["v3", "v1"], size=1, shuffle=False)] == ["v3", "v1"]
    assert list(g.neighbour_batches([1], seeds=[])) == []
    for wrong in ({"size": 0}, {"side": "both"}, {"seed": -1}):
        with pytest.raises(cl.UsageError, match=next(iter(wrong))):
            g.neighbour_batches([1], **wrong)  # before the first batch


def test_each_neighbour_is_drawn_as_often():
    star = cl.from_edges([0] * 8, list(range(1, 9)))
    drawn = np.zeros(9)
    for seed in range(400):
        s = star.sample_neighbours([0], [4], seed=seed)
        drawn[s.vertices[s.source]] += 1
    assert drawn[0] == 0 and abs(drawn[1:] - 200).max() < 60  # six standard deviations


def test_vectors_tell_groups_apart():
    groups = [(u, v) for first in (0, 30) for u in range(first, first + 30) for v in range(first, u)]
    g = cl.from_edges(*zip(*groups, (0, 30)))
    made = g.embedding(32, seed=3)
    assert made.shape == (60, 32) and made.dtype == np.float32
    unit = made / np.linalg.norm(made, axis=1, keepdims=True)
    alike = unit @ unit.T
    assert alike[1:30, 1:30].min() > alike[1:30, 31:].max()
    assert (g.embedding(32, seed=3) == made).all()
    with pytest.raises(cl.UsageError, match="steps"):
        g.embedding(steps=[])
    learned = g.node2vec(16, length=20, each=5, window=3, rate=0.1, seed=3)
    assert learned.shape == (60, 16) and learned.dtype == np.float32
    assert (g.node2vec(16, length=20, each=5, window=3, rate=0.1, seed=3) == learned).all()
    unit = learned / np.linalg.norm(learned, axis=1, keepdims=True)
    alike = unit @ unit.T
    assert alike[1:30, 1:30].mean() > alike[1:30, 31:].mean() + 0.2
    for wrong in ({"p": 0}, {"rate": 2}, {"window": 0}, {"weights": "length"}):
        with pytest.raises(cl.UsageError):
            g.node2vec(4, **wrong)


@pytest.mark.parametrize("labels", (["x", "y"], ["y", "x"], [7, 3]))
def test_conditions_on_names_of_each_constructor(labels):
    first, second = labels
    text = f"vertex == {first!r}"
    for make in (lambda: cl.from_edges([first], [second]),
                 lambda: cl.from_edges([first], [second], vertices=labels),
                 lambda: cl.from_frame({"source": [first], "target": [second]}, vertices={"vertex": labels})):
        for before in (lambda g: None, lambda g: g.label_list(), lambda g: g.labels, lambda g: g.degrees()):
            g = make()
            before(g)
            assert g.where(text).label_list() == [first]
            columns = g.with_columns(vertices={"r": [1, 2]}, edges={"e": [5]})
            assert columns.where(text).vertex_columns()["r"].tolist() == [columns.vertex(first) + 1]
            both = columns.where(f"vertex in ({first!r}, {second!r}) and e > 4")
            assert sorted(both.label_list()) == sorted(labels) and both.edges == 1
            assert {label: r for label, r in zip(both.label_list(), both.vertex_columns()["r"].tolist())} == {
                label: r for label, r in zip(columns.label_list(), (1, 2))}
