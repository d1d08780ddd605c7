"""How many threads the kernels use."""

from __future__ import annotations

from typing import Optional

from . import _core


class Threads(int):
    """A number of threads. As a context manager it takes back what the call that returned it has set."""

    _before: Optional[int] = None

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            _core.set_threads(self._before)
            self._before = None


def threads(count: Optional[int] = None) -> Threads:
    """Returns the number of threads that kernels use, the calling thread included.

    With `count`, sets it first: `cl.threads(4)`, or for a while `with cl.threads(4): ...`. By default it is one for each
    CPU that the process may use; the environment variable CALLISTO_THREADS sets another. The first call starts the
    threads. The number counts for the whole process.

    Raises UsageError for a count below 1 or above 4096.
    """
    if count is None:
        return Threads(_core.threads())
    from ._numbers import count as checked

    wanted = checked(count, "count", 1, 4096)
    before = _core.threads()
    _core.set_threads(wanted)
    made = Threads(_core.threads())
    made._before = before
    return made


def sharing() -> str:
    """Returns in a few words whether the process shares the machine with other jobs of Callisto, or why not."""
    return str(_core.sharing())
