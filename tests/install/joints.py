#!/usr/bin/env python3
"""Walks through the joints: each copy of Callisto, started in each way, with each kind of program.

Usage: joints.py BUILD_DIRECTORY CXX      builds the copies: an installed prefix, one that was moved, what the Debian
                                          packages hold, and a wheel
       joints.py --system CXX [PYTHON]    walks through the copy that is installed in /usr

A program of each kind (loops, a graph command, Python, OpenMP, ranks) starts plain, under the launchers of both MPIs,
under `callisto run`, as another account, and in a root folder without /proc, /sys and /dev/shm. It must give the right
answer, or refuse in one line. What this machine lacks (root, an MPI, a Python with numpy) is counted as skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTHON = ROOT / "build/python-env/bin/python"
RANKS = 2
SECONDS = 120  # a program that has not ended by then hangs

LOOPS = r"""
#include <callisto/callisto.hpp>
#include <cstdio>
int main() {
  std::printf("loops %ld\n", callisto::parallel_reduce(0, 100000, 0L, [](int i) { return long{i}; }));
}
"""
OPENMP = r"""
#include <stdio.h>
int main(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100000; i++) sum += i;
  printf("openmp %ld\n", sum);
}
"""
RANKS_PROGRAM = r"""
#include <callisto/global.hpp>
#include <cstdio>
int main(int argc, char** argv) {
  callisto::global::session s(argc, argv);
  const auto sum = callisto::global::reduce_all(long{1} + s.rank());
  if (s.rank() == 0) std::printf("ranks %ld of %d\n", sum, s.ranks());
}
"""
# One write a line: where PYTHONUNBUFFERED is set, print() writes each word alone, and the ranks' words mix.
PYTHON_PROGRAM = """
import os
import callisto_graph as cl
graph = cl.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
os.write(1, f"python {graph.vertices} {int(graph.triangles())}\\n".encode())
"""
EDGES = "a b\nb c\nc a\nc d\n"


def run(command, **more):
    """Runs a command without input; returns its exit status (None: it hung), standard output and standard error."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True, **more) as process:
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            return None, out, err
        return process.returncode, out, err


def must(command, **more):
    """Runs a command that prepares the walk, which fails if the command does."""
    status, out, err = run([str(word) for word in command], **more)
    if status != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{out}{err}")
    return out


class Copy:
    """A copy of Callisto.

    inside: words before each command, which enter the folder that the copy is the system of. python: words that start
    a Python which has the package, or None. The other members are None where the copy lacks the part.
    """

    def __init__(self, name, prefix=None, python=None, environment=None):
        self.name = name
        self.python = python
        self.inside = []
        self.environment = environment or {}
        self.command = self.libgomp = self.pkgconfig = None
        if prefix:
            found = sorted(prefix.rglob("callisto.pc"))
            self.pkgconfig = found[0].parent if found else None
            self.command = prefix / "bin/callisto"
            self.libgomp = next(iter(sorted(prefix.rglob("callisto/libgomp.so.1"))), None)


def openmpi(program, **_):
    words = ["mpirun.openmpi", "--oversubscribe", "-n", str(RANKS)]
    return words + (["--allow-run-as-root"] if os.geteuid() == 0 else []) + program


def mpich(program, **_):
    return ["mpirun.mpich", "-n", str(RANKS)] + program


STARTS = {
    "plain": lambda program, **_: program,
    "openmpi": openmpi,
    "mpich": mpich,
    "run": lambda program, copy: [str(copy.command), "run", "--"] + program,
    "run openmpi": lambda program, copy: [str(copy.command), "run", "--"] + openmpi(program),
    "openmpi run": lambda program, copy: openmpi([str(copy.command), "run", "--"] + program),
    "account": lambda program, **_: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + program,
    "bare root": lambda program, **_: program,
}


