#!/bin/sh
# Writes the metadata that pip and NetworkX read: entry points of the backend. Usage: python_metadata.sh FOLDER
set -eu
version=$(dpkg-parsechangelog -SVersion | sed 's/-.*//')
folder=$1/callisto_graph-$version.dist-info
mkdir -p "$folder"
printf 'Metadata-Version: 2.1\nName: callisto-graph\nVersion: %s\n' "$version" >"$folder/METADATA"
python3 - "$folder/entry_points.txt" <<'END'
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    groups = tomllib.load(file)["project"]["entry-points"]
with open(sys.argv[1], "w") as out:
    for group, entries in groups.items():
        print(f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), "", sep="\n", file=out)
END
