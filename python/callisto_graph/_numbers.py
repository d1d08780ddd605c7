"""Numbers that callers pass: checked, so that a wrong one is named instead of being taken for another."""

from __future__ import annotations

import operator
from numbers import Number
from typing import Any

import numpy as np

from ._errors import UsageError

_unbounded = 2**63 - 1


def count(value: Any, name: str, least: int = 1, most: int = _unbounded) -> int:
    """Returns the argument `name`, a number of things, as an int.

    Raises UsageError for a number that is not whole, or not from `least` to `most`; TypeError for what is no number.
    """
    if not isinstance(value, (bool, np.bool_)):
        try:
            made = operator.index(value)
        except TypeError:
            pass
        else:
            if least <= made <= most:
                return made
    expected = f"a whole number of at least {least}" if most == _unbounded else f"a whole number from {least} to {most}"
    if not isinstance(value, (Number, np.bool_)):
        raise TypeError(f"{name} is of type {type(value).__name__}: expected {expected}")
    raise UsageError(f"{name} is {value}: expected {expected}")


def iterations_of(value: Any, least: int = 1) -> int:
    """Returns the argument `iterations` as an int; raises as count() does."""
    return count(value, "iterations", least, 2**32 - 1)


def seed_of(value: Any) -> int:
    """Returns the argument `seed` as an int from 0 to 2^64 - 1; raises as count() does."""
    return count(value, "seed", 0, 2**64 - 1)


def above_0(value: float | None, name: str) -> float:
    """Returns the argument `name` as a float; 0 for None, by which _core knows that there is none.

    Raises UsageError for a number that is not above 0 or not finite.
    """
    if value is None:
        return 0.0
    made = float(value)
    if not 0 < made < float("inf"):
        raise UsageError(f"{name} is {value}: expected a finite number above 0, or None")
    return made
