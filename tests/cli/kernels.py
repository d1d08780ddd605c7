"""How tests try each kernel of the command: the arguments beyond a graph, for each test that walks through all of them.

A new kernel has one row here. What it takes weights for, the memory that it needs and the keys of its JSON stand with its
parser (`callisto --describe`); documentation_test.py compares both, so that no kernel is missing.
"""

# For each kernel:
#   verify: what ./x soak runs on each real graph with --verify. In it, {label} is a vertex of the largest component, {far}
#     one far from it, and {graph} the place of the graph, if that is not the last argument.
#   slow: those of `verify` that take longer than all others on a large graph: a search from each vertex, and the like.
#   memory: what is measured against the declared memory, on graphs with vertices numbered from 1 on.
#   weights: what the page on weights is tried with, on a graph of the vertices a to f.
#   keys: what the keys of its JSON are looked at with, on a graph of 10,007 vertices, besides --verify.
KERNELS = {
    "pagerank": {"verify": ["", "--undirected --seeds {label}"], "memory": ["", "--seeds 1"], "keys": "--seeds 7"},
    "betweenness": {"memory": ["--samples 16"], "keys": "--samples 600 --threads 2"},
    "closeness": {"verify": ["", "--harmonic --samples 30"], "slow": [""], "memory": ["--samples 64"], "keys": "--samples 64"},
    "eigenvector": {"verify": ["--undirected"], "memory": [""], "keys": "--undirected"},
    "katz": {"verify": [""], "memory": [""], "keys": ""},
    "hits": {"verify": [""], "memory": [""], "keys": ""},
    "triangles": {"verify": [""], "memory": [""], "keys": ""},
    "motifs": {"keys": ""},
    "cliques": {"keys": ""},
    "clustering": {"verify": ["", "--directions", "--random-weights 1 --weights strength"], "memory": [""], "keys": ""},
    "communities": {"verify": ["", "--method labels", "--resolution 2"], "memory": ["", "--method labels"], "keys": ""},
    "components": {"verify": [""], "memory": [""], "keys": ""},
    "scc": {"verify": [""], "memory": [""], "keys": ""},
    "biconnected": {"verify": [""], "memory": [""], "keys": ""},
    "topological": {},
    "kcore": {"verify": [""], "memory": [""], "keys": ""},
    "bfs": {"verify": ["--sources 3"], "memory": ["--source 1"], "weights": "--source a", "keys": "--sources 2"},
    "sssp": {"verify": ["--sources 3 --random-weights 1"], "memory": ["--source 1 --random-weights 1"], "weights": "--source a",
             "keys": "--sources 2 --random-weights 1"},
    "path": {"verify": ["{graph} {label} {far}", "{graph} {label} {far} --all", "{graph} {label} {far} --shortest 4"],
             "slow": ["{graph} {label} {far} --shortest 4"], "memory": ["1 2 -k 5"], "weights": "a e -k 5", "keys": "1 2 --all"},
    "flow": {"memory": ["1 2"], "weights": "a e", "keys": "1 2"},
    "diameter": {"verify": ["--searches 40"], "slow": ["--searches 40"], "memory": ["--searches 20"], "keys": "--searches 9"},
    "eccentricity": {"verify": [""], "slow": [""], "keys": ""},
    "forest": {"verify": ["--random-weights 1"], "memory": ["--random-weights 1"], "keys": ""},
    "partition": {"verify": ["--parts 5"], "keys": "--parts 5"},
    "truss": {"verify": [""], "slow": [""], "memory": [""], "keys": ""},
    "similarity": {"verify": ["--best 3"], "slow": ["--best 3"], "weights": "--threshold 0.1", "keys": "--best 1"},
    "matching": {"verify": ["", "--random-weights 1 --weights strength"], "memory": [""], "keys": ""},
    "colouring": {"verify": [""], "memory": [""], "keys": ""},
    "independent-set": {"verify": [""], "keys": ""},
    "embedding": {"weights": "--dimensions 8", "keys": "--dimensions 8"},
    "walks": {"verify": ["--each 1 --p 0.5 --q 2"], "weights": "--each 20 --length 6", "keys": "--each 1"},
}
# Subcommands about graphs that are no kernels: they read, write or show graphs, or call several kernels.
NO_KERNELS = {"analyze", "draw", "info", "compare-groups", "subgraph", "watch", "convert", "generate", "demo", "project",
              "temporal"}  # its edges have times, which no other graph of the tests has


def trials(test):
    """Returns the ways in which a test tries the kernels: lists of a name and its arguments."""
    found = []
    for name, row in KERNELS.items():
        ways = row.get(test, [])
        found += [[name, *way.split()] for way in (ways if isinstance(ways, list) else [ways])]
    return found
