"""Calls random functions of NetworkX on views, copies and graphs that change, and compares each answer with NetworkX's
own: values, types, order, exceptions.

    python networkx_changing.py [--runs N] [--seed S]

Run it in a Python that has the backend: test_networkx_ways.py does so. A difference prints the seed of its round."""

import argparse
import copy
import pickle
import random
import sys
import warnings

import networkx as nx

from callisto_graph import nx as backend
from networkx_ways import public as public_function
from test_networkx_random import ARGUMENTS, agree, outcome

warnings.simplefilter("ignore")

CLASSES = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
CALLS_A_ROUND = 25


class Logged(nx.Graph):
    """Has writers of its own that pass by those of NetworkX."""

    def remove_edge(self, u, v):
        del self._adj[u][v]
        if u != v:
            del self._adj[v][u]

    def add_edge(self, u, v, **data):
        for node in (u, v):
            if node not in self._node:
                self._node[node] = {}
                self._adj[node] = {}
        self._adj[u][v] = self._adj[v][u] = data


class Complement(nx.Graph):
    """Shows another graph than its dictionaries hold."""

    def __getitem__(self, node):
        return {v: {} for v in self._adj if v != node and v not in self._adj[node]}

    def neighbors(self, node):
        return iter(self[node])

    @property
    def adj(self):
        return {v: self[v] for v in self._adj}


class Tagged(nx.DiGraph):
    """Adds members only."""

    def tags(self):
        return self.graph


def weight(r):
    return r.choice([{}, {"weight": 1}, {"weight": r.randint(1, 4)}, {"weight": r.choice([0.5, 2.0])}])


def new_graph(r):
    kind = r.choice(CLASSES + [Logged, Complement, Tagged])
    label = r.choice([lambda i: i, lambda i: f"n{i}", lambda i: (i % 3, i), lambda i: 50 - 7 * i])
    G = kind()
    nodes = [label(i) for i in range(r.choice([3, 6, 10, 14]))]
    G.add_nodes_from(nodes)
    for _ in range(int(len(nodes) * r.choice([0.5, 1.5, 3]))):
        u, v = r.choice(nodes), r.choice(nodes)
        if u != v or r.random() < 0.2:
            G.add_edge(u, v, **weight(r))
    return G


