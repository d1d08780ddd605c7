# Commands for gdb that show activations, which have stacks of their own and no thread while they do not run:
#
#   (gdb) source tools/gdb/callisto-gdb.py
#   (gdb) callisto activations          every activation: number, state, worker, where it stands
#   (gdb) callisto backtrace 7          the stack of activation 7
#   (gdb) callisto backtrace all        of all that are suspended or orphaned
#
# Reads the lists of callisto/workers/activations/debugger.hpp by their layout, so that programs need no debug information. A backtrace
# of an activation borrows the registers of the selected thread for a moment, so it needs a live process, on x86-64.
import contextlib
import struct

import gdb

VERSION = 1
STATES = ["idle", "running", "suspended", "orphaned"]
ENTRY = struct.Struct("=QQQQQII")  # next, previous, owner, stack, number, state, worker
SET = struct.Struct("=QQ")  # next, first
# From the saved stack pointer up (callisto/machine/fibers/fiber.cpp): control words, then these.
SAVED = ["r15", "r14", "r13", "r12", "rbx", "rbp", "rip"]


def read(address, layout):
    return layout.unpack(gdb.selected_inferior().read_memory(address, layout.size).tobytes())


def word(address):
    return read(address, struct.Struct("=Q"))[0]


def address_of(symbol):
    try:
        return int(gdb.parse_and_eval(f"(unsigned long)&{symbol}"))
    except gdb.error:
        raise gdb.GdbError(f"no symbol {symbol}: the program does not use Callisto's workers, or is not loaded yet")


class Activation:
    def __init__(self, set_number, entry):
        _, _, self.owner, stack, self.number, state, self.worker = entry
        self.set_number = set_number
        self.state = STATES[state] if state < len(STATES) else f"state {state}?"
        self.stack_pointer = word(stack) if stack else None

    def has_stack(self):
        """Whether its stack is there to be looked at: not idle, and not on a worker's thread, where `bt` shows it."""
        return self.stack_pointer is not None and self.state in ("suspended", "orphaned")

    def registers(self):
        at = self.stack_pointer + 8
        found = {name: word(at + 8 * i) for i, name in enumerate(SAVED)}
        found["rsp"] = at + 8 * len(SAVED)
        return found


def activations():
    version = read(address_of("callisto_debug_version"), struct.Struct("=I"))[0]
    if version != VERSION:
        raise gdb.GdbError(f"this script reads version {VERSION} of Callisto's lists, the program has version {version}")
    found = []
    at_set, set_number = word(address_of("callisto_debug_sets")), 0
    while at_set:
        next_set, at = read(at_set, SET)
        while at:
            entry = read(at, ENTRY)
            found.append(Activation(set_number, entry))
            at = entry[0]
        at_set, set_number = next_set, set_number + 1
    return sorted(found, key=lambda a: (a.set_number, a.number))


@contextlib.contextmanager
def borrowed_registers(values):
    """The selected thread looks as if it stood at `values`; put right afterwards, the interrupted system call, too."""
    gdb.execute("frame 0", to_string=True)
    before = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in values}
    orig_rax = int(gdb.parse_and_eval("(long)$orig_rax"))
    try:
        for name, value in values.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)
        gdb.execute("frame 0", to_string=True)
        yield
    finally:
        for name, value in before.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)
        gdb.execute(f"set $orig_rax = {orig_rax}", to_string=True)
        gdb.execute("frame 0", to_string=True)


def name_of(address):
    text = gdb.execute(f"info symbol {address}", to_string=True)
    return text.split(" in section")[0].strip() if " in section" in text else hex(address)


class Callisto(gdb.Command):
    """Shows what Callisto's workers do: callisto activations, callisto backtrace NUMBER|all."""

    def __init__(self):
        super().__init__("callisto", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


class Activations(gdb.Command):
    """callisto activations: every activation of every set of workers."""

    def __init__(self):
        super().__init__("callisto activations", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        found = activations()
        print(f"{'set':>3}  {'number':>6}  {'state':<9}  {'worker':>6}  stands in")
        for a in found:
            worker = "" if a.state == "idle" else str(a.worker)
            where = name_of(a.registers()["rip"]) if a.has_stack() else ""
            print(f"{a.set_number:>3}  {a.number:>6}  {a.state:<9}  {worker:>6}  {where}".rstrip())
        print(f"{len(found)} activations, {sum(a.has_stack() for a in found)} stopped")


class Backtrace(gdb.Command):
    """callisto backtrace NUMBER|all: the stacks of activations that are stopped."""

    def __init__(self):
        super().__init__("callisto backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        wanted = argument.strip()
        if wanted != "all" and not wanted.isdigit():
            raise gdb.GdbError("callisto backtrace: expected the number of an activation, or all")
        chosen = [a for a in activations() if wanted == "all" or a.number == int(wanted)]
        if wanted != "all":
            if not chosen:
                raise gdb.GdbError(f"callisto backtrace: no activation {wanted}")
            for a in chosen:
                if not a.has_stack():
                    raise gdb.GdbError(f"activation {a.number} is {a.state}: no stack of a stopped activation to show")
        for a in chosen:
            if not a.has_stack():
                continue
            print(f"Activation {a.number} of set {a.set_number}, {a.state}, last on worker {a.worker}:")
            with borrowed_registers(a.registers()):
                gdb.execute("backtrace")
            print()


Callisto()
Activations()
Backtrace()
