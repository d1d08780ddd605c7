#!/usr/bin/env python3
"""Checks on the source text that no compiler makes. Prints each finding; exit status 1 if there is one.

The floors of the house (floors.txt), the seam to the machine, unfinished work, paths of one machine, the style of the
prose (style.py) and the links of the pages (links.py)."""

import os
import re
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
os.chdir(here.parents[1])
findings = 0


def report(place, message):
    global findings
    findings += 1
    print(f"{place}: {message}")


def tracked(*patterns):
    """Files of the working tree that git knows or does not ignore; in a tree without git, all files."""
    try:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *patterns], check=True,
                                capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [str(p) for pattern in patterns or ["*"] for p in Path(".").glob(f"**/{pattern}")
                  if not str(p).startswith("build/")]
    return sorted(f for f in listed if f and os.path.isfile(f))


def read(path):
    return Path(path).read_text(encoding="utf-8", errors="replace")


class floors:
    """What each folder under callisto/, and of lab/, may include."""

    def __init__(self, text):
        self.rooms, self.inside, self.forbidden = {}, {}, set()
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            if line.startswith("never "):
                self.forbidden.add(tuple(line[len("never "):].split(" -> ")))
                continue
            room, order = line.split(": ")
            ranks = {}
            for height, floor in enumerate(order.split(" < ")):
                for side, beside in enumerate(floor.split(" | ")):
                    for folder in beside.split(" + "):
                        name = folder if room == "rooms" else room if folder == "." else f"{room}/{folder}"
                        ranks[name] = (height, side)
            if room == "rooms":
                self.rooms = ranks
            else:
                self.inside[room] = ranks

    def may_use(self, user, used):
        """True if a file of folder `user` may include one of folder `used`."""
        if user == used:
            return True
        if (user, used) in self.forbidden:
            return False
        a, b = user.split("/")[0], used.split("/")[0]
        ranks = self.rooms if a != b else self.inside.get(a, {})
        mine, other = (ranks.get(user if a == b else a), ranks.get(used if a == b else b))
        if mine is None or other is None:
            return False
        return other[0] < mine[0] or mine == other

    def folders(self):
        return set(self.rooms) | {folder for room in self.inside.values() for folder in room}