def view_of(r, G):
    """Returns a view of a graph, which may be a view."""
    nodes = list(G)
    some = r.sample(nodes, (2 * len(nodes) + 2) // 3)
    edges = list(G.edges(keys=True)) if G.is_multigraph() else list(G.edges())
    edges = r.sample(edges, (len(edges) + 1) // 2)
    hidden = frozenset(r.sample(nodes, min(2, len(nodes))))
    makers = [
        lambda: G.subgraph(some),
        lambda: G.edge_subgraph(edges),
        lambda: nx.restricted_view(G, list(hidden), edges[:2]),
        lambda: nx.subgraph_view(G, filter_node=lambda v: v not in hidden),
        lambda: nx.subgraph_view(G, filter_edge=lambda *e: hash(e[:2]) % 3 != 0),
        lambda: G.to_directed(as_view=True),
        lambda: G.to_undirected(as_view=True),
        lambda: G.copy(as_view=True),
        lambda: nx.graphviews.generic_graph_view(G),
    ]
    if G.is_directed():
        makers.append(lambda: G.reverse(copy=False))
    return r.choice(makers)()


def change(r, G):
    """Changes a graph by one of its methods, or as no method sees it where NetworkX's page says what to do then."""
    nodes, edges = list(G), list(G.edges())
    what = r.randrange(9)
    if what == 0 or len(nodes) < 3:
        G.add_edge(r.randint(100, 105), r.choice(nodes or [0]), **weight(r))
    elif what == 1 and edges:
        G.remove_edge(*r.choice(edges))
    elif what == 2:
        G.remove_node(r.choice(nodes))
    elif what == 3 and edges:
        G.remove_edges_from(edges[: len(edges) // 3])
    elif what == 4 and edges:
        nx.set_edge_attributes(G, r.randint(1, 5), "weight")
    elif what == 5 and edges:
        for _, _, data in G.edges(data=True):
            data["weight"] = r.randint(1, 9)
        if G.__networkx_cache__:
            G.__networkx_cache__.clear()  # as the page says
    elif what == 6:
        G.add_weighted_edges_from((r.choice(nodes), r.choice(nodes), r.randint(1, 3)) for _ in range(3))
    elif what == 7:
        other = G.copy()
        other.add_edge(r.choice(nodes), r.choice(nodes))
        G._adj, G._node = other._adj, other._node  # dictionaries that are replaced
        if G.is_directed():
            G._pred = other._pred
    else:
        G.update(edges=[(r.choice(nodes), r.choice(nodes))])


def another(r, G):
    """Returns a copy of a graph, of which some carry what NetworkX keeps."""
    ways = [lambda: G.copy(), lambda: copy.copy(G), lambda: nx.freeze(G.copy())]
    if not hasattr(G, "_graph"):  # filters of views are functions, which pickle refuses
        ways += [lambda: copy.deepcopy(G), lambda: pickle.loads(pickle.dumps(G))]
    return r.choice(ways)()


def shown_by(G):
    """Yields the graph and, if it is a view, what it shows."""
    while G is not None:
        yield G
        G = getattr(G, "_graph", None)


def call(r, G, tell):
    """Calls a random function in both ways. Returns True if the backend answered."""
    name = r.choice([name for name, makers in ARGUMENTS.items() if makers])
    public = public_function(name)
    # NetworkX's own k_truss() never ends where a graph shows other edges than it removes.
    if public is None or (name == "k_truss" and "Complement" in {type(of).__name__ for of in shown_by(G)}):
        return False
    args, kwargs = r.choice(ARGUMENTS[name])(r, G)
    theirs_kwargs, ours_kwargs = dict(kwargs), dict(kwargs)
    theirs = outcome(lambda: public(G, *args, **theirs_kwargs, backend="networkx"))
    named = r.random() < 0.3
    if named:
        ours = outcome(lambda: public(G, *args, **ours_kwargs, backend="callisto"))
        if isinstance(ours[1], NotImplementedError) and not isinstance(ours[1], nx.NetworkXException):
            return False
    else:
        nx.config.backend_priority.algos = nx.config.backend_priority.generators = ["callisto"]
        ours = outcome(lambda: public(G, *args, **ours_kwargs))
        nx.config.backend_priority.algos = nx.config.backend_priority.generators = []
    if not agree(name, G, ours, theirs):
        tell(f"{name}{args}{kwargs} {'named' if named else 'by priority'} on {type(G).__name__} "
             f"{'view ' if hasattr(G, '_graph') else ''}{dict(G.adj)}: {ours} instead of {theirs}"[:1500])
    return True


def a_round(seed):
    """Returns the number of calls that the backend could answer, and what differed."""
    r = random.Random(seed)
    graphs, answered, told = [new_graph(r)], 0, []
    for _ in range(CALLS_A_ROUND):
        what = r.random()
        if what < 0.25 and len(graphs) < 8:
            graphs.append(view_of(r, r.choice(graphs)))
        elif what < 0.3 and len(graphs) < 8:
            graphs.append(another(r, r.choice(graphs)))
        elif what < 0.6:
            G = r.choice(graphs)
            if not nx.is_frozen(G):
                change(r, G)
        answered += call(r, r.choice(graphs), lambda text: told.append(f"seed {seed}: {text}"))
    return answered, told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=500, help="calls at least")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    backend.should_run = lambda name, args, kwargs: True  # of graphs as small as these
    calls = answered = 0
    told = []
    for seed in range(options.seed * 10**6, options.seed * 10**6 + -(-options.runs // CALLS_A_ROUND)):
        some, differences = a_round(seed)
        calls, answered = calls + CALLS_A_ROUND, answered + some
        told += differences
    print(calls, answered, len(told), *told[:20], sep="\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