class Walk:
    """Starts programs and counts what they did."""

    def __init__(self, work, cxx):
        self.work = work
        self.cxx = cxx
        self.passed = self.refused = 0
        self.skipped, self.failures = {}, []
        (work / "edges.txt").write_text(EDGES, encoding="utf-8")
        (work / "openmp.c").write_text(OPENMP, encoding="utf-8")
        (work / "loops.cpp").write_text(LOOPS, encoding="utf-8")
        (work / "ranks.cpp").write_text(RANKS_PROGRAM, encoding="utf-8")
        (work / "program.py").write_text(PYTHON_PROGRAM, encoding="utf-8")
        must([cxx, "-x", "c++", "-O1", "-fopenmp", work / "openmp.c", "-o", work / "openmp"])

    def programs(self, copy):
        """Returns a copy's programs: kind, words that start it, environment, and the line that it prints once a rank."""
        programs = []
        if copy.pkgconfig:
            folder = self.work / f"programs-{copy.name.replace(' ', '-')}"
            folder.mkdir()
            found = dict(os.environ, PKG_CONFIG_PATH=str(copy.pkgconfig))
            libraries = copy.pkgconfig.parent
            loader = {"LD_LIBRARY_PATH": str(libraries)} if not copy.inside else {}
            for kind, package in ("loops", "callisto"), ("ranks", "callisto_global"):
                flags = must(copy.inside + ["pkg-config", "--cflags", "--libs", package], env=found).split()
                must(copy.inside + [self.cxx, "-std=c++20", "-O1", self.work / f"{kind}.cpp", "-o", folder / kind] + flags)
                programs.append((kind, [str(folder / kind)], loader,
                                 r"loops 4999950000" if kind == "loops" else r"ranks (1 of 1|3 of 2)"))
        if copy.command:
            programs.append(("graph", [str(copy.command), "triangles", str(self.work / "edges.txt"), "--undirected", "--json"],
                             {}, r' *"triangles": 1,?'))
        if copy.libgomp:
            programs.append(("openmp", [str(self.work / "openmp")], {"LD_PRELOAD": str(copy.libgomp)}, r"openmp 4999950000"))
        if copy.python:
            programs.append(("python", copy.python + [str(self.work / "program.py")], {}, r"python 4 1"))
        return programs

    def skip(self, why):
        self.skipped[why] = self.skipped.get(why, 0) + 1

    def lacks(self, copy, start, kind):
        """Says what is missing for a cell, or returns None."""
        if ("account" in start or "bare" in start) and os.geteuid() != 0:
            return "not root"
        for mpi in "openmpi", "mpich":
            if mpi in start.split() and not shutil.which(f"mpirun.{mpi}"):
                return f"no mpirun.{mpi}"
        if start.startswith("run") or start.endswith(" run"):
            if not copy.command:
                return "a wheel has no command"
        if kind == "python" and start in ("account", "bare root") and not copy.inside and "/root" in os.path.realpath(copy.python[0]):
            return "Python lies in /root"
        return None

    def cell(self, copy, start, program):
        kind, words, environment, line = program
        missing = self.lacks(copy, start, kind)
        if missing:
            self.skip(missing)
            return
        given = dict(environment, **copy.environment)
        # A launcher hands on no LD_PRELOAD of its own: the program's alone has it.
        if given:
            words = ["env", *(f"{name}={value}" for name, value in given.items()), *words]
        command = STARTS[start](words, copy=copy)
        if start == "bare root":
            command = enter(self.work, copy, full=False) + command
        elif copy.inside:
            command = copy.inside + command
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("CALLISTO_", "OMP_", "LD_"))}
        status, out, err = run(command, env=clean, cwd=self.work)
        started = RANKS if self.has_ranks(start) else 1
        lines = [text for text in out.splitlines() if re.fullmatch(line, text)]
        expected = 1 if kind in ("ranks", "graph") else started  # of these, one rank answers for all
        name = f"{copy.name} / {start} / {kind}"
        told = [text for text in (out + err).splitlines() if re.match(r"(callisto|callisto::global|libgomp)\b.*: ", text)]
        is_right = status == 0 and len(lines) == expected and (kind != "ranks" or lines[0].endswith(f"of {started}"))
        has_refused = status is not None and status > 0 and len(told) == 1 and not lines
        if is_right:
            self.passed += 1
        elif has_refused and self.may_refuse(start, kind):
            self.refused += 1
        else:
            ended = "did not end" if status is None else f"exit status {status}"
            text = "\n".join(f"      {line}" for line in (out + err).splitlines()[:20])
            self.failures.append(f"{name}: {ended}\n{text}")

    @staticmethod
    def may_refuse(start, kind):
        """True for a graph command under a launcher: its MPI may be of no use to the command."""
        return Walk.has_ranks(start) and kind == "graph"

    @staticmethod
    def has_ranks(start):
        return "openmpi" in start or "mpich" in start

    def through(self, copy):
        for program in self.programs(copy):
            for start in STARTS:
                self.cell(copy, start, program)

    def report(self):
        print("".join(f"FAILED: {text}\n" for text in self.failures), end="")
        for why, count in sorted(self.skipped.items()):
            print(f"skipped {count}: {why}")
        print(f"{self.passed} right, {self.refused} refused in one line, {len(self.failures)} failed")
        return 1 if self.failures or not self.passed else 0


