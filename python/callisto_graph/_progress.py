"""Progress of long calls: a callable, tqdm's bar, or a line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Union

#: What a kernel's `progress` may be: None or False for none, True for a bar (tqdm's if it is installed), or a callable
#: progress(stage, done, total, unit), which may raise to end the kernel. `total` is 0 if it is not known.
Progress = Union[None, bool, Callable[[str, int, int, str], Any]]


class _Bar:
    """A bar of tqdm a stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int, unit: str) -> None:
        if stage != self._stage or self._bar is None or done < self._bar.n:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total or None, desc=stage, unit=" " + unit, unit_scale=True, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """A line on standard error, where tqdm is not installed."""

    def __call__(self, stage: str, done: int, total: int, unit: str) -> None:
        of = f" of {total}" if total else ""
        sys.stderr.write(f"\r\x1b[K{stage}: {done}{of} {unit}")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class reporting:
    """Makes the receiver that _core calls of a user's `progress`: `with reporting(progress) as receiver`."""

    def __init__(self, progress: Progress) -> None:
        self._receiver: Any = None
        if callable(progress):
            self._receiver = progress
        elif progress:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._receiver = _Line()
            else:
                self._receiver = _Bar(tqdm)

    def __enter__(self) -> Any:
        return self._receiver

    def __exit__(self, *exception: object) -> None:
        if isinstance(self._receiver, (_Bar, _Line)):
            self._receiver.close()
