#!/usr/bin/env bash
# Makes what wheels are tried with: readme.py, the lines of README.md as they stand there, in a folder with the file that
# they read; program.py, a program of NetworkX, for NETWORKX_BACKEND_PRIORITY=callisto.
# Usage: wheel_reader.sh FOLDER
set -euo pipefail
reader=$(realpath -m "$1")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
mkdir -p "$reader/examples"
cp examples/karate.txt "$reader/examples/"
awk '/^## / { here = $0 == "## Python" } /^```/ { inside = here && /python$/; next } inside' README.md >"$reader/readme.py"
if (($(wc -l <"$reader/readme.py") != 5)); then
  echo "wheel_reader: README.md: no five lines of Python under '## Python'" >&2
  exit 1
fi
cat >"$reader/program.py" <<'END'
import networkx as nx

graph = nx.gnm_random_graph(500, 4000, seed=1)
near = nx.closeness_centrality(graph)
assert "callisto" in graph.__networkx_cache__["backends"], "Callisto was not asked"
nx.config.warnings_to_ignore.add("cache")
assert abs(sum(nx.pagerank(graph).values()) - 1) < 1e-9
nx.config.backend_priority.algos = []
plain = nx.closeness_centrality(graph)  # not pagerank: plain NetworkX needs scipy for that
assert all(abs(near[v] - plain[v]) < 1e-9 for v in graph)
print("NetworkX", nx.__version__, "is answered by Callisto")
END
