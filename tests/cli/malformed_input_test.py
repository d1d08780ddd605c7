#!/usr/bin/env python3
"""Files that are damaged, or no graphs at all.

Usage: malformed_input_test.py [unittest arguments]. Environment: as command.py says.
"""

import gzip
import os
import shutil
import subprocess

from command import COMMAND, INPUT, SANITIZED, CommandTest, main


class MalformedInput(CommandTest):
    def check(self, name, content, says, *options):
        path = self.file(name, content)
        commands = [["info", path], ["pagerank", path, "--output", self.folder / "out"], ["triangles", path],
                    ["convert", path, self.folder / "out.cg"]]
        for command in commands[:1] if SANITIZED else commands:  # the same code reads for all
            with self.subTest(command[0]):
                self.refuse(INPUT, *command, *options, says=says)

    def test_truncated_gzip(self):
        edges = "".join(f"{i}\t{i * 7919 % 10007}\n" for i in range(10007))
        whole = gzip.compress(edges.encode())
        for length in [len(whole) // 2, len(whole) - 5, 15]:
            self.check("t.txt.gz", whole[:length], "t.txt.gz")
        broken = bytearray(whole)
        broken[len(whole) // 2] ^= 0xff
        self.check("t.txt.gz", bytes(broken), "t.txt.gz")
        self.check("t.txt.gz", whole + b"trailing garbage", "t.txt.gz")

    def test_text_where_numbers_belong(self):
        self.check("t.txt", "0 1\n1 two\n", "t.txt:2", "--ids", "numbers")
        self.check("t.txt", "# comment\n\n0 1\nfoo 2\n", "t.txt:4", "--ids", "numbers")
        self.check("t.txt", "a b\n", "t.txt:1", "--ids", "numbers")
        self.check("t.txt", "0 1\n1\n", "t.txt:2")
        self.check("t.txt", "0 1\n1 2\x00\n", "t.txt:2")
        self.check("t.txt", "0 1\n1.5 2\n", "t.txt:2", "--ids", "numbers")

    def test_far_down_a_file(self):
        lines = [f"{i} {i + 1}" for i in range(400000)]
        lines[333332] = "333332 oops"
        self.check("t.txt", "\n".join(lines) + "\n", "t.txt:333333")

    def test_ids_out_of_range(self):
        self.check("t.txt", "0 1\n-1 2\n", "t.txt:2", "--ids", "numbers")
        self.check("t.txt", "0 1\n1 18446744073709551616\n", "t.txt:2", "--ids", "numbers")
        self.check("t.txt", "0 1\n1 99999999999999999999999\n", "t.txt:2", "--ids", "numbers")

    def test_matrix_market_that_lies(self):
        head = "%%MatrixMarket matrix coordinate pattern general\n"
        self.check("t.mtx", head + "3 3 3\n1 2\n2 3\n", "t.mtx")
        self.check("t.mtx", head + "3 3 1\n1 2\n2 3\n", "t.mtx:2")
        self.check("t.mtx", head + "3 3 2\n1 2\n2 4\n", "t.mtx:4")
        self.check("t.mtx", head + "3 3 2\n1 2\n0 3\n", "t.mtx:4")
        self.check("t.mtx", head.replace("general", "symmetric") + "3 4 2\n1 2\n2 3\n", "t.mtx:2")
        self.check("t.mtx", head + "3 3 99999999999999999\n1 2\n", "t.mtx")
        self.check("t.mtx", head, "t.mtx")
        self.check("t.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "t.mtx:1")

    def test_columns(self):
        self.check("t.txt", "0 1\n1 2 3\n", "t.txt:2")
        self.check("t.txt", "0 1 5\n1\n", "t.txt:2")
        self.check("t.txt", "0 1 2 3\n", "t.txt:1", "--format", "weighted-edge-list")

    def test_weights(self):
        self.check("t.txt", "0 1 1.5\n1 2 heavy\n", "t.txt:2")
        self.check("t.txt", "0 1 1.5\n1 2 nan\n", "t.txt:2")

    def test_other_formats(self):
        self.check("t.gr", "p sp 3 2\na 1 2 5\na 1 4 5\n", "t.gr:3")
        self.check("t.gr", "p sp 3 2\na 1 2 5\n", "t.gr")
        self.check("t.graph", "3 2\n2\n1 3\n5\n", "t.graph:4", "--format", "metis")

    def test_nothing_in_it(self):
        self.check("empty.txt", "", "empty.txt")
        self.check("empty.txt.gz", gzip.compress(b""), "empty.txt.gz")
        self.check("comments.txt", "# nothing\n\n", "comments.txt")
        self.refuse(INPUT, "info", "-", stdin=b"", says="standard input")

    def test_no_file(self):
        for command in ["info", "pagerank", "triangles"]:
            self.refuse(INPUT, command, self.folder, says=[self.folder, "directory"])
            self.refuse(INPUT, command, self.folder / "missing.txt", says="missing.txt")
            self.refuse(INPUT, command, self.folder / "two\nlines.txt", says="two lines.txt")
            self.refuse(INPUT, command, "", says="")
        self.refuse(INPUT, "info", "/dev/null", says="/dev/null")

    def test_unreadable(self):
        path = self.file("secret.txt", "0 1\n")
        path.chmod(0)
        command = [COMMAND, "info", str(path)]
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("root can read everything, and setpriv is not installed")
            # The binary may lie in a folder that others cannot enter.
            copy = self.folder / "callisto"
            shutil.copy(COMMAND, copy)
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(copy), *command[1:]]
        done = subprocess.run(command, capture_output=True, timeout=60, cwd="/")
        self.assertEqual(done.returncode, INPUT, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Acallisto: [^\n]*secret\.txt[^\n]*ermission[^\n]*\n\Z")

    def test_damaged_native_files(self):
        graph = self.file("g.txt", "".join(f"{i} {i * 7919 % 1009}\n" for i in range(1009)))
        native = self.folder / "g.cg"
        self.succeed("convert", graph, native)
        whole = native.read_bytes()
        for length in [len(whole) - 1, len(whole) // 2, 64, 9]:
            self.check("t.cg", whole[:length], "t.cg")
        for at in [8, 40]:  # behind the magic number: the header is checked whenever a file is opened
            broken = bytearray(whole)
            broken[at] ^= 0x10
            self.check("t.cg", bytes(broken), "t.cg")
        broken = bytearray(whole)
        broken[-5] ^= 0x10  # in the rows: found when asked for
        path = self.file("t.cg", bytes(broken))
        self.refuse(INPUT, "info", path, "--verify", says="t.cg")
        self.succeed("info", native, "--verify")


if __name__ == "__main__":
    main()
