"""The exceptions of callisto_graph. Each is also one of Python's own, so that `except ValueError` works."""


class Error(Exception):
    """The base of all exceptions that Callisto raises."""


class UsageError(Error, ValueError):
    """An argument, or an environment variable, that is not valid."""


class WeightError(UsageError):
    """A graph has a weight that the kernel cannot use."""


class NoCentralityError(UsageError):
    """The graph has no such centrality."""


class InputError(Error, ValueError):
    """A file that cannot be read, or does not hold what its format promises; the message names file and line."""


class OutputError(Error, OSError):
    """A result that cannot be written; nothing partial is left behind."""


class OutOfMemoryError(Error, MemoryError):
    """Work that would not fit in memory, refused before it begins."""


class CancelledError(Error, RuntimeError):
    """The interpreter ends while the kernel runs."""
