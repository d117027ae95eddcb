"""The ids of questions about sentences, made from their words."""

from __future__ import annotations

from workbench.author.doubts import short_hash


def bound(sentence: str, argument: str) -> str:
    """The id of the question about a bound that a sentence leaves open."""
    return f"boundary:{short_hash(sentence)}:{argument}"


def conflict(permission: str, prohibition: str) -> str:
    """The id of the question which of two sentences takes precedence."""
    return f"conflict:{short_hash(permission)}:{short_hash(prohibition)}"