def enter(work, copy, full):
    """Returns words that run a command in a root folder of its own: this system's /usr below what the copy adds to it.

    full: with /proc, /sys and /dev; otherwise with nothing but /dev/null and an empty /proc.
    """
    script = work / "enter.sh"
    if not script.exists():
        folders = {str(work), str(ROOT)} | {os.path.dirname(os.path.dirname(os.path.realpath(python)))
                                            for python in [PYTHON] if python.exists()}
        kept = " ".join(sorted(folder for folder in folders if not folder.startswith("/usr")))
        script.write_text(ENTER.replace("FOLDERS", kept), encoding="utf-8")
        script.chmod(0o755)
    added = getattr(copy, "files", "")
    return ["unshare", "--mount", str(script), str(work / "root"), str(added), "full" if full else "bare"]


ENTER = r"""#!/bin/sh
# Usage: enter.sh ROOT FILES full|bare COMMAND...
set -eu
root=$1 files=$2 kind=$3
shift 3
here=$PWD
mkdir -p "$root"
mount -t tmpfs none "$root"
mkdir "$root/usr" "$root/etc" "$root/tmp" "$root/proc" "$root/sys" "$root/dev" "$root/run"
chmod 1777 "$root/tmp"
for name in bin sbin lib lib32 lib64 libx32; do
  [ ! -L "/$name" ] || cp -P "/$name" "$root/$name"
done
if [ -n "$files" ]; then
  mount -t overlay overlay -o "lowerdir=$files/usr:/usr" "$root/usr"
else
  mount --bind /usr "$root/usr"
fi
mount --bind /etc "$root/etc"
# The folder of the walk, and where Python is, stay where they are.
for folder in FOLDERS; do
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
if [ "$kind" = full ]; then
  mount --rbind /proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
else
  mknod -m 666 "$root/dev/null" c 1 3
  mknod -m 666 "$root/dev/urandom" c 1 9
fi
exec chroot "$root" sh -c 'cd "$0" && exec "$@"' "$here" "$@"
"""


def install(build, prefix):
    must(["cmake", "--install", build, "--prefix", prefix])