def check_floors():
    house = floors(read(here / "floors.txt"))
    for path in tracked("callisto/*.hpp", "callisto/*.cpp", "lab/*.hpp", "lab/*.cpp"):
        parts = path.split("/")
        if len(parts) == 2 and parts[0] == "callisto":  # the door
            continue
        folder = "/".join(parts[1 if parts[0] == "callisto" else 0:-1])
        if folder not in house.folders():
            report(path, f"tools/lint/floors.txt does not know the folder {folder}")
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+[<"](?:callisto/([^>"]+)|(lab(?:/[^>"]+)?))/[^/>"]+[>"]', line)
            used = found and (found.group(1) or found.group(2))
            if used and not house.may_use(folder, used):
                report(f"{path}:{number}", f"{folder} may not use {used} (tools/lint/floors.txt)")


def check_seam():
    """The templates between machine/ and graph/ reach atomics, waiting, time and the processor through the machine
    policy only, so that the same code runs on a simulated and on a checked machine."""
    machine = re.compile(
        r"\b(_mm_pause|sched_yield|nanosleep|usleep|syscall|__rdtsc|__builtin_ia32_[a-z]+|pthread_[a-z]+_np)\b"
        r"|std::this_thread::(yield|sleep)|\basm\b|std::atomic\b|std::mutex\b|std::condition_variable\b"
        r"|std::chrono::[a-z]+_clock")
    for room in ("waiting", "cosched", "distributor", "workers", "loop", "domino", "global"):
        for path in tracked(f"callisto/{room}/*.hpp"):
            if "template <machine::policy" not in read(path):
                continue
            for number, line in enumerate(read(path).splitlines(), 1):
                if machine.search(line):
                    report(f"{path}:{number}", f"use the machine policy instead: {line.strip()}")


def check_orders():
    """Above machine/, what orders memory is a template over the machine policy, so that the checked machine runs it;
    orders_beside_the_seam.txt names the files that do without, with the reason. Elsewhere std::atomic is relaxed: a sum,
    a hint, or a claim of one word, which something else orders, such as a loop's end. Each operation states its order."""
    listing = here / "orders_beside_the_seam.txt"
    kept = dict(line.split(": ", 1) for line in read(listing).splitlines() if line and not line.startswith("#"))
    orders = re.compile(r"\bmemory_order_(acquire|release|acq_rel|seq_cst|consume)\b|\batomic_thread_fence\b")
    met = set()
    for path in tracked("callisto/*.hpp", "callisto/*.cpp"):
        if path.startswith("callisto/machine/"):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            code = line.split("//")[0]
            if orders.search(code):
                met.add(path)
                if path not in kept:
                    report(f"{path}:{number}", "an order beside the machine policy: make it a template over the policy, "
                           f"with subjects, or give the reason in {listing.name}")
            if re.search(r"\.load\(\)", code) and "std::atomic" in read(path):
                report(f"{path}:{number}", f"state the order: {line.strip()}")
    for path in sorted(set(kept) - met):
        report(listing, f"{path} has no such order: remove it here")


def check_text():
    unfinished = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
    one_machine = re.compile(r"(^|[^A-Za-z0-9_.])/(home|work|Users)/[a-z]")
    of_no_clone = re.compile(r"(?<!/)\bshared/(peers|papers|design|cases)\b")
    for path in tracked():
        if path.startswith(("tools/lint/", "tests/fuzz/corpus/")) or path.endswith((".svg", ".png")):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            if unfinished.search(line):
                report(f"{path}:{number}", "unfinished work")
            if one_machine.search(line):
                report(f"{path}:{number}", "path of one machine")
            if of_no_clone.search(line):
                report(f"{path}:{number}", "a path that no clone has")


def check_lengths():
    """No file of the library or the laboratory has more than 500 lines."""
    limit = 500
    for path in tracked("*.cpp", "*.hpp"):
        length = len(read(path).splitlines()) if path.startswith(("callisto/", "lab/")) else 0
        if length > limit:
            report(path, f"{length} lines; at most {limit}: give each subject a file")


def check_door():
    """What is installed is what the headers in callisto/ itself include (cmake/public_headers.txt)."""
    listed = read("cmake/public_headers.txt").splitlines()
    needed, queue = set(), [str(path) for path in Path("callisto").glob("*.hpp")]
    while queue:
        path = queue.pop()
        if path in needed or not os.path.isfile(path):
            continue
        needed.add(path)
        queue += re.findall(r'#\s*include\s+[<"](callisto/[^>"]+)[>"]', read(path))
    for path in sorted(needed ^ set(listed)):
        report(path, "cmake/public_headers.txt is not what the public headers include: tools/public_headers.sh --write")


def check_map():
    """ARCHITECTURE.md names each room and the laboratory, and each folder of them."""
    rows = {m[1]: m[2]
            for m in re.finditer(r"^\| \[(\w+)\]\((?:callisto/)?\1/\) \|([^|]*)\|", read("ARCHITECTURE.md"), re.M)}
    if "lab" not in rows:
        report("ARCHITECTURE.md", "does not name lab")
    for folder in sorted({Path(path).parts[1] for path in tracked("lab/*/*.[chp]*")}):
        if "lab" in rows and not re.search(rf"\b{folder}\b", rows["lab"]):
            report("ARCHITECTURE.md", f"does not name lab/{folder}")
    for room in sorted({Path(path).parts[1] for path in tracked("callisto/*/*.hpp")}):
        if room not in rows:
            report("ARCHITECTURE.md", f"does not name the room {room}")
            continue
        for folder in sorted({Path(path).parts[2] for path in tracked(f"callisto/{room}/*/*.hpp")}):
            if not re.search(rf"\b{folder}\b", rows[room]):
                report("ARCHITECTURE.md", f"does not name {room}/{folder}")


def check_environment():
    """docs/reference/environment.md names each variable that the library, the command or callisto-lab reads."""
    named = set(re.findall(r"`([A-Z][A-Z0-9_]*)", read("docs/reference/environment.md")))
    for path in tracked("callisto/*.cpp", "callisto/*.hpp", "lab/experiments/*", "lab/simulate/*"):
        for number, line in enumerate(read(path).splitlines(), 1):
            for name in re.findall(r'getenv\("(\w+)"\)', line):
                if name not in named:
                    report(f"{path}:{number}", f"docs/reference/environment.md does not name {name}")


def check_commits():
    """Subjects of commits have at most 72 characters."""
    first_kept = "0e43a50"  # the last commit before the rule
    log = subprocess.run(["git", "log", "--format=%h %s", f"{first_kept}..HEAD"], capture_output=True, text=True)
    for line in log.stdout.splitlines() if log.returncode == 0 else []:
        commit, subject = line.split(" ", 1)
        if len(subject) > 72:
            report(commit, f"a subject of {len(subject)} characters: {subject}")


check_floors()
check_seam()
check_orders()
check_text()
check_lengths()
check_door()
check_map()
check_environment()
check_commits()
for other in ("style.py", "links.py"):
    if subprocess.run([sys.executable, here / other], check=False).returncode != 0:
        findings += 1
sys.exit(1 if findings else 0)
