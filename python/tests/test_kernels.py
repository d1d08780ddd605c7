"""Every kernel against NetworkX, scipy or plain Python, and the forms of results."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest

import callisto_graph as cl
from conftest import graph_of, random_graphs, same


def test_pagerank():
    for graph, ours in random_graphs(1, weighted=True):
        made = ours.pagerank(tolerance=1e-13, iterations=1000)
        assert made.converged and same(made, nx.pagerank(graph, tol=1e-13, max_iter=2000))
        assert same(ours.pagerank(tolerance=1e-13, iterations=1000, weights=None),
                    nx.pagerank(graph, tol=1e-13, max_iter=2000, weight=None))
        seeds = {v: 1 + v for v in list(graph)[:3]}
        assert same(ours.pagerank(tolerance=1e-13, iterations=1000, seeds=seeds),
                    nx.pagerank(graph, tol=1e-13, max_iter=2000, personalization=seeds))
    plain = graph_of(nx.path_graph(4)).pagerank(seeds=[0], accelerated=False)
    assert plain[0] > plain[3]


def test_betweenness():
    for graph, ours in random_graphs(2, weighted=True):
        assert same(ours.betweenness(), nx.betweenness_centrality(graph, normalized=False))
        assert same(ours.betweenness(weights="length", normalized=True),
                    nx.betweenness_centrality(graph, weight="weight"))
        if graph.number_of_nodes() > 2:
            sample = ours.betweenness(samples=2, seed=3)
            assert sample.sources == 2 and len(sample.standard_errors) == len(ours)
            assert ours.betweenness(sources=[0, 1]).sources == 2
        edges = ours.edge_betweenness()
        expected = nx.edge_betweenness_centrality(graph, normalized=False)
        expected = {edge if graph.is_directed() else tuple(sorted(edge)): score
                    for edge, score in expected.items() if edge[0] != edge[1]}
        assert edges.to_dict() == pytest.approx(expected)
    near = graph_of(nx.barbell_graph(5, 1)).betweenness(error=0.3, confidence=0.9, normalized=True)
    assert near.top(1)[0][0] in (4, 5, 6)


def test_closeness():
    for graph, ours in random_graphs(3, weighted=True):
        assert same(ours.closeness(), nx.closeness_centrality(graph))
        assert same(ours.closeness(harmonic=True), nx.harmonic_centrality(graph))
        assert same(ours.closeness(weights="length"), nx.closeness_centrality(graph, distance="weight"))
        assert same(ours.closeness(outgoing=True), nx.closeness_centrality(graph.reverse() if graph.is_directed() else graph))


def test_spectral():
    for graph, ours in random_graphs(4, directed=False):
        if graph.number_of_edges() < 20:
            continue
        assert same(ours.katz(alpha=0.02), nx.katz_centrality_numpy(graph, alpha=0.02), 1e-6)
        if nx.is_connected(graph):
            assert same(ours.eigenvector(tolerance=1e-12), nx.eigenvector_centrality_numpy(graph), 1e-6)
    for graph, ours in random_graphs(4, directed=True):
        if graph.number_of_edges() < 60:
            continue
        hubs, authorities = nx.hits(graph, max_iter=1000)
        made = ours.hits(tolerance=1e-12)
        assert np.allclose(made.hubs, list(hubs.values()), atol=1e-6) and same(made, authorities, 1e-6)
    with pytest.raises(cl.NoCentralityError):
        cl.from_edges([0, 1], [1, 2], directed=True).eigenvector()


def test_searches():
    for graph, ours in random_graphs(5, weighted=True):
        for along, against in (("out", graph), ("in", graph.reverse() if graph.is_directed() else graph),
                               ("both", graph.to_undirected())):
            made = ours.bfs(0, along=along)
            assert made.to_dict() == dict(nx.single_source_shortest_path_length(against, 0))
            assert made.reached == len(made.to_dict())
            for v, d in made.to_dict().items():
                path = made.path(v)
                assert len(path) == d + 1 and path[0] == 0 and path[-1] == v
                assert all(against.has_edge(a, b) for a, b in itertools.pairwise(path))
        assert ours.bfs(0, depth=1).to_dict() == {v: d for v, d in ours.bfs(0).to_dict().items() if d <= 1}
        if not graph.number_of_edges():
            continue
        expected = nx.single_source_dijkstra_path_length(graph, 0)
        for made in (ours.sssp(0), ours.sssp(0, delta=5), ours.sssp(0, negative=True)):
            assert made.to_dict() == pytest.approx(dict(expected))
            assert all(nx.path_weight(graph, made.path(v), "weight") == pytest.approx(d) for v, d in expected.items())
        paths = ours.shortest_paths(0, list(graph))
        assert [p.distance for p in paths] == pytest.approx([expected.get(v, math.inf) for v in graph])
        assert all((p.vertices == []) == (v not in expected) for v, p in zip(graph, paths))
    with pytest.raises(cl.UsageError, match="negative sum"):
        cl.from_edges([0, 1, 2], [1, 2, 0], [1, -3, 1], directed=True).sssp(0, negative=True)
    with pytest.raises(cl.UsageError, match="no weights"):
        cl.from_edges([0], [1]).sssp(0)


def test_paths_between_two_vertices():
    for directed in (False, True):
        for graph, ours in random_graphs(6, directed=directed, weighted=True):
            ends = [(u, v) for u in list(graph)[:2] for v in list(graph)[-3:]]
            for weights, weight in ((None, None), ("length", "weight")):
                if weights and not graph.number_of_edges():
                    continue
                for u, v in ends:
                    expected = sorted(nx.all_shortest_paths(graph, u, v, weight)) if nx.has_path(graph, u, v) else []
                    made = ours.all_shortest_paths(u, v, weights=weights, limit=10**6)
                    assert made.paths == expected and made.count == len(expected)
                    assert ours.all_shortest_paths(u, v, weights=weights, limit=1).paths == expected[:1]
                    one = ours.shortest_path(u, v, weights=weights)
                    assert one.distance == made.distance and (one.vertices in expected or not one.vertices)
                    several = ours.k_shortest_paths(u, v, 7, weights=weights)
                    assert [p.vertices for p in several[:len(expected)]] == expected[:7]
                    simple = itertools.islice(nx.shortest_simple_paths(graph, u, v, weight), 7) if expected else []
                    lengths = [nx.path_weight(graph, path, weight) if weight else len(path) - 1 for path in simple]
                    assert [p.distance for p in several] == lengths
    roads = cl.grid(30, 30)
    assert roads.all_shortest_paths(0, 899).count == math.comb(58, 29)
    assert "inf" not in repr(roads.all_shortest_paths(0, 899))
    with pytest.raises(cl.WeightError, match="without length"):
        cl.from_edges([0, 1], [1, 2], [0.0, 0.0]).all_shortest_paths(0, 2, weights="length")


def test_largest_flows():
    for directed in (False, True):
        for graph, ours in random_graphs(9, directed=directed, weighted=True):
            graph.remove_edges_from(list(nx.selfloop_edges(graph)))
            for u, v in [(u, v) for u in list(graph)[:2] for v in list(graph)[-2:] if u != v]:
                for weights in (None, "strength") if graph.number_of_edges() else (None,):
                    if weights is None:
                        nx.set_edge_attributes(graph, 1, "capacity")
                    else:
                        nx.set_edge_attributes(graph, {(a, b): w for a, b, w in graph.edges(data="weight")}, "capacity")
                    value, (side, _) = nx.minimum_cut(graph, u, v)
                    made = ours.maximum_flow(u, v, weights=weights)
                    assert made.value == value == sum(x for _, _, x in made.cut) and set(made.source_side) == side
                    left = {w: sum(x for a, _, x in made.edges if a == w) - sum(x for _, b, x in made.edges if b == w)
                            for w in graph}
                    assert left == {w: value * ((w == u) - (w == v)) for w in graph}
    with pytest.raises(cl.UsageError, match="the source is the target"):
        cl.grid(2, 2).maximum_flow(0, 0)


def test_distances():
    for graph, ours in random_graphs(6, directed=False, weighted=True):
        largest = graph.subgraph(max(nx.connected_components(graph), key=len))
        made = ours.diameter()
        assert made.lower == made.upper == nx.diameter(largest)
        assert nx.shortest_path_length(graph, made.source, made.target) == made.lower
        ecc = ours.eccentricities()
        assert all(ecc[v] == e for v, e in nx.eccentricity(largest).items())
        weighted = ours.eccentricities(weights="length") if graph.number_of_edges() else None
        if weighted is not None:
            assert all(weighted[v] == pytest.approx(e) for v, e in nx.eccentricity(largest, weight="weight").items())
        sample = ours.distances(sources=1000)
        assert sample.sources == len(largest) and sample.pairs.sum() == len(largest) ** 2
        if len(largest) > 1:
            assert sample.mean == pytest.approx(nx.average_shortest_path_length(largest))
    assert cl.grid(4, 7).diameter(searches=5).upper >= 9


def test_components():
    for graph, ours in random_graphs(7):
        find = nx.weakly_connected_components if graph.is_directed() else nx.connected_components
        expected = list(find(graph))
        made = ours.components()
        assert made.count == len(expected)
        assert sorted(map(sorted, made.members())) == sorted(map(sorted, expected))
        assert [size for _, size in made.top(3)] == sorted(map(len, expected), reverse=True)[:3]
        if graph.is_directed():
            strong = ours.strong_components()
            assert sorted(map(sorted, strong.members())) == sorted(map(sorted, nx.strongly_connected_components(graph)))
        assert ours.largest_component().vertices == max(map(len, expected))


def test_communities(karate):
    karate.remove_edges_from(list(nx.selfloop_edges(karate)))
    for method in ("leiden", "louvain"):
        made = graph_of(karate).communities(method=method)
        groups = made.members()
        assert made.quality == pytest.approx(nx.community.modularity(karate, groups, weight=None)) and made.quality > 0.4
        assert made.count == len(groups) and all(nx.is_connected(karate.subgraph(group)) for group in groups)
    weighted = graph_of(karate, "weight")
    made = weighted.communities(resolution=0.7)
    assert made.quality == pytest.approx(nx.community.modularity(karate, made.members(), resolution=0.7))
    assert weighted.community_quality(made.numbers(), resolution=0.7) == pytest.approx(made.quality)
    assert graph_of(karate).communities(method="labels").count < 34
    assert graph_of(karate).communities(quality="cpm", resolution=0.2, iterations=2).count > 1
    directed = graph_of(karate.to_directed())
    assert directed.communities(directions="ignore").count == directed.communities().count
    for wrong in ({"method": "x"}, {"quality": "x"}, {"directions": "x"}, {"resolution": -1.0}):
        with pytest.raises(cl.UsageError):
            weighted.communities(**wrong)
    with pytest.raises(cl.UsageError, match="shape"):
        weighted.community_quality([1, 2])


def test_cores_triangles_and_trusses():
    for graph, ours in random_graphs(8, weighted=True):
        simple = nx.Graph(graph.to_undirected())
        simple.remove_edges_from(list(nx.selfloop_edges(simple)))
        assert same(ours.cores(), nx.core_number(simple))
        assert ours.triangles() == sum(nx.triangles(simple).values()) // 3
        made = ours.clustering()
        assert same(made, nx.clustering(simple)) and made.total == ours.triangles()
        assert made.transitivity == pytest.approx(nx.transitivity(simple))
        assert made.average == pytest.approx(nx.average_clustering(simple))
        assert ours.k_core(2).vertices == nx.k_core(simple, 2).number_of_nodes()
        if graph.number_of_edges() and not any(nx.selfloop_edges(graph)):
            assert same(ours.clustering(weights="strength", directed=graph.is_directed()),
                        nx.clustering(graph, weight="weight"))
        truss = ours.truss()
        for k in range(2, truss.highest + 1):
            inside = {frozenset(edge) for edge, t in truss.to_dict().items() if t >= k}
            assert inside == {frozenset(edge) for edge in nx.k_truss(simple, k).edges()}


def test_bridges_and_blocks():
    for graph, ours in random_graphs(14):
        simple = nx.Graph(graph.to_undirected())
        simple.remove_edges_from(list(nx.selfloop_edges(simple)))
        made = ours.biconnected()
        assert {frozenset(e) for e in made.bridges()} == {frozenset(e) for e in nx.bridges(simple)}
        assert set(made.articulation_points()) == set(nx.articulation_points(simple))
        assert sorted(map(sorted, made.members())) == sorted(map(sorted, nx.biconnected_components(simple)))
        by_block = {}
        for edge, block in made.to_dict().items():
            by_block.setdefault(block, set()).add(frozenset(edge))
        assert {frozenset(b) for b in by_block.values()} == {frozenset(map(frozenset, b)) for b in
                                                             nx.biconnected_component_edges(simple)}


def test_topological_orders():
    for graph, ours in random_graphs(15, directed=True):
        if not nx.is_directed_acyclic_graph(graph):
            with pytest.raises(cl.UsageError, match="a cycle: ") as told:
                ours.topological_order()
            cycle = str(told.value).split(": ")[1].split(" -> ")
            assert all(graph.has_edge(int(u), int(v)) for u, v in itertools.pairwise(cycle)) and cycle[0] == cycle[-1]
        forward = [(u, v) for u, v in graph.edges if u < v]
        acyclic = nx.DiGraph(forward)
        made = cl.from_edges([u for u, _ in forward], [v for _, v in forward], directed=True, vertices=len(graph))
        layers = made.topological_order()
        acyclic.add_nodes_from(range(len(graph)))
        assert [sorted(layer) for layer in nx.topological_generations(acyclic)] == [
            [v for v in range(len(graph)) if layers[v] == k] for k in range(layers.count)]
        assert layers.labels() == sorted(range(len(graph)), key=lambda v: (layers[v], v))
    with pytest.raises(cl.UsageError, match="undirected"):
        cl.grid(2, 2).topological_order()


def test_density_reciprocity_and_assortativity():
    for graph, ours in random_graphs(16):
        simple = type(graph)(graph)
        simple.remove_edges_from(list(nx.selfloop_edges(simple)))
        facts = ours.statistics()
        assert facts["density"] == pytest.approx(nx.density(simple))
        if not simple.number_of_edges():
            continue
        if graph.is_directed():
            assert facts["reciprocity"] == pytest.approx(nx.overall_reciprocity(simple))
        ends = [{simple.out_degree(u) if graph.is_directed() else simple.degree(u) for u, _ in simple.edges},
                {simple.in_degree(v) if graph.is_directed() else simple.degree(v) for _, v in simple.edges}]
        if not graph.is_directed():
            ends = [ends[0] | ends[1]] * 2
        if min(map(len, ends)) == 1:
            assert np.isnan(ours.assortativity())
        else:
            assert ours.assortativity() == pytest.approx(nx.degree_assortativity_coefficient(simple), abs=1e-9)


def test_groups_are_compared():
    same_groups = cl.compare_groups(["x", "x", "y"], [2, 2, 1])
    assert (same_groups.mutual_information, same_groups.adjusted_rand, same_groups.groups) == (1, 1, (2, 2))
    # By hand: entropies ln 2 and ln 4, joint entropy ln 4; no pair together in both; 2 pairs of 6 in the first.
    apart = cl.compare_groups([0, 0, 1, 1], [0, 1, 2, 3])
    assert apart.mutual_information == pytest.approx(2 / 3) and apart.adjusted_rand == pytest.approx(0)
    assert apart.rand == pytest.approx(4 / 6) and apart.variation_of_information == pytest.approx(np.log(2))
    with pytest.raises(cl.UsageError, match="as many"):
        cl.compare_groups([1], [1, 2])
    with pytest.raises(cl.UsageError, match="missing"):
        cl.compare_groups([1, None], [1, 2])


def test_forests_matchings_and_sets():
    for graph, ours in random_graphs(9, directed=False, weighted=True):
        if not graph.number_of_edges():
            continue
        for heaviest, find in ((False, nx.minimum_spanning_edges), (True, nx.maximum_spanning_edges)):
            made = ours.spanning_forest(heaviest=heaviest)
            assert made.total == pytest.approx(sum(d["weight"] for _, _, d in find(graph)))
            assert made.trees == nx.number_connected_components(graph) and len(made.to_frame()) == len(made)
        for heaviest in (False, True):
            pairs = ours.matching(heaviest_first=heaviest).pairs()
            assert nx.is_maximal_matching(graph, {tuple(p) for p in pairs})
        members = set(ours.independent_set().labels())
        simple = nx.Graph((u, v) for u, v in graph.edges if u != v)
        assert not any(simple.has_edge(u, v) for u, v in itertools.combinations(members, 2))
        assert all(v in members or v not in simple or members & set(simple[v]) for v in graph)
        for order in ("smallest_log_last", "largest_log_first", "random"):
            colours = ours.colouring(order=order)
            assert all(colours[u] != colours[v] for u, v in simple.edges) and colours.count == colours.colours.max() + 1
    with pytest.raises(cl.UsageError, match="order"):
        cl.grid(2, 2).colouring(order="x")


def test_similarity():
    for graph, ours in random_graphs(10, directed=False):
        simple = nx.Graph((u, v) for u, v in graph.edges if u != v)
        simple.add_nodes_from(graph)
        expected = {(u, v): p for u, v, p in nx.jaccard_coefficient(simple, itertools.combinations(sorted(simple), 2))}
        if not expected:
            continue
        assert ours.similarity(list(expected)).to_dict() == pytest.approx(expected)
        assert ours.similar_pairs(0.25).to_dict() == pytest.approx({e: p for e, p in expected.items() if p >= 0.25})
        for measure, theirs in (("adamic-adar", nx.adamic_adar_index),
                                ("resource_allocation", nx.resource_allocation_index)):
            sums = {(u, v): p for u, v, p in theirs(simple, list(expected))}
            assert ours.similarity(list(sums), measure=measure).to_dict() == pytest.approx(sums)
            assert ours.similar_pairs(0.3, measure=measure).to_dict() == pytest.approx(
                {e: p for e, p in sums.items() if p >= 0.3})
        common = {(u, v): len(set(simple[u]) & set(simple[v])) for u, v in expected}
        assert ours.similar_pairs(2, measure="common").to_dict() == {e: n for e, n in common.items() if n >= 2}
        cosine = {(u, v): n / (simple.degree(u) * simple.degree(v))**0.5 for (u, v), n in common.items() if n}
        assert ours.similar_pairs(0.4, measure="cosine").to_dict() == pytest.approx(
            {e: x for e, x in cosine.items() if x >= 0.4})
        for measure, theirs in (("adamic-adar", nx.adamic_adar_index), ("preferential-attachment", nx.preferential_attachment)):
            links = sorted((p for _, _, p in theirs(simple) if p > 0), reverse=True)[:5]
            found = ours.predicted_links(5, measure=measure)
            assert found.similarity.tolist() == pytest.approx(links)
            assert not any(simple.has_edge(u, v) for u, v in found.to_dict())
        nearest = ours.similar_pairs(count=1, measure="overlap")
        assert len(nearest) <= len(graph) and (not len(nearest) or nearest.similarity.max() <= 1)
    with pytest.raises(cl.UsageError, match="either"):
        cl.grid(2, 2).similar_pairs()


def test_walks():
    for graph, ours in random_graphs(12, directed=True, weighted=True):
        for options in ({}, {"p": 0.5, "q": 2}, {"weights": "strength"} if graph.number_of_edges() else {}):
            walks = ours.walks(length=6, each=2, seed=4, **options)
            assert walks.shape == (2 * len(graph), 6) and np.array_equal(walks[:, 0], np.tile(np.arange(len(graph)), 2))
            for walk in walks.tolist():
                steps = [v for v in walk if v >= 0]
                assert all(graph.has_edge(u, v) for u, v in itertools.pairwise(steps))
                assert len(steps) == 6 or graph.out_degree(steps[-1]) == 0
    assert ours.walks([0], length=3).shape == (1, 3)
    with pytest.raises(cl.UsageError):
        ours.walks(length=0)


def test_statistics_and_degrees():
    for graph, ours in random_graphs(13):
        facts = ours.statistics()
        assert (facts["vertices"], facts["self_loops"]) == (len(graph), nx.number_of_selfloops(graph))
        assert ours.edges == graph.number_of_edges()
        out = dict(graph.out_degree() if graph.is_directed() else ((v, len(graph[v])) for v in graph))
        assert ours.degrees().to_dict() == out
        degrees, counts = ours.degree_counts()
        assert dict(zip(degrees.tolist(), counts.tolist())) == dict(sorted(
            {d: list(out.values()).count(d) for d in out.values()}.items()))
        assert sorted(ours.neighbours(0)) == sorted(graph[0])
    with pytest.raises(cl.UsageError):
        ours.degrees("up")


def test_parts_of_a_graph(karate):
    ours = graph_of(karate, "weight")
    assert set(ours.neighbourhood([0, 33], 1).label_list()) == {0, 33} | set(karate[0]) | set(karate[33])
    assert ours.unweighted().weighted is False and ours.with_random_weights(3).weighted
    hubs = ours.hubs_first()
    assert hubs.label(0) == 33 and same(hubs.pagerank(tolerance=1e-12), nx.pagerank(karate, tol=1e-12))
    assert ours.undirected().edges == ours.edges
    assert ours.reversed().edges == ours.edges
    named = nx.relabel_nodes(karate, {v: (v, "x") for v in karate})
    some = graph_of(named).subgraph([(5, "x"), (6, "x")]).hubs_first()
    assert set(some.label_list()) == {(5, "x"), (6, "x")}


def test_generators():
    assert cl.kronecker(6, 4).vertices == 64
    assert repr(cl.kronecker(6, 4, seed=2)) == repr(cl.kronecker(6, 4, seed=2))
    assert cl.uniform(50, 100, directed=True).directed and cl.power_law(50, 100, 2.2).vertices == 50
    assert cl.grid(3, 4).edges == nx.grid_2d_graph(3, 4).number_of_edges()
    with pytest.raises(cl.UsageError):
        cl.power_law(10, 10, 1.0)


# Forms of results


def test_forms_of_results(karate):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    named = nx.relabel_nodes(karate, {v: f"m{v:02}" for v in karate})
    made = graph_of(named).pagerank()
    assert made["m33"] == made.scores[33] and type(made["m33"]) is float
    assert made.top(2) == sorted(made.to_dict().items(), key=lambda item: -item[1])[:2]
    assert [type(x) for x in made.top(1)[0]] == [str, float]
    assert made.top(0) == [] and len(made.top(1000)) == 34
    series = made.to_series()
    assert isinstance(series, pandas.Series) and series["m33"] == made["m33"] and series.name == "scores"
    frame = made.to_frame()
    assert list(frame.columns) == ["vertex", "scores"] and len(frame) == 34
    assert isinstance(made.to_frame(library="polars"), polars.DataFrame)
    assert np.asarray(made) is made.scores and np.array(made).sum() == pytest.approx(1)
    assert "PageRank(scores: 34 vertices" in repr(made)
    with pytest.raises(cl.UsageError, match="library"):
        made.to_frame(library="dask")
    with pytest.raises(KeyError):
        made["m99"]
    ties = graph_of(nx.cycle_graph(5)).degrees().top(3)
    assert ties == [(0, 2), (1, 2), (2, 2)]
    groups = graph_of(named).components()
    assert set(groups.to_dict().values()) == {0} and list(groups.to_frame().columns) == ["vertex", "group"]
    assert groups.to_series()["m01"] == 0
    edges = graph_of(named).edge_betweenness()
    assert edges.to_series().index.names == ["source", "target"] and len(edges.top(3)) == 3


def test_results_behave_as_a_series(karate):
    named = graph_of(nx.relabel_nodes(karate, {v: f"m{v:02}" for v in karate}))
    made = named.pagerank()
    assert list(made) == made.scores.tolist() == list(made.to_series()) and type(next(iter(made))) is float
    assert sum(made) == pytest.approx(1) and max(made) == made.top(1)[0][1] and len(made) == 34
    assert np.mean(made) == pytest.approx(1 / 34) and np.argmax(made) == 33
    assert "m33" in made and "m99" not in made and made.scores[0] not in made
    assert np.array_equal(made[["m33", "m00"]], made.scores[[33, 0]])
    assert np.array_equal(made[np.array(["m02"])], made.to_series()[["m02"]])
    assert np.array_equal(made[made.scores > 0.05], made.to_series()[made.scores > 0.05])
    for wrong in (["m33", "m99"], [0]):
        with pytest.raises(KeyError, match="no vertex is called"):
            made[wrong]
    groups = named.communities()
    for form in (groups.to_dict(), groups.to_series(), dict(zip(named.label_list(), groups)), groups):
        assert [form[label] for label in named.label_list()] == groups.numbers().tolist()
    assert np.array_equal(np.asarray(groups), groups.numbers())
    edges = named.edge_betweenness()
    assert list(edges) == edges.scores.tolist() and sum(named.spanning_forest()) == 33
    live = named.changing()
    ranks, parts = live.pagerank(), live.components()
    assert sum(ranks) == pytest.approx(1) and "m00" in ranks and "m99" not in ranks
    assert list(parts) == ["m00"] * 34 and all(parts[label] == first for label, first in zip(named.label_list(), parts))


def test_results_outlive_their_graph():
    scores = cl.kronecker(8, 8).pagerank().scores
    rows = cl.grid(20, 20).rows()
    views = [array.sum() for array in rows[:2]]
    assert scores.sum() == pytest.approx(1) and views == [array.sum() for array in rows[:2]]
    with pytest.raises(ValueError):
        rows[1][0] = 5


def test_empty_and_tiny_graphs():
    empty = cl.from_edges([], [])
    single = cl.from_edges([], [], vertices=1)
    loop = cl.from_edges([0], [0])
    for graph in (empty, single, loop):
        for name in ("betweenness", "closeness", "components", "strong_components", "communities", "cores", "triangles",
                     "clustering", "truss", "biconnected", "assortativity", "spanning_forest", "matching", "colouring", "independent_set", "diameter",
                     "eccentricities", "distances", "statistics", "degrees", "degree_counts", "walks",
                     "edge_betweenness", "hubs_first", "undirected", "without_loops"):
            getattr(graph, name)()
        assert len(graph.label_list()) == graph.vertices
    with pytest.raises(cl.UsageError, match="vertices"):
        empty.pagerank()
    assert loop.pagerank().scores.tolist() == [1.0] == single.pagerank().scores.tolist()


@pytest.mark.parametrize("call", [
    lambda g: g.pagerank(damping=1.0), lambda g: g.pagerank(seeds=[]), lambda g: g.pagerank(seeds={0: -1.0}),
    lambda g: g.pagerank(weights="length"), lambda g: g.pagerank(iterations=0), lambda g: g.betweenness(samples=99),
    lambda g: g.betweenness(weights="strength"), lambda g: g.closeness(error=2.0), lambda g: g.closeness(weights="length"),
    lambda g: g.hits(tolerance=0.0), lambda g: g.bfs(0, along="up"), lambda g: g.bfs(0, depth=-1),
    lambda g: g.eccentricities(along="up"), lambda g: g.similar_pairs(0.0), lambda g: g.walks(p=0.0),
    lambda g: g.clustering(weights="length"), lambda g: g.label(99), lambda g: g.rows("up"), lambda g: cl.threads(0),
    lambda g: g.matching(heaviest_first=True), lambda g: g.degree_counts("up"), lambda g: g.draw(values=[1.0])])
def test_wrong_arguments_are_usage_errors(call):
    with pytest.raises(cl.UsageError) as caught:
        call(cl.grid(3, 3))
    assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value) and str(caught.value)


def test_operators_work_value_by_value():
    graph = cl.from_edges(["a", "b"], ["b", "c"])
    rank, other = graph.pagerank(), cl.from_edges(["b", "a"], ["c", "b"], vertices=["c", "b", "a"]).pagerank()
    scores = rank.scores
    assert (rank > 0.3).tolist() == (scores > 0.3).tolist() and rank[rank > 0.3].tolist() == [scores[1]]
    assert (rank == rank).all() and not (rank != rank).any() and (rank >= rank).all() and not (rank < rank).any()
    for made, expected in ((rank + 1, scores + 1), (1 - rank, 1 - scores), (rank * rank, scores**2), (-rank, -scores),
                           (rank / 2, scores / 2), (2 / rank, 2 / scores), (np.ones(3) + rank, scores + 1),
                           (rank - other, scores - other.scores[::-1]), (2 * rank, 2 * scores), (rank - 1, scores - 1)):
        assert np.allclose(made, expected) and list(made.to_dict()) == ["a", "b", "c"]
    assert (rank <= other).shape == (3,) and hash(rank) == hash(rank) and np.allclose(np.log(rank), np.log(scores))
    for wrong in (cl.grid(1, 3).pagerank(), np.ones(2), [1.0]):
        with pytest.raises(cl.UsageError):
            rank + wrong
    pandas = pytest.importorskip("pandas")
    assert np.allclose(rank - rank.to_series()[::-1], 0)
    with pytest.raises(cl.UsageError, match="other labels"):
        rank - pandas.Series([1.0, 2.0, 3.0])


@pytest.mark.parametrize("directed", [False, True])
def test_routes(directed, tmp_path):
    rng = np.random.default_rng(5)
    names = np.array([f"n{i:03}" for i in rng.permutation(100)])
    u, v = rng.integers(0, 100, (2, 300))
    g = cl.from_edges(names[u], names[v], rng.integers(1, 20, 300), directed=directed)
    made = g.routes(weights="length")
    assert made.weights == "length" and made.arcs > 0 and "Routes" in repr(made)
    made.save(tmp_path / "r.cg")
    again = cl.read(tmp_path / "r.cg")
    held = again.routes(file=tmp_path / "r.cg")
    assert held.arcs == made.arcs and held.weights == "length"
    plain = g.routes()
    for a, b in rng.integers(0, 100, (20, 2)):
        a, b = str(names[a]), str(names[b])
        if a not in g or b not in g:
            continue
        expected = g.shortest_path(a, b, weights="length")
        for path in (made.path(a, b), held.path(a, b)):
            assert path.distance == expected.distance and (path.vertices or [a, b])[0] == a
        assert plain.weights is None and plain.path(a, b).distance == g.shortest_path(a, b).distance
    again.save(tmp_path / "p.cg")
    with pytest.raises(cl.InputError, match="routes"):
        again.routes(file=tmp_path / "p.cg")
    with pytest.raises(cl.UsageError, match="another graph"):
        cl.grid(3, 3).routes(file=tmp_path / "r.cg")
