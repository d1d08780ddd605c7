#!/usr/bin/env python3
"""`callisto-lab limits`, with a program of known times in the place of callisto-lab-swept.

Usage: limits_test.py [unittest arguments]. Environment: as command.py says.
"""

import pathlib
import sys
import unittest

from command import LAB, USAGE, CommandTest, main

SWEPT = pathlib.Path(LAB).parent / "callisto-lab-swept"


class Limits(CommandTest):
    # A search takes as many seconds as `alpha` says, whatever `beta` is.
    PROGRAM = """#!{python}
import sys
values = {{"bfs.alpha": 6.0, "bfs.beta": 24.0, "spin.long_us": 200.0}}
log = open("{log}", "w")
for line in sys.stdin:
    log.write(line)
    log.flush()
    verb, *rest = line.split()
    if verb == "describe":
        for name, value in values.items():
            print("limit", name, int(value), "share")
        print("workload bfs.grid bfs a grid")
        print("workload loop.short spin short loops")
        print("end")
    elif verb == "set":
        values[rest[0]] = float(rest[1])
        print("ready")
    elif verb == "run" and "{cheat}" == "wrong" and values["bfs.alpha"] > 6:
        print("error the result depends on a limit")
    elif verb == "run" and "{cheat}" == "die":
        print("alas", file=sys.stderr)
        sys.exit(3)
    else:
        print("ready" if verb == "prepare" else "time %g" % values["bfs.alpha"])
    sys.stdout.flush()
"""

    def program(self, cheat=""):
        self.file("log", "")
        path = self.folder / "swept"
        path.write_text(self.PROGRAM.format(python=sys.executable, log=self.folder / "log", cheat=cheat))
        path.chmod(0o755)
        return ["--program", path]

    def log(self):
        return (self.folder / "log").read_text().splitlines()

    def test_measures_each_value_in_turns(self):
        result = self.json("limits", "bfs", *self.program(), "--rounds", "2", "--scale", "10")
        alpha, beta = result["limits"]
        self.assertEqual((alpha["limit"], alpha["workload"], alpha["value"], alpha["unit"]),
                         ("bfs.alpha", "bfs.grid", 6, "share"))
        self.assertEqual(alpha["values"], [2, 3, 6, 12, 24])
        self.assertEqual(alpha["least_seconds"], [2, 3, 6, 12, 24])
        self.assertEqual((alpha["flatness"], alpha["chance"]), (12, 1))
        self.assertEqual(beta["values"], [6, 12, 24, 48, 96])
        self.assertEqual(beta["least_seconds"], [6] * 5)
        self.assertEqual((beta["flatness"], beta["chance"]), (1, 1))
        log = self.log()
        self.assertEqual(log[:3], ["describe", "prepare bfs.grid 10", "run"])
        self.assertEqual(log.count("run"), 1 + 2 * 6 * 2)
        # The second round begins with the second value; at the end the limit has its own value again.
        self.assertEqual([line for line in log if "alpha" in line][5:8],
                         ["set bfs.alpha 6", "set bfs.alpha 3", "set bfs.alpha 6"])
        self.assertEqual([line for line in log if "alpha" in line][-1], "set bfs.alpha 6")

    def test_prints_a_table(self):
        text = self.succeed("limits", "bfs.alpha", *self.program(), "--rounds", "1", "--most", "2")
        self.assertRegex(text, r"(?m)^workload +limit +value +ms +/ 2 +x 2 +flatness +chance$")
        self.assertRegex(text, r"(?m)^bfs.grid +bfs.alpha +6 share +6000.00 +0.500 +2.000 +4.000 +1.000$")

    def test_lists(self):
        text = self.succeed("limits", "--list", *self.program())
        self.assertRegex(text, r"(?m)^spin.long_us +200 +share$")
        self.assertRegex(text, r"(?m)^loop.short +spin +short loops$")
        result = self.json("limits", "--list", *self.program())
        self.assertEqual([limit["limit"] for limit in result["limits"]], ["bfs.alpha", "bfs.beta", "spin.long_us"])
        self.assertEqual(result["workloads"][0], {"workload": "bfs.grid", "tables": ["bfs"], "what": "a grid"})

    def test_a_result_that_depends_on_a_limit(self):
        self.refuse(1, "limits", *self.program("wrong"), says=["cannot 'run'", "the result depends on a limit"])

    def test_a_program_that_ends(self):
        self.refuse(1, "limits", *self.program("die"), says=["exit code 3", "alas"])

    def test_usage(self):
        program = self.program()
        self.refuse(USAGE, "limits", "bfs.gamma", *program, says=["bfs.gamma", "--list"])
        self.refuse(USAGE, "limits", "--workload", "bfs.sea", *program, says=["--workload", "bfs.sea"])
        self.refuse(USAGE, "limits", "bfs", "--workload", "loop.short", *program, says="no workload depends")
        self.refuse(USAGE, "limits", "--most", "3", *program, says=["--most", "2, 4 or 8"])
        self.refuse(USAGE, "limits", "--rounds", "0", *program, says="--rounds")
        self.refuse(USAGE, "limits", "--scale", "40", *program, says="--scale")

    @unittest.skipUnless(SWEPT.exists(), "no callisto-lab-swept in this build")
    def test_the_kernels(self):
        listed = {limit["limit"]: limit for limit in self.json("limits", "--list")["limits"]}
        self.assertEqual((listed["bfs.alpha"]["value"], listed["bfs.alpha"]["unit"]), (6, "share"))
        result = self.json("limits", "--scale", "8", "--rounds", "1", "--most", "2")
        measured = {row["limit"] for row in result["limits"]}
        self.assertEqual(measured, set(listed))  # each limit has a workload
        for row in result["limits"]:
            self.assertTrue(all(seconds > 0 for seconds in row["least_seconds"]), row)


if __name__ == "__main__":
    main()