def make_wheel(build, work):
    """Makes a wheel of the built package and the Python files beside it; returns a Python that has it installed."""
    if not list(pathlib.Path(build).rglob("_core*.so")) or not PYTHON.exists():
        return None
    stage = work / "wheel"
    must(["cmake", "--install", build, "--component", "python", "--prefix", stage])
    for package in "callisto_graph", "_callisto_graph_info":
        shutil.copytree(ROOT / "python" / package, stage / package, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__", "README.md"))
    version = re.search(r"project\(callisto VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    info = stage / f"callisto_graph-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: callisto-graph\nVersion: {version}\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: joints\nRoot-Is-Purelib: false\nTag: py3-none-any\n")
    names = [path for path in sorted(stage.rglob("*")) if path.is_file()]
    (info / "RECORD").write_text("".join(f"{path.relative_to(stage)},,\n" for path in names))
    wheel = work / f"callisto_graph-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(stage.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(stage))
    target = work / "site"
    must([PYTHON, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
          "--target", target, wheel])
    return [str(PYTHON)], {"PYTHONPATH": str(target)}


def make_packages(build, work):
    """Extracts Debian packages with the files that packaging/debian lists, out of a shared build; returns the folder."""
    stage, system = work / "stage", work / "system"
    for part in [], ["--component", "lab"]:
        must(["cmake", "--install", build, "--prefix", "/usr", *part], env=dict(os.environ, DESTDIR=str(stage)))
    for listed in sorted((ROOT / "packaging/debian").glob("*.install")):
        if "python" in listed.name:
            continue
        package, taken = work / "packages" / listed.stem, 0
        for line in listed.read_text().split("\n"):
            pattern, _, target = line.partition(" ")
            # Of what is installed; or of the source, where it is for the package alone.
            for path in sorted([*stage.glob(pattern), *(ROOT / "packaging").glob(pattern)]) if pattern else []:
                to = package / (pathlib.Path(target.strip()) / path.name if target.strip() else path.relative_to(stage))
                to.parent.mkdir(parents=True, exist_ok=True)
                must(["cp", "-a", path, to])
                taken += 1
        if not taken:
            sys.exit(f"FAILED: {listed.name} lists nothing that is installed")
        (package / "DEBIAN").mkdir()
        (package / "DEBIAN/control").write_text(
            f"Package: {listed.stem}\nVersion: 0\nArchitecture: all\nMaintainer: joints <joints@localhost>\n"
            "Description: a walk through the joints\n")
        must(["dpkg-deb", "--build", "--root-owner-group", "-Znone", package, work / f"{listed.stem}.deb"])
        must(["dpkg-deb", "-x", work / f"{listed.stem}.deb", system])
    return system


def copies(build, work):
    """Yields the copies, each when the walk through the one before it has ended."""
    wheel = make_wheel(build, work)
    python, environment = wheel or (None, {})
    first = work / "prefix"
    install(build, first)
    yield Copy("prefix", first)
    moved = work / "moved"
    first.rename(moved)
    yield Copy("moved", moved)
    if python:
        yield Copy("wheel", python=python, environment=environment)
    else:
        print("skipped: no wheel, the Python package is not built")
    shared = pathlib.Path(build) / "shared"
    if os.geteuid() != 0 or not shutil.which("dpkg-deb") or not (shared / "build.ninja").exists():
        print("skipped: no packages; they need root, dpkg-deb, and the shared build of the test install.shared")
        return
    system = make_packages(shared, work)
    copy = Copy("deb")
    copy.files = system
    copy.inside = enter(work, copy, full=True)
    copy.command = pathlib.Path("/usr/bin/callisto")
    copy.libgomp = "/" / next(iter(system.rglob("callisto/libgomp.so.1"))).relative_to(system)
    copy.pkgconfig = "/" / next(iter(system.rglob("callisto.pc"))).parent.relative_to(system)
    yield copy


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="callisto-joints-") as name:
        work = pathlib.Path(name)
        work.chmod(0o755)
        walk = Walk(work, arguments[1])
        if arguments[0] == "--system":
            walk.through(Copy("system", pathlib.Path("/usr"), python=arguments[2:3] or None))
        else:
            for copy in copies(arguments[0], work):
                walk.through(copy)
        sys.exit(walk.report())


if __name__ == "__main__":
    main()
