"""What the search puts together: tools that a sentence may be about, and rules that it may mean."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.language.trees import Tree


@dataclass(frozen=True, slots=True)
class Group:
    """Tools that a sentence may be about: their classes, the words that name them, and what it is worth.

    ``faint`` are words that may name them, by another word for the same.
    """

    classes: tuple[str, ...]
    used: frozenset[int]
    worth: float
    faint: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """A rule that was put together, with the words that it uses.

    ``unsaid`` are those words that turn the sense of the clause and that it does not say. ``clause`` is where
    the clause begins and ends, if each says something of its own. ``outside`` are the words of other clauses
    then, and those of a reason.
    """

    tree: Tree
    used: frozenset[int]
    worth: float
    conditions: int = 0
    unsaid: frozenset[int] = frozenset()
    clause: tuple[int, int] | None = None
    outside: frozenset[int] = frozenset()
