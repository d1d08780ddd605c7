#!/usr/bin/env python3
"""Writes a software bill of materials (CycloneDX 1.6, JSON) beside each release file: FILE.cdx.json.

Usage: sbom.py FILE...   Files: .whl, .deb, .tar.gz and .tar.xz of sources.

A component is what a file holds of others, and how: compiled in (headers), linked in (static libraries), bundled (shared
libraries in the wheel); or what it needs of the system: linked, opened. The last two are read from the binaries, the
first from HOLDS, since no binary tells which headers it was compiled of. Versions are those of this machine's packages,
which built the files, and of build-constraints.txt. Equal files give equal bytes: time is SOURCE_DATE_EPOCH.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Headers by the folder of sources that includes them: name, Debian's package, licence.
JSON = ("nlohmann-json", "nlohmann-json3-dev", "MIT")
LIBRARY = [("fmt", "libfmt-dev", "MIT"), ("xxhash", "libxxhash-dev", "BSD-2-Clause"), JSON]
COMMAND = [("cli11", "libcli11-dev", "BSD-3-Clause"), ("tomlplusplus", "libtomlplusplus-dev", "MIT"), JSON]
MODULE = [("nanobind", None, "BSD-3-Clause")]  # with robin_map, which it brings
HOLDS = {"libcallisto": LIBRARY, "libcallisto_global": LIBRARY, "libcallisto_cluster": LIBRARY,
         "callisto": LIBRARY[:1] + COMMAND, "libgomp": LIBRARY[:1], "_core": MODULE + LIBRARY[:1]}
STATIC = [("libstdc++", "libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1")]
# What the portable command holds of others (callisto/app/portable/README.md).
PORTABLE = [*STATIC, ("glibc", "libc6-dev", "LGPL-2.1-or-later"), ("zlib", "zlib1g-dev", "Zlib"),
            ("zstd", "libzstd-dev", "BSD-3-Clause"), ("expat", "libexpat1-dev", "MIT"),
            ("libarchive", "libarchive-dev", "BSD-2-Clause"), ("nettle", "nettle-dev", "LGPL-3.0-or-later"),
            ("bzip2", "libbz2-dev", "bzip2-1.0.6"), ("xz", "liblzma-dev", "0BSD"), ("lz4", "liblz4-dev", "BSD-2-Clause"),
            ("libgomp", "libgcc-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1")]
# A portable command for AArch64 that another machine made holds what these have: packaging/arm64_root.sh, and the cross
# compiler, with libraries of its own.
ARM64 = HERE.parent / "build/arm64-root/var/lib/dpkg"
OF_CROSS_COMPILER = {"libstdc++-12-dev": "libstdc++-12-dev-arm64-cross", "libgcc-12-dev": "libgcc-12-dev-arm64-cross"}
OPENED = {"libhwloc": "libhwloc15", "libarchive": "libarchive13", "libexpat": "libexpat1"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def debian(package, admindir=None):
    """The version of a package here, or in the system of that folder, and its purl; both None where there is no dpkg, or
    no such package."""
    where = ["--admindir", admindir] if admindir else []
    try:
        source, version = run("dpkg-query", *where, "-W", "-f", "${source:Package}\t${Version}", package).split("\t")
    except (subprocess.CalledProcessError, FileNotFoundError):
        return None, None
    return version, f"pkg:deb/debian/{source}@{urllib.parse.quote(version, safe='~')}?package={package}"


def component(name, how, package=None, licence=None, version=None, purl=None):
    if package:
        version, purl = debian(package)
    entry = {"type": "library", "bom-ref": f"{how}:{name}", "name": name}
    entry |= {"version": version} if version else {}
    entry["scope"] = "optional" if how == "opened when needed" else "required"
    entry |= {"licenses": [{"expression": licence}]} if licence else {}
    entry |= {"purl": purl} if purl else {}
    entry["properties"] = [{"name": "callisto:how", "value": how}]
    return entry


def of_portable(file):
    """Components of a portable command."""
    crossed = file.name.endswith("-aarch64") and os.uname().machine != "aarch64"
    for how, all_of in [("compiled in", HOLDS["callisto"] + LIBRARY[1:]), ("linked in", PORTABLE)]:
        for name, package, licence in all_of:
            if crossed and package in OF_CROSS_COMPILER:
                package, where = OF_CROSS_COMPILER[package], None
            else:
                where = ARM64 if crossed else None
            version, purl = debian(package, where)
            yield component(name, how, licence=licence, version=version, purl=purl)


def pinned(name):
    version = re.search(rf"^{name}==(.+)$", (HERE / "build-constraints.txt").read_text(), re.M)[1]
    return version, f"pkg:pypi/{name}@{version}"


def provider(soname):
    """The Debian package that has a shared library, or None."""
    try:
        return run("dpkg-query", "-S", f"*-linux-gnu/{soname}").split(":")[0]
    except (subprocess.CalledProcessError, FileNotFoundError):
        return None


def of_binary(path, bundled):
    """Components of one ELF file."""
    name = path.name.split(".")[0]
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))
    for what, package, licence in HOLDS.get(name, []):
        version, purl = pinned(what) if package is None else (None, None)
        yield component(what, "compiled in", package, licence, version, purl)
    # A module that needs no libcallisto holds the library.
    if name == "_core" and not any(soname.startswith("libcallisto") for soname in needed):
        yield from (component(what, "compiled in", package, licence) for what, package, licence in LIBRARY)
        opens = True
    else:
        opens = name in ("libcallisto", "callisto", "libgomp")
    if name in HOLDS and not any("libstdc++" in soname for soname in needed):
        yield from (component(what, "linked in", package, licence) for what, package, licence in STATIC)
    for soname in needed:
        if soname not in bundled and not soname.startswith(("libcallisto", "ld-linux")):
            yield component(soname, "linked, of the system", provider(soname))
    text = path.read_bytes() if opens else b""
    for stem, package in OPENED.items():
        if re.search(rf"\b{stem}\.so\.\d".encode(), text) and not any(stem in soname for soname in needed):
            yield component(stem, "opened when needed", package)


def of_bundled(path):
    """One shared library that auditwheel put into a wheel: libzstd-<hash>.so.1.5.4 is Debian's libzstd.so.1."""
    stem, major = re.match(r"(.*?)-[0-9a-f]{8}\.so\.(\d+)", path.name).groups()
    return component(f"{stem}.so.{major}", "bundled", provider(f"{stem}.so.{major}"))


