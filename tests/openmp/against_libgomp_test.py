#!/usr/bin/env python3
"""Compares Callisto's libgomp.so.1 with the installed one: its exports, and how it reads its environment.

Usage: against_libgomp_test.py OUR_LIBRARY. Exit status 77, which skips the test: there is no
installed libgomp.so.1 of GCC, or no readelf.
"""

import collections
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OURS = None
STOCK = None


def run(*command, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "ACC_"))}
    return subprocess.run(command, env=clean | environment, capture_output=True, text=True, check=False)


def stock_library():
    """Returns where the loader finds libgomp.so.1; None if that is not GCC's."""
    for line in run("ldconfig", "-p").stdout.splitlines():
        if line.strip().startswith("libgomp.so.1 "):
            path = line.split("=>")[-1].strip()
            if "OACC_2.0" in run("readelf", "-VW", path).stdout:
                return path
    return None


def exports(library):
    """Returns {"name@node"}; default versions are written with one @, too."""
    names = set()
    for line in run("readelf", "--dyn-syms", "-W", library).stdout.splitlines():
        fields = line.split()
        if len(fields) >= 8 and "@" in fields[7] and fields[6] != "UND":
            names.add(fields[7].replace("@@", "@"))
    return names


def defaults(library):
    text = run("readelf", "--dyn-syms", "-W", library).stdout
    return {word for word in text.split() if "@@" in word}


def nodes(library):
    text = run("readelf", "-VW", library).stdout.split("Version needs")[0]
    return set(re.findall(r"Name: (\S+)$", text, re.MULTILINE))


def displayed(library, **environment):
    return run("/bin/true", LD_PRELOAD=library, **environment).stderr


def comparable(text, variables):
    """Returns the comparable part of libgomp's text since GCC 13. It quotes parts of invalid values, and shows some
    variables as they were before they took effect."""
    if "[host]" not in text:
        return text
    if "OMP_MAX_TASK_PRIORITY" in variables or "OMP_THREAD_LIMIT" in variables:
        text = re.sub(r"\n*libgomp: Invalid .*\n|OMP_(MAX_TASK_PRIORITY|THREAD_LIMIT) = .*", "", text)
    if "environment variable OMP_NUM_THREADS" in text:
        text = re.sub(r"OMP_NUM_THREADS = .*", "", text)
    text = re.sub(r"OMP_(NESTED|MAX_ACTIVE_LEVELS|PROC_BIND) = .*", "", text)
    return re.sub(r"(libgomp: Invalid value for environment variable \w+).*", r"\1", text)


Cost = collections.namedtuple("Cost", "calls faults")


