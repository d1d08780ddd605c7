#!/usr/bin/env python3
"""`callisto broker` as a service of systemd: what it says to the service manager, and what its unit may do.

Usage: service_test.py CALLISTO UNIT
A socket of this test plays the manager. No step depends on time: each waits for the next word.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

callisto, unit = sys.argv[1:]


def check(holds, what):
    if not holds:
        sys.exit(f"service_test: {what}")


def run(manager, address, folder):
    policy = folder / "policy.toml"
    policy.write_text("[limits]\njobs_per_user = 3\n")
    environment = {**os.environ, "CALLISTO_COSCHED_DIR": str(folder), "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "300000"}
    # As the manager starts it: the process number is known after the fork.
    broker = subprocess.Popen(
        ["sh", "-c", 'WATCHDOG_PID=$$ exec "$@"', "sh", callisto, "broker", "--quiet", "--policy", policy],
        env=environment, stderr=subprocess.PIPE, text=True)
    heard = []

    def hear(wanted):
        """Reads words until one has `wanted`."""
        while True:
            try:
                word = manager.recv(4096).decode()
            except TimeoutError:
                broker.kill()
                check(False, f"no {wanted}: {heard[-5:]}, {broker.communicate()[1]}")
            heard.append(word)
            if wanted in word:
                return word

    first = hear("READY=1")
    check("no user" not in first and f"policy {policy}" in first, first)
    check((folder / "broker").is_socket(), "ready without a socket")
    for _ in range(3):
        hear("WATCHDOG=1")
    policy.write_text("[limits]\njobs_per_user = 0\n")
    broker.send_signal(signal.SIGHUP)
    check("policy.toml:2: " in hear("the old policy stays"), heard[-1])
    policy.write_text("")
    broker.send_signal(signal.SIGHUP)
    hear(f"policy {policy}")
    broker.terminate()
    hear("STOPPING=1")
    broker.communicate()
    return broker.returncode


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    for number, address in enumerate([str(folder / "manager"), f"@callisto-test-{os.getpid()}"]):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(address.replace("@", "\0"))
            manager.settimeout(60)
            ended = run(manager, address, folder)
    # A manager that is not there, and names that are none.
    for address in [str(folder / "none"), "", "no/path", "/" + "x" * 300]:
        environment = {**os.environ, "CALLISTO_COSCHED_DIR": str(folder), "NOTIFY_SOCKET": address}
        broker = subprocess.Popen([callisto, "broker"], env=environment, stdout=subprocess.PIPE, text=True)
        check("divides" in broker.stdout.readline(), f"no broker with NOTIFY_SOCKET={address}")
        broker.terminate()
        broker.communicate()

text = pathlib.Path(unit).read_text()
check(ended == 0, f"SIGTERM ends the broker with {ended}, which the unit takes for a failure")
check("Type=notify\n" in text and "WatchdogSec=" in text, "the unit is not told of")
if shutil.which("systemd-analyze"):
    with tempfile.TemporaryDirectory() as made:
        # By a name without a folder systemd-analyze would look for the installed one.
        copy = pathlib.Path(made) / "callisto-broker.service"
        copy.write_text(text.replace("/usr/bin/callisto", callisto))
        words = subprocess.run(["systemd-analyze", "security", "--offline=true", copy], capture_output=True, text=True)
        level = re.search(r"exposure level for callisto-broker.service: ([0-9.]+)", words.stdout)
        # A tool that knows no --offline, or runs where it may not, says nothing.
        if level:
            check(float(level[1]) < 2, f"the unit's exposure is {level[1]}")
            print(f"exposure {level[1]}")
