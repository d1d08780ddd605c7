"""Calls each function of the NetworkX backend in each way in which NetworkX passes arguments, and prints where the
backend did not answer. Run it in a Python that has the backend: test_networkx_ways.py does so."""

import collections
import inspect
import random
import sys

import networkx as nx

from callisto_graph import nx as backend

nx.config.warnings_to_ignore.add("cache")

#: Functions of directed graphs only.
DIRECTED = frozenset("""
attracting_components flow_hierarchy global_reaching_centrality in_degree_centrality is_arborescence
is_attracting_component is_branching is_strongly_connected is_weakly_connected local_reaching_centrality
number_attracting_components number_strongly_connected_components number_weakly_connected_components
out_degree_centrality strongly_connected_components weakly_connected_components
""".split())

#: By name of a parameter, or of a function and a parameter: what is passed where there is no default.
REQUIRED = {
    "source": 0, "target": 7, "n": 0, "v": 0, "distance": 2, "sources": [0], "k": 2, "multi_source_dijkstra sources": {0, 5},
    "multi_source_dijkstra_path sources": {0, 5}, "multi_source_dijkstra_path_length sources": {0, 5},
    "modularity communities": [set(range(100)), set(range(100, 600))],
}


def graph_for(name, kind=None):
    """Returns a connected graph that has odd cycles, large enough for each function that does not look once only."""
    G = (kind or (nx.DiGraph if name in DIRECTED else nx.Graph))()
    r = random.Random(1)
    nx.add_cycle(G, range(600))
    edges = 600
    while edges < (2100 if G.is_directed() else 1300):
        u, v = r.sample(range(600), 2)
        edges += not G.has_edge(u, v)
        G.add_edge(u, v)
    return G


def parameters_of(name):
    function = nx.utils.backends._registered_algorithms[name].orig_func
    return list(inspect.signature(function).parameters.values())


def forms(name, G):
    """Yields the ways of passing the arguments: (name of the way, args, kwargs)."""
    first, *others = parameters_of(name)
    given = {}
    for p in others:
        wanted = REQUIRED.get(f"{name} {p.name}", REQUIRED.get(p.name))
        given[p.name] = wanted if p.default is p.empty else p.default
    needed = [p.name for p in others if p.default is p.empty]
    by_place = [p.name for p in others if p.kind is p.POSITIONAL_OR_KEYWORD]
    by_name_only = {p.name: given[p.name] for p in others if p.kind is p.KEYWORD_ONLY}
    yield "plain", (G, *(given[n] for n in needed)), {}
    yield "keywords", (), {first.name: G, **{n: given[n] for n in needed}}
    yield "defaults by position", (G, *(given[n] for n in by_place)), by_name_only
    yield "defaults by keyword", (G,), given


def public(name):
    return getattr(nx, name, None) or getattr(nx.community, name)


answered = collections.Counter()


def counting(name, function):
    def counted(*args, **kwargs):
        made = function(*args, **kwargs)
        if hasattr(made, "__next__"):
            for _ in zip(range(3), made):
                pass
        answered[name] += 1
        return made

    return counted


def answers(name, args, kwargs):
    before = answered[name]
    try:
        made = public(name)(*args, **kwargs)
    except NotImplementedError:
        return False
    if hasattr(made, "__next__"):
        next(made, None)
    return answered[name] == before + 1


def main():
    names = [name for name in backend.FUNCTIONS if name in nx.utils.backends._registered_algorithms]
    for name in names:
        setattr(backend, name, counting(name, getattr(backend, name)))
    missed, calls = [], 0
    for name in names:
        if backend.VERSION < (3, 5) and name in backend.CHANGED_IN_3_5 | {"shortest_path"}:
            continue  # other versions answer otherwise
        if backend.VERSION >= (3, 7) and name in ("bfs_predecessors", "leiden_communities"):
            continue  # the one is deprecated, the other has another quality by default: both are left to NetworkX
        least = backend.FUNCTIONS[name][1]
        for form, args, kwargs in forms(name, graph_for(name)):
            graph = args[0] if args else kwargs[parameters_of(name)[0].name]
            ways = [("by name", {"backend": "callisto"}, []), ("by priority, kept", {}, ["callisto"])]
            if least is not backend.ONCE and least <= 2000:
                ways.append(("by priority, fresh", {}, ["callisto"]))
            for way, more, priority in ways:
                if way == "by priority, fresh":
                    graph.__networkx_cache__.clear()
                nx.config.backend_priority.algos = nx.config.backend_priority.generators = priority
                calls += 1
                if not answers(name, args, {**kwargs, **more}):
                    missed.append(f"{name}: {form}, {way}")
                nx.config.backend_priority.algos = nx.config.backend_priority.generators = []
    print(len(names), calls, *missed, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
