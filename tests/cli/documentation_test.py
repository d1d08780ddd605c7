#!/usr/bin/env python3
"""Manual pages, the reference and completions, as a user meets them.

Usage: documentation_test.py [unittest arguments]. Environment: as command.py says.
"""

import os
import re
import shutil
import subprocess

from command import ROOT, WORDS, CommandTest, bash_completes, completed_flags, described, documented_commands, fish_completes, flags, main, zsh_completes
from kernels import KERNELS, NO_KERNELS


class Documentation(CommandTest):
    def test_programs_of_pages_are_examples(self):
        """The blocks of the page on graphs in C++ stand in the example, which is compiled and run, and in its output."""
        page = (ROOT / "docs" / "how-to" / "graphs-in-cpp.md").read_text(encoding="utf-8")
        there = {"cpp": (ROOT / "examples" / "graph_from_arrays.cpp").read_text(encoding="utf-8"),
                 "": (ROOT / "examples" / "expected" / "graph_from_arrays.txt").read_text(encoding="utf-8")}
        lines = {kind: [line.strip() for line in text.splitlines()] for kind, text in there.items()}
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertEqual([kind for kind, _ in blocks], ["cpp"] * 4 + [""])
        for kind, text in blocks:
            block = [line.strip() for line in text.splitlines()]
            self.assertTrue(any(lines[kind][i:i + len(block)] == block for i in range(len(lines[kind]))), text)

    """Manual pages and completions are made from the parser while the programs are built. Here they are used."""

    def test_help_has_what_is_described(self):
        for command in documented_commands():
            text = self.succeed(*command.split(), "--help")
            for flag in flags(command):
                self.assertRegex(text, rf"(?m)^  (-\w, )?{flag}( |$)", command)

    def test_manual_pages(self):
        pages = sorted([*(ROOT / "docs" / "man").glob("*.1"), *(WORDS / "man").glob("*.1")])
        text = "".join(page.read_text() for page in pages)
        for command in documented_commands():
            self.assertEqual(text.count(f".Ss callisto {command}\n"), 1, command)
        if shutil.which("man") and shutil.which("groff"):
            for page in pages:
                done = subprocess.run(["man", "--warnings=all", "-l", "-P", "cat", str(page)], capture_output=True,
                                      env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
                self.assertEqual((done.returncode, done.stderr), (0, b""), page.name)
        if shutil.which("mandoc"):
            for page in pages:
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", str(page)], capture_output=True, text=True)
                # Pages of other packages need not be installed; nor those of this one.
                serious = [line for line in done.stdout.splitlines()
                           if "input text line longer than 80 bytes" not in line and "referenced manual not found" not in line]
                self.assertEqual(serious, [], page.name)

    def test_each_kernel_is_declared_and_tried(self):
        graphs = {name: parser for (name, *inner), parser in described().items() if parser["subject"] == "Graphs" and not inner}
        self.assertEqual(set(graphs), set(KERNELS) | NO_KERNELS)
        for name, row in KERNELS.items():
            with self.subTest(name):
                for what in ("weights", "memory", "keys"):
                    self.assertTrue(graphs[name][what], f"the parser of {name} says nothing about {what}")
                self.assertLessEqual(set(row.get("slow", [])), set(row.get("verify", [])))
                self.assertLessEqual(set(row), {"verify", "slow", "memory", "weights", "keys"})

    def test_completions_are_scripts(self):
        for shell, name in [("bash", "callisto.bash"), ("zsh", "_callisto"), ("fish", "callisto.fish"),
                            ("bash", "callisto-lab.bash"), ("zsh", "_callisto-lab"), ("fish", "callisto-lab.fish")]:
            if shutil.which(shell):
                subprocess.run([shell, "-n", str(WORDS / "completion" / name)], check=True)

    def test_bash_completes(self):
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")

        def complete(*words):
            return bash_completes(self.folder, "callisto", *words)
        self.file("graph.txt", "")
        self.assertEqual(complete("tri"), ["triangles"])
        for command in documented_commands():
            self.assertEqual(sorted(set(complete(*command.split(), "--")) - {"--help"}), completed_flags(command), command)
        self.assertEqual(complete("info", "--color", ""), ["auto", "always", "never"])
        self.assertEqual(complete("generate", ""), ["kronecker", "uniform", "power-law", "grid"])
        self.assertEqual(complete("generate", "grid", ""), ["graph.txt"])
        self.assertEqual(complete("info", "gra"), ["graph.txt"])
        self.assertEqual(complete("info", "--format", "gapbs-s"), ["gapbs-sg"])
        self.assertEqual(complete("run", "--weight", "3", "--", "callisto", "pag"), ["pagerank"])
        self.assertEqual(complete("help", "pag"), ["pagerank"])

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")

        def complete(line):
            return fish_completes(self.folder, "callisto", line)
        self.file("graph.txt", "")
        self.assertEqual(complete("callisto pager"), ["pagerank"])
        self.assertEqual(set(complete("callisto pagerank --separator ")), {"tab", "blank", ",", ";", "|"})
        self.assertEqual(complete("callisto generate "), ["grid", "kronecker", "power-law", "uniform"])
        self.assertEqual(complete("callisto info gra"), ["graph.txt"])
        self.assertNotIn("graph.txt", complete("callisto set "))
        self.assertIn("--damping", complete("callisto pagerank --d"))
        self.assertIn("pagerank", complete("callisto run -- callisto pag"))

    def test_zsh_completes(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        self.file("graph.txt", "")
        for line, offered in [("callisto pager", ["pagerank"]),
                              ("callisto generate ", ["grid", "kronecker", "power-law", "uniform"]),
                              ("callisto info gra", ["graph.txt"]), ("callisto pagerank --damp", ["--damping"])]:
            self.assertEqual(zsh_completes(self.folder, line), offered, line)
        self.assertEqual(set(zsh_completes(self.folder, "callisto pagerank --separator ")), {"tab", "blank", ",", ";", "|"})


if __name__ == "__main__":
    main()