def start_cost(library):
    """Returns the system calls and page faults of `true` with a library preloaded; 0 calls if it cannot be traced."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    trace_me, next_call = 0, 24
    child = os.fork()
    if child == 0:
        if ptrace(trace_me, 0, None, None) != 0:
            os._exit(0)
        os.execve("/bin/true", ["true"], {"LD_PRELOAD": library})
    stops = 0
    while True:
        _, status, used = os.wait4(child, 0)
        if not os.WIFSTOPPED(status):
            return Cost(stops // 2, used.ru_minflt)
        stops += 1
        ptrace(next_call, child, None, None)


class Exports(unittest.TestCase):
    def is_ours_to_have(self, name):
        return not re.search(r"@(OACC|GOACC|GOMP_PLUGIN)_", name)

    def test_symbols_are_a_superset(self):
        missing = {name for name in exports(STOCK) - exports(OURS) if self.is_ours_to_have(name)}
        self.assertGreater(len(exports(STOCK)), 300)
        self.assertEqual(missing, set())

    def test_default_versions_are_the_same(self):
        missing = {name for name in defaults(STOCK) - defaults(OURS) if self.is_ours_to_have(name)}
        self.assertEqual(missing, set())

    def test_nodes_are_a_superset(self):
        self.assertIn("GOMP_4.0", nodes(STOCK))
        self.assertEqual(nodes(STOCK) - nodes(OURS), set())

    def test_nothing_else_is_exported(self):
        nodes_of_c = {
            "2.2.5": "arch_prctl capset ioperm iopl nice personality prctl pthread_setschedparam sched_setparam "
                     "sched_setscheduler setfsgid setfsuid setpriority syscall "
                     "getrusage initgroups nanosleep poll popen pselect pthread_create pthread_kill pthread_sigmask raise recv "
                     "recvfrom sched_yield select sem_timedwait send sendmsg sendto setegid seteuid setgid setgroups setregid "
                     "setresgid setresuid setreuid setuid sigaction sigaltstack siginterrupt signal sigprocmask sleep system usleep write writev",
            "2.3.2": "epoll_wait",
            "2.3.3": "timer_create",
            "2.3.4": "pthread_setaffinity_np pthread_setschedprio sched_getaffinity sched_setaffinity",
            "2.4": "__recv_chk __recvfrom_chk ppoll pthread_mutexattr_setprotocol unshare",
            "2.6": "epoll_pwait",
            "2.11": "pthread_sigqueue",
            "2.12": "pthread_getname_np pthread_setname_np",
            "2.14": "setns",
            "2.15": "posix_spawn posix_spawnp",
            "2.16": "__poll_chk __ppoll_chk",
            "2.17": "clock_gettime clock_nanosleep",
            "2.25": "getrandom",
            "2.28": "thrd_sleep",
            "2.30": "gettid sem_clockwait tgkill",
            "2.32": "pthread_sigmask",
            "2.34": "pthread_setschedprio pthread_create pthread_getname_np pthread_kill pthread_mutexattr_setprotocol pthread_setaffinity_np "
                    "pthread_setname_np pthread_sigqueue sem_clockwait sem_timedwait timer_create",
            "2.35": "epoll_pwait2",
            "2.41": "sched_setattr",
        }
        of_c = {f"{name}@GLIBC_{node}" for node, names in nodes_of_c.items() for name in names.split()}
        others = {name for name in exports(OURS)
                  if not re.match(r"(omp_|GOMP_|GOACC_|G?OMP_\d|GLIBC_\d)|(__kmpc_|kmpc?_|ompc_)\w+@VERSION$", name)}
        self.assertEqual(others, of_c)

    def test_names_of_clang(self):
        # Compilers emit none of these, or only for devices; a program that needs one keeps its libomp.
        lacking = {"__kmpc_calc_original_ivs_rectang", "__kmpc_for_collapsed_init", "__kmpc_invoke_task_func",
                   "__kmpc_omp_get_target_async_handle_ptr", "__kmpc_omp_has_task_team",
                   "__kmpc_process_loop_nest_rectang", "__kmpc_task_get_depnode", "__kmpc_task_get_successors"}
        ours = exports(OURS)
        self.assertGreater(len({name for name in ours if name.startswith("__kmpc_atomic_")}), 330)
        for name in ("__kmpc_fork_call", "omp_get_thread_num", "omp_set_nest_lock", "kmp_malloc", "ompc_set_nested"):
            self.assertIn(name + "@VERSION", ours)
        paths = re.findall(r"libomp\.so\.5 .*=> (\S+)", run("ldconfig", "-p").stdout)
        for path in paths:
            theirs = {name for name in exports(path) if name.startswith("__kmpc_")}
            self.assertLessEqual({name.split("@")[0] for name in theirs - ours}, lacking)


class Libraries(unittest.TestCase):
    """Libraries that a program gets beside this one."""

    def needed(self, library):
        return set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", library).stdout))

    def test_few_are_loaded(self):
        self.assertIn("libc.so.6", self.needed(STOCK))
        if "libstdc++.so.6" in self.needed(OURS):
            self.skipTest("built without a static libstdc++")
        allowed = r"(libc|libpthread|libdl|librt|ld-linux.*)\.so\.\d+"
        self.assertEqual({name for name in self.needed(OURS) if not re.fullmatch(allowed, name)}, set())

    def test_a_program_starts_as_with_the_stock_library(self):
        if "libstdc++.so.6" in self.needed(OURS):
            self.skipTest("built without a static libstdc++")
        # The least of a few: the process that starts the program has faults, too.
        ours, stock = (Cost(*map(min, *(start_cost(library) for _ in range(4)))) for library in (OURS, STOCK))
        if stock.calls < 20:
            self.skipTest("this system traces no program")
        # Before the first region nothing of the machine is read: no group, no quota, no topology.
        self.assertLess(ours.calls, stock.calls + 10)
        self.assertLess(ours.faults, stock.faults + 25)

    def test_hwloc_is_opened_when_it_is_asked_for(self):
        machine = " ".join(f"{kind}:{count}" for kind, count in (("core", 1), ("pu", max(os.sched_getaffinity(0)) + 2)))
        plain = displayed(OURS, OMP_DISPLAY_ENV="true", OMP_PLACES="cores")
        made_up = displayed(OURS, OMP_DISPLAY_ENV="true", OMP_PLACES="cores", HWLOC_SYNTHETIC=machine)
        self.assertNotIn("},{", made_up)
        self.assertIn("OMP_PLACES = '{", made_up)
        if plain == made_up:
            self.skipTest("the machine has one core")


class Refusals(unittest.TestCase):
    @unittest.skipUnless(shutil.which("gcc"), "no gcc")
    def test_openacc_is_refused_in_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            text = "int main() { int a = 0;\n#pragma acc parallel copy(a)\na = 1; return a; }"
            built = subprocess.run(["gcc", "-fopenacc", "-x", "c", "-", "-o", program], input=text, text=True, check=False)
            self.assertEqual(built.returncode, 0)
            ended = run(program, LD_PRELOAD=OURS)
            self.assertEqual(ended.returncode, 1)
            self.assertRegex(ended.stderr, r"^\nlibgomp: GOACC_\w+: Callisto does not support OpenACC.*\n$")


class Environment(unittest.TestCase):
    """The text of OMP_DISPLAY_ENV for many environments, word for word."""

    def same(self, **environment):
        environment.setdefault("OMP_DISPLAY_ENV", "verbose")
        # Without a setting, Callisto chooses the number of threads if a quota limits the processors.
        environment.setdefault("OMP_NUM_THREADS", "3")
        with self.subTest(**environment):
            ours = displayed(OURS, **environment)
            self.assertEqual(comparable(ours, environment), comparable(displayed(STOCK, **environment), environment))
            return ours

    def each(self, variable, *values):
        for value in values:
            self.same(**{variable: value})

    def test_plain(self):
        self.assertIn("_OPENMP = '201511'", self.same())
        self.assertNotIn("GOMP_SPINCOUNT", self.same(OMP_DISPLAY_ENV="true"))
        self.assertEqual(self.same(OMP_DISPLAY_ENV="false"), "")
        self.assertIn("Invalid value", self.same(OMP_DISPLAY_ENV="perhaps"))

    def test_threads(self):
        self.each("OMP_NUM_THREADS", "7", " 8 ", "4,3,2", "4 , 3", "0", "-1", "x", "4,", "", "4,0", "3x")
        self.each("OMP_THREAD_LIMIT", "5", "0", "2147483648", "many")
        self.each("OMP_DYNAMIC", "true", "FALSE", "1", " true ")
        # libgomp reports this as invalid, and uses it.
        self.assertIn("OMP_DYNAMIC = 'FALSE'", displayed(OURS, OMP_DYNAMIC="truely", OMP_DISPLAY_ENV="true"))
        self.each("OMP_NESTED", "true", "false", "yes")
        self.each("OMP_MAX_ACTIVE_LEVELS", "0", "1", "7", "300", "-1", "a")
        self.same(OMP_NESTED="true", OMP_MAX_ACTIVE_LEVELS="3")
        self.same(OMP_NESTED="false", OMP_NUM_THREADS="2,2")

    def test_schedule(self):
        self.each("OMP_SCHEDULE", "static", "dynamic", "guided", "auto", "STATIC,4", "dynamic , 5", "guided,0",
                  "static,0",
                  "monotonic:dynamic", "nonmonotonic:static", "nonmonotonic : guided, 3", "monotonic:static,2",
                  "monotonic dynamic", "fair")
        self.each("OMP_SCHEDULE", "static,", "dynamic,x", "static;3", "guided,5,", "nonmonotonic:static,99999999999")
        # libgomp reads it as a size.
        self.assertIn("environment variable OMP_SCHEDULE",
                      displayed(OURS, OMP_SCHEDULE="dynamic,-1", OMP_DISPLAY_ENV="true"))

    def test_binding_and_places(self):
        self.each("OMP_PROC_BIND", "true", "false", "close", "spread,close", "master, primary", "true,close", "near",
                  "close,")
        cpu = min(os.sched_getaffinity(0))
        self.each("OMP_PLACES", f"{{{cpu}}}", f"{{{cpu}:1}}", "threads", "threads(1)", "cores", "sockets", f"{cpu}", "{",
                  "",
                  "threads(", f"{{{cpu}}},!{{{cpu}}}x", "chairs")
        self.each("GOMP_CPU_AFFINITY", f"{cpu}", f"{cpu}-{cpu}", f"{cpu}-{cpu + 4}:2", f"{cpu},{cpu}")
        self.same(OMP_PROC_BIND="false", OMP_PLACES="threads")
        self.same(OMP_PLACES="threads", GOMP_CPU_AFFINITY=f"{cpu}")

    def test_waiting_and_stacks(self):
        self.each("OMP_WAIT_POLICY", "active", "passive", "PASSIVE ", "sometimes")
        self.each("GOMP_SPINCOUNT", "17", "3k", "2m", "1g", "1t", "infinite", "INFINITY", "99999999999t", "3x", "k")
        self.each("OMP_STACKSIZE", "65536b", "1000k", "3m", "1g", "2000", " 3 m ", "3q", "x", "99999999999999999999")
        self.same(OMP_STACKSIZE="3m", GOMP_STACKSIZE="5m")
        self.same(GOMP_STACKSIZE="5m")
        self.same(OMP_STACKSIZE="oops", GOMP_STACKSIZE="5m")

    def test_the_rest(self):
        self.each("OMP_CANCELLATION", "true", "false", "maybe")
        self.each("OMP_DEFAULT_DEVICE", "0", "4", "-1", "2147483648")
        self.each("OMP_MAX_TASK_PRIORITY", "0", "9", "-1")
        self.each("OMP_DISPLAY_AFFINITY", "true", "false", "x")
        self.each("OMP_AFFINITY_FORMAT", "%n of %N", "")
        self.each("OMP_ALLOCATOR", "omp_high_bw_mem_alloc", "OMP_THREAD_MEM_ALLOC", "heap")
        self.each("OMP_TARGET_OFFLOAD", "mandatory", "Disabled", "default", "no")
        self.each("OMP_NUM_TEAMS", "4", "0", "x")
        self.each("OMP_TEAMS_THREAD_LIMIT", "4", "0")


PROGRAM = """
#include <omp.h>
int main() {
  for (int round = 0; round < 2; ++round) {
    #pragma omp parallel num_threads(3)
    ;
  }
  #pragma omp parallel num_threads(2)
  ;
  for (int round = 0; round < 2; ++round) {
    #pragma omp target
    #pragma omp parallel num_threads(2)
    ;
  }
  return 0;
}
"""


class Affinity(unittest.TestCase):
    """OMP_DISPLAY_AFFINITY: each thread prints its affinity in its first region."""

    @unittest.skipUnless(shutil.which("gcc"), "no gcc")
    def test_display(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            built = subprocess.run(["gcc", "-fopenmp", "-x", "c", "-", "-o", program], input=PROGRAM, text=True, check=False)
            self.assertEqual(built.returncode, 0)
            lines = [sorted(run(program, LD_PRELOAD=library, OMP_DISPLAY_AFFINITY="true",
                                OMP_AFFINITY_FORMAT="level %L thread %0.4n of %{num_threads}, under %a, [%.5t] [%3T] %%")
                            .stderr.splitlines()) for library in (OURS, STOCK)]
            self.assertEqual(*lines)
            self.assertIn("level 1 thread 0002 of 3, under 0, [    0] [1  ] %", lines[0])


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isfile(sys.argv[1]):
        sys.exit(__doc__)
    OURS = os.path.abspath(sys.argv.pop())
    STOCK = stock_library() if shutil.which("readelf") else None
    if STOCK is None:
        print("there is no libgomp.so.1 of GCC, or no readelf, to compare with")
        sys.exit(77)
    unittest.main()
