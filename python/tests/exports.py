#!/usr/bin/env python3
"""Looks for what the extension module takes of the library but a shared library would not give: it would not load.

Usage: exports.py LIBRARY.a OBJECT...: of a static build. Wheels have the library inside; Debian's package links with
libcallisto.so, which exports what CALLISTO_API marks alone. Exit status 77: there is no readelf.
"""

import shutil
import subprocess
import sys


def symbols(files):
    """Returns (index of the section, visibility, name) of the symbols of files."""
    listed = subprocess.run(["readelf", "-sW", *files], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit() and fields[4] in ("GLOBAL", "WEAK"):
            yield fields[-2], fields[5], fields[-1]


def main():
    library, *objects = sys.argv[1:]
    if shutil.which("readelf") is None:
        print("exports: no readelf")
        return 77
    wanted, own = set(), set()
    for section, _, name in symbols(objects):
        (wanted if section == "UND" else own).add(name)
    # Hidden: seen inside the library alone.
    seen, hidden = set(), set()
    for section, visibility, name in symbols([library]):
        if section != "UND":
            (seen if visibility == "DEFAULT" else hidden).add(name)
    missing = sorted(name for name in (wanted & hidden) - own - seen if "8callisto" in name)
    if not wanted & seen:
        sys.exit("exports: the objects take nothing of the library: are these the module's?")
    if missing:
        names = subprocess.run(["c++filt"], input="\n".join(missing), capture_output=True, text=True, check=True).stdout
        sys.exit("exports: the module takes what libcallisto.so does not export; mark it CALLISTO_API:\n" + names)
    print(f"exports: {len(wanted & seen)} symbols, all exported")
    return 0


if __name__ == "__main__":
    sys.exit(main())
