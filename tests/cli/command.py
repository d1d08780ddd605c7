"""What the tests of the command share: how they run it, what they run it on, and where its graphs are.

Environment of each test: CALLISTO_COMMAND, the binary (required); CALLISTO_LAB, callisto-lab (default: the one beside
it); CALLISTO_DATA, the folder of real graphs (default: shared/data beside the repository; tests that need it are skipped
without); CALLISTO_JOB, the program tests/cosched/job_program (tests that need it are skipped without); CALLISTO_SANITIZE,
non-empty if the binary was built with sanitizers.
"""

import contextlib
import functools
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COMMAND = os.environ.get("CALLISTO_COMMAND", "")
LAB = os.environ.get("CALLISTO_LAB") or os.path.join(os.path.dirname(COMMAND), "callisto-lab")
HAS_LAB = os.path.exists(LAB)  # not under sanitizers
ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = pathlib.Path(COMMAND).resolve().parent.parent / "words"  # manual pages and completions, made by the build
DATA = pathlib.Path(os.environ.get("CALLISTO_DATA") or ROOT.parent / "shared" / "data")
JOB = os.environ.get("CALLISTO_JOB", "")
SANITIZED = os.environ.get("CALLISTO_SANITIZE", "") != ""
USAGE, INPUT, OUTPUT, MEMORY, INTERRUPTED = 2, 3, 4, 5, 130

# What a reader of graphs assumed, in a line each; graph_files_test.py tests them.
NOTES = re.compile(rb"(?m)^callisto(?:-lab)?: [^\n]*(?:taken as directed|edges? repeats? (?:another|others)|are lengths of paths|(?:is|are) lost|"
                   rb"says that edges are undirected|becomes two arcs)[^\n]*\n")

# Small enough to be read by every build, sanitized ones included.
GRAPHS = [
    "karate.txt.gz", "rome99.gr.gz", "ca-GrQc.txt.gz", "ca-HepTh.txt.gz", "wiki-Vote.txt.gz",
    "facebook_combined.txt.gz", "as-caida20071105.txt.gz", "p2p-Gnutella31.txt.gz", "luxembourg_osm.mtx.gz", "usa-roads.txt.gz",
    "ca-CondMat.txt.gz", "musae-facebook.txt.gz", "cit-HepTh.txt.gz",
]

# Long enough that it is interrupted, never finished: an excess of rank runs around a circle and hardly fades.
CIRCLE = "# Directed graph\n" + "".join(f"{i} {(i + 1) % 10007}\n" for i in range(10007)) + "10007 0\n"
ENDLESS = ["--tolerance", "0", "--iterations", "4000000000", "--damping", "0.9999999999"]

# Simulations that are over soon: of a machine's schedules, and of one schedule.
SMALL_SIMULATION = ["--iterations", "20000", "--threads", "8", "--batch", "1,64"]
ONE_SIMULATION = ["--iterations", "20000", "--threads", "8", "--batch", "64", "--schedule", "counter(machine)", "--hold", "0.1"]


def command_line(*arguments, program=None):
    """Returns the words that run `arguments` with the program that has them."""
    if program is None:
        program = LAB if arguments and arguments[0] in ("bench", "limits", "simulate") else COMMAND
    return [program, *map(str, arguments)]


def run(*arguments, stdin=b"", env=None, notes=False, program=None, **kwargs):
    """Runs the command, or `program`, to its end; standard output and error are captured unless given. Without `notes`,
    standard error is without the notes of readers."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run(command_line(*arguments, program=program), input=stdin, env={**os.environ, **(env or {})},
                          timeout=300, **kwargs)
    if done.stderr is not None and not notes:
        done.stderr = NOTES.sub(b"", done.stderr)
    return done


def open_terminal():
    """Returns the two ends of a new terminal; skips the test where there is none, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal to be had: {error}") from None


