"""Limits over several actions: counts and totals, as arguments that the agent spec declares.

"More than 3 times per day", "more than 1,000 EUR in total": each is a comparison of an argument whose
description or name says what it counts and over which window. A limit that no argument counts is not read.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.author.argument_terms import (
    argument_of,
    atoms,
    compared,
    map_atoms,
    names,
    value_listing,
    variable,
)
from workbench.author.rules.argument_binding import UnreadableError, is_aggregate, words_of
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.words import split_words, stem
from workbench.model import Argument, Kind
from workbench.policy.terms import Compare, Comparison, Term

_RUN = ("task", "run", "session", "conversation", "trace", "chat")
_WINDOW_WORDS = {
    "day": ("day", "daily", "today"),
    "week": ("week", "weekly"),
    "month": ("month", "monthly"),
    "year": ("year", "yearly"),
    "hour": ("hour", "hourly"),
    "minute": ("minute",),
}
_IN_WINDOW = frozenset(
    stem(word) for words in _WINDOW_WORDS.values() for word in (*words, "this", "per", "so", "far", "count")
)


def _unit(window: str) -> str | None:
    """The unit of a window: ``run``, a unit of time, empty without one; None if it is no window."""
    words = {stem(word) for word in split_words(window)}
    if words & {stem(word) for word in _RUN}:
        return "run"
    for unit, forms in _WINDOW_WORDS.items():
        if words & {stem(form) for form in forms}:
            return unit
    return ""


@dataclass(slots=True)
class CountingArguments:
    """Finds the arguments that count or sum several actions."""

    lexicon: Lexicon

    def more_than(self, action: Term, count: int, window: str) -> Term:
        """The condition that this call of the action comes after the count-th in the window."""
        tools = self._tools(action)
        self._check_all_count(action)
        argument = self._declared(tools, window, Kind.INT)
        return compared(argument, Comparison.GT if _is_included(argument) else Comparison.GE, count)

    def in_total(self, condition: Term, window: str, action: Term) -> Term:
        """The comparison of one amount, applied to the total of all such calls in the window."""
        tools = self._tools(action)
        amounts = [atom for atom in atoms(condition) if isinstance(atom, Compare)]
        if len(amounts) != 1:
            raise UnreadableError("it does not name one amount", kind="stateful")
        amount = self.lexicon.argument(argument_of(amounts[0]))
        argument = self._declared(tools, window, amount.type.kind, total=True)
        if not _is_included(argument, total=True):
            raise UnreadableError(f"{argument.name} leaves this call out", argument.name, "stateful")
        total = variable(argument)
        return map_atoms(
            condition,
            lambda atom: Compare(atom.operator, total, atom.right) if isinstance(atom, Compare) else atom,
        )

    def _check_all_count(self, action: Term) -> None:
        """Refuse a limit on only some of a tool's calls, because the argument counts all of them."""
        for name in names(action):
            argument = self.lexicon.argument(name)
            path = argument.extraction.options.get("path") if argument.extraction is not None else None
            if isinstance(path, str) and path.startswith("$.arguments") and not _is_past(argument):
                raise UnreadableError(f"it counts only some calls, by {name}", name, "stateful")

    def _tools(self, action: Term) -> tuple[str, ...]:
        name = self.lexicon.action()
        named = [atom for atom in atoms(action) if name is not None and argument_of(atom) == name.name]
        listing = value_listing(named[0]) if len(named) == 1 else None
        if listing is None or listing.negated:
            raise UnreadableError("it does not name the actions that count", kind="stateful")
        return listing.values

    def _declared(self, tools: tuple[str, ...], window: str, kind: Kind, *, total: bool = False) -> Argument:
        """The only argument that counts these actions in this window; raises UnreadableError without one."""
        unit = _unit(window) or ""
        counting = [
            argument for argument in self.lexicon.of_kind(kind) if _counts(argument, tools, total=total)
        ]
        arguments = [
            argument for argument in counting if _window_of(argument) in ((unit,) if unit else ("", "run"))
        ]
        if unit == "run" and not arguments:
            arguments = [argument for argument in counting if not _window_of(argument)]
        if len(arguments) != 1:
            raise UnreadableError("the agent spec has no argument that counts it", kind="stateful")
        return arguments[0]


def _counts(argument: Argument, tools: tuple[str, ...], *, total: bool) -> bool:
    """Whether an argument counts (or sums) calls of exactly these tools, by its description or name."""
    words = words_of(argument)
    is_counted = (
        bool(words & {stem("total"), stem("sum")})
        if total
        else bool(words & {stem("many"), stem("times"), stem("number"), stem("count")})
        or _is_named_for(argument, tools)
    )
    return is_counted and _is_past(argument) and all(_speaks_of(words, split_words(tool)) for tool in tools)


def _is_named_for(argument: Argument, tools: tuple[str, ...]) -> bool:
    """Whether an integer is named after the tools and a window: ``refunds_today``."""
    named = {stem(word) for word in split_words(argument.name)} - _IN_WINDOW
    tool_stems = {stem(word) for tool in tools for word in split_words(tool)}
    return argument.type.kind is Kind.INT and bool(named) and named <= tool_stems


def _speaks_of(words: frozenset[str], tool: list[str] | tuple[str, ...]) -> bool:
    """Whether words name a tool's verb, or all of its object."""
    verb, *objects = map(stem, tool)
    return verb in words or bool(objects and set(objects) <= words)


def _is_past(argument: Argument) -> bool:
    """Whether an argument is about several actions, by its window, or words like “before”."""
    words = set(split_words(argument.description))
    return is_aggregate(argument) or bool(
        words & {"before", "earlier", "already", "previously", "far", "times"}
    )


def _window_of(argument: Argument) -> str:
    return _unit(f"{argument.description} {argument.name}") or ""


def _is_included(argument: Argument, *, total: bool = False) -> bool:
    """Whether an argument counts the current call; raises UnreadableError if that is unclear."""
    words = set(split_words(argument.description))
    if words & {"included", "including"} or (
        total and not words & {"before", "earlier", "already", "previously"}
    ):
        return True
    if words & {"before", "earlier", "already", "previously", "far"}:
        return False
    raise UnreadableError(
        f"it is open whether {argument.name} counts this call; say “this one included” or “before this one” "
        "in its description",
        argument.name,
        "stateful",
    )
