"""A cache of recent results by content, so that an edit recomputes only the results that it changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock


class Recent[K: Hashable, V]:
    """The most recent results by key, for several threads. Values are shared, so they must not be changed."""

    def __init__(self, most: int) -> None:
        """Keep at most ``most`` results, the least recently used going first."""
        self._most = most
        self._results: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The result for a key; None if it is not kept."""
        with self._lock:
            value = self._results.get(key)
            if value is not None:
                self._results.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Keep a result."""
        with self._lock:
            self._results[key] = value
            self._results.move_to_end(key)
            while len(self._results) > self._most:
                self._results.popitem(last=False)

    def clear(self) -> None:
        """Drop all results."""
        with self._lock:
            self._results.clear()