def unpacked(file, folder):
    if file.suffix == ".whl":
        zipfile.ZipFile(file).extractall(folder)
    elif file.suffix == ".deb":
        run("dpkg-deb", "-x", file, folder)
    return sorted(path for path in pathlib.Path(folder).rglob("*")
                  if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF")


def bill(file):
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    components = {}
    if "-linux-" in file.name and file.open("rb").read(4) == b"\x7fELF":
        components |= {entry["bom-ref"]: entry for entry in of_portable(file)}
    with tempfile.TemporaryDirectory() as folder:
        binaries = unpacked(file, folder) if "-dbgsym_" not in file.name else []
        bundled = {path.name for path in binaries if path.parent.name.endswith(".libs")}
        for path in binaries:
            found = [of_bundled(path)] if path.name in bundled else of_binary(path, bundled)
            components |= {entry["bom-ref"]: entry for entry in found}
    match = re.match(r"(.*?)[-_](\d+\.\d+\.\d+)", file.name)
    if not match:
        sys.exit(f"sbom: {file}: expected a name with a version, such as callisto_0.1.0-1_amd64.deb")
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": when,
            "component": {
                "type": "library", "bom-ref": "this file", "name": match[1], "version": match[2],
                "licenses": [{"expression": "Apache-2.0"}],
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "properties": [{"name": "callisto:file", "value": file.name}],
            },
        },
        "components": [components[key] for key in sorted(components)],
        "dependencies": [{"ref": "this file", "dependsOn": sorted(components)}],
    }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        file = pathlib.Path(name)
        if not file.is_file():
            sys.exit(f"sbom: {name}: no such file")
        file.with_name(file.name + ".cdx.json").write_text(json.dumps(bill(file), indent=1) + "\n")


main()
