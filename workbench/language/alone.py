"""The lock of those who read or write sentences: readers and writers keep what they did last."""

import threading
from collections.abc import Callable
from functools import wraps

ALONE = threading.RLock()
"""Held while a sentence is read or written, and while it is looked at what was read of it."""


def alone[**Arguments, Value](function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """A function that holds the lock while it runs."""

    @wraps(function)
    def locked(*args: Arguments.args, **named: Arguments.kwargs) -> Value:
        with ALONE:
            return function(*args, **named)

    return locked