def watches(process, number):
    """Waits until the process takes this signal itself: sent before, it would end the way of any program."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError):
            blocked = re.search(r"(?m)^SigBlk:\s*(\w+)$", pathlib.Path(f"/proc/{process.pid}/status").read_text())
            if blocked and int(blocked[1], 16) >> (number - 1) & 1:
                return
        time.sleep(0.01)
    raise AssertionError(f"it never comes to watch signal {number}")


def interrupt_twice(process):
    """SIGTERM and SIGINT before it can have done anything about the first."""
    for number in [signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT]:
        process.send_signal(number)


def needs_data(test):
    return unittest.skipUnless(DATA.is_dir(), f"no graphs in {DATA}")(test)


@functools.lru_cache
def published():
    """Returns the table of the data folder's README: file name -> (vertices, lines, loops, repeats, edges, triangles)."""
    rows = {}
    for line in (DATA / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[0].endswith(".gz") and cells[1] in ("yes", "no"):
            rows[cells[0]] = tuple(int(cell.replace(",", "")) for cell in cells[2:8])
    return rows


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="callisto-cli-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def succeed(self, *arguments, **kwargs):
        done = run(*arguments, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode() if done.stdout is not None else ""

    def json(self, *arguments, **kwargs):
        return json.loads(self.succeed(*arguments, "--json", **kwargs))

    def refuse(self, code, *arguments, says=(), **kwargs):
        """Expects failure: the code, one line on standard error that contains `says`, nothing else anywhere."""
        before = sorted(p.name for p in self.folder.iterdir())
        done = run(*arguments, **kwargs)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        self.assertRegex(message, r"\Acallisto(-lab)?: [^\n]+\n\Z")
        if done.stdout is not None:
            self.assertEqual(done.stdout, b"")
        for part in [says] if isinstance(says, (str, pathlib.Path)) else says:
            self.assertIn(str(part), message)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before, "files were left behind")
        return message


@functools.lru_cache
def described(program=COMMAND):
    """Returns the tree of subcommands and options, as the program's parser has it: path -> description."""
    def walk(parser, path):
        for inner in parser["subcommands"]:
            yield path + (inner["name"],), inner
            yield from walk(inner, path + (inner["name"],))
    return dict(walk(json.loads(run("--describe", program=program).stdout), ()))


def documented_commands(program=COMMAND):
    return [" ".join(path) for path, parser in described(program).items() if not parser["only_subcommands"]]


def flags(command, program=COMMAND):
    """Returns the long options of a subcommand, without --help."""
    options = described(program)[tuple(command.split())]["options"]
    return sorted({name for o in options for name in o["names"] if name.startswith("--")} - {"--help"})


def completed_flags(command, program=COMMAND):
    """Returns the long options that completions offer for a subcommand, without --help."""
    # Behind the options of `run` stands another program's name: --color would take it as its value.
    return sorted(flags(command, program) + ([] if described(program)[tuple(command.split())]["program"] else ["--color"]))


def bash_completes(folder, name, *words):
    """Returns what bash offers in `folder` for the last of the words behind the program's name."""
    script = (f'source "{WORDS}/completion/{name}.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              f'_{name.replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"')
    return subprocess.run(["bash", "-c", script, "bash", name, *words], capture_output=True, check=True,
                          cwd=folder).stdout.decode().split()


def fish_completes(folder, name, line):
    """Returns what fish offers in `folder` for the line, sorted. Nothing may be on standard error."""
    script = f'source "{WORDS}/completion/{name}.fish"; complete -C {json.dumps(line)}'
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True, cwd=folder,
                          env={**os.environ, "HOME": str(folder)})
    assert done.stderr == b"", (line, done.stderr)
    return sorted(row.split("\t")[0] for row in done.stdout.decode().splitlines())


def zsh_completes(folder, line):
    """Returns what zsh offers in `folder` for the line, sorted, without backslashes."""
    done = subprocess.run(["zsh", "-f", ROOT / "tests" / "cli" / "zsh_completes.zsh", WORDS / "completion", folder,
                           line], capture_output=True, check=True, env={**os.environ, "TERM": "xterm", "HOME": str(folder)})
    return sorted(row.replace("\\", "") for row in done.stdout.decode().splitlines())


def main():
    """Runs the tests of the program that calls it. What it prints is seen at once, even through a pipe."""
    if not COMMAND:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: CALLISTO_COMMAND must name the binary")
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=2)
