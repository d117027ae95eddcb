"""Limits over several actions: counts, totals and earlier actions, as arguments of their own.

"After reading a file", "more than 3 times per run", "more than 1,000 EUR in total": each becomes an argument
that is extracted from the history of the run. If the agent spec declares an argument for it, that one is
used. Otherwise one is made, if the calls of one run are meant and the log names the tools. A log always shows
one window only, the recorded run. So a limit per day needs a declared argument, and a limit without a window
causes a question.
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
from workbench.author.rules.file_text import identifier
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.words import split_words, stem
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind
from workbench.policy.terms import (
    Compare,
    Comparison,
    Term,
)

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
class HistoryArguments:
    """Finds or makes the arguments that count earlier actions."""

    spec: AgentSpec
    lexicon: Lexicon

    def happened(self, action: Term) -> Term:
        """The condition that one of the actions was done earlier in the run."""
        tools = self._tools(action)
        if len(names(action)) > 1:
            raise UnreadableError("a log tells which tools were called, not how", kind="stateful")
        for argument in self.lexicon.of_kind(Kind.BOOL):
            if _options(argument).get("operation") == "ever" and _of(argument) == set(tools):
                return variable(argument)
        options: dict[str, Json] = {"operation": "ever"}
        text = f"whether {_either(tools)} was called earlier in the run"
        return variable(
            self.history_argument(identifier("after", *tools), tools, ArgumentType(Kind.BOOL), options, text)
        )

    def more_than(
        self, action: Term, count: int, window: str, per_run: bool, *, single: bool = False
    ) -> Term:
        """The condition that this call of the action comes after the count-th in the window.

        With ``single``, things are counted; counting calls is correct only if each is about one thing.
        """
        tools = self._tools(action)
        self._check_all_count(action)
        argument = self._declared(tools, window, Kind.INT)
        if argument is None:
            if single and any(_is_plural(split_words(tool)[-1]) for tool in tools):
                raise UnreadableError("one call may be about several of them", kind="stateful")
            self._check_window(tools, window, per_run)
            options: dict[str, Json] = {"operation": "count", "current": True}
            text = f"how many calls of {_either(tools)} the run has had, this one included"
            argument = self.history_argument(
                identifier("calls_of", *tools), tools, ArgumentType(Kind.INT), options, text
            )
        return compared(argument, Comparison.GT if _is_included(argument) else Comparison.GE, count)

    def in_total(self, condition: Term, window: str, per_run: bool, action: Term) -> Term:
        """The comparison of one amount, applied to the total of all such calls in the window."""
        tools = self._tools(action)
        amounts = [atom for atom in atoms(condition) if isinstance(atom, Compare)]
        if len(amounts) != 1:
            raise UnreadableError("it does not name one amount", kind="stateful")
        amount = self.lexicon.argument(argument_of(amounts[0]))
        argument = self._declared(tools, window, amount.type.kind, total=True)
        if argument is None:
            argument = self._total(amount, tools, window, per_run)
        if not _is_included(argument, total=True):
            raise UnreadableError(f"{argument.name} leaves this call out", argument.name, "stateful")
        total = variable(argument)
        return map_atoms(
            condition,
            lambda atom: Compare(atom.operator, total, atom.right) if isinstance(atom, Compare) else atom,
        )

    def _total(self, amount: Argument, tools: tuple[str, ...], window: str, per_run: bool) -> Argument:
        self._check_window(tools, window, per_run)
        path = amount.extraction.options.get("path") if amount.extraction else None
        if amount.extraction is None or amount.extraction.method != "jsonpath" or path is None:
            raise UnreadableError(
                f"it is unknown where {amount.name} stands in a call", amount.name, "stateful"
            )
        options: dict[str, Json] = {"operation": "sum", "path": path, "current": True}
        text = f"the sum of {amount.name} over the calls of {_either(tools)} of the run, this one included"
        return self.history_argument(
            identifier(f"total_{amount.name}_of", *tools),
            tools,
            ArgumentType(amount.type.kind, places=amount.type.places),
            options,
            text,
        )

    def _check_window(self, tools: tuple[str, ...], window: str, per_run: bool) -> None:
        if not self._is_countable(tools):
            raise UnreadableError("the agent spec has no argument that counts it", kind="stateful")
        if not per_run and _unit(window) != "run":
            raise UnreadableError(f"“{window}”" if window else "it names no window", window, "window")

    def _check_all_count(self, action: Term) -> None:
        """Refuse a limit on only some of a tool's calls, because the argument counts all of them."""
        for name in names(action):
            argument = self.lexicon.argument(name)
            path = _options(argument).get("path")
            if isinstance(path, str) and path.startswith("$.arguments") and not is_past(argument):
                raise UnreadableError(f"it counts only some calls, by {name}", name, "stateful")

    def _tools(self, action: Term) -> tuple[str, ...]:
        name = self.lexicon.action()
        named = [atom for atom in atoms(action) if name is not None and argument_of(atom) == name.name]
        listing = value_listing(named[0]) if len(named) == 1 else None
        if listing is None or listing.negated:
            raise UnreadableError("it does not name the actions that count", kind="stateful")
        return listing.values

    def _declared(
        self, tools: tuple[str, ...], window: str, kind: Kind, *, total: bool = False
    ) -> Argument | None:
        """The declared argument that counts these actions in this window, if there is exactly one."""
        unit = _unit(window) or ""
        arguments = [
            argument
            for argument in self.lexicon.of_kind(kind)
            if _counts(argument, tools, total=total)
            and _window_of(argument) in ((unit,) if unit else ("", "run"))
        ]
        if unit == "run" and not arguments:
            arguments = [
                argument
                for argument in self.lexicon.of_kind(kind)
                if _counts(argument, tools, total=total) and not _window_of(argument)
            ]
        return arguments[0] if len(arguments) == 1 else None

    def _is_countable(self, tools: tuple[str, ...]) -> bool:
        """Whether the actions are names of tools, so that a log can count their calls."""
        path = _options(self.lexicon.action()).get("path")
        return path == "$.tool" or set(tools) <= {tool.name for tool in self.spec.tools}

    def history_argument(
        self, name: str, tools: tuple[str, ...], kind: ArgumentType, options: dict[str, Json], text: str
    ) -> Argument:
        """The argument of this name, else a new one of the draft, extracted from the calls of the run.

        Raises UnreadableError if a log does not show these calls.
        """
        if not self._is_countable(tools):
            raise UnreadableError("the agent spec has no argument that counts it", kind="stateful")
        for argument in self.lexicon.arguments:
            if argument.name == name:
                return argument
        of: list[Json] = [*tools]
        argument = Argument(name, kind, text, Extraction("history", {**options, "of": of}))
        self.lexicon.arguments = (*self.lexicon.arguments, argument)
        return argument


def _options(argument: Argument | None) -> dict[str, Json]:
    return dict(argument.extraction.options) if argument is not None and argument.extraction else {}


def _of(argument: Argument) -> set[str]:
    of = _options(argument).get("of")
    return {str(tool) for tool in of} if isinstance(of, list) else {str(of)} if of else set()


def _counts(argument: Argument, tools: tuple[str, ...], *, total: bool) -> bool:
    """Whether an argument counts (or sums) calls of exactly these tools, by its source or description."""
    options = _options(argument)
    if argument.extraction is not None and argument.extraction.method == "history":
        wanted_operation = "sum" if total else "count"
        return (
            options.get("operation") == wanted_operation
            and _of(argument) == set(tools)
            and "same" not in options
        )
    words = words_of(argument)
    is_counted = (
        bool(words & {stem("total"), stem("sum")})
        if total
        else bool(words & {stem("many"), stem("times"), stem("number"), stem("count")})
        or _is_named_for(argument, tools)
    )
    return is_counted and is_past(argument) and all(_speaks_of(words, split_words(tool)) for tool in tools)


def _is_named_for(argument: Argument, tools: tuple[str, ...]) -> bool:
    """Whether an integer is named after the tools and a window: ``refunds_today``."""
    named = {stem(word) for word in split_words(argument.name)} - _IN_WINDOW
    tool_stems = {stem(word) for tool in tools for word in split_words(tool)}
    return argument.type.kind is Kind.INT and bool(named) and named <= tool_stems


def _speaks_of(words: frozenset[str], tool: list[str] | tuple[str, ...]) -> bool:
    """Whether words name a tool's verb, or all of its object."""
    verb, *objects = map(stem, tool)
    return verb in words or bool(objects and set(objects) <= words)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def is_past(argument: Argument) -> bool:
    """Whether an argument is about several actions, by its source, its window, or words like “before”."""
    words = set(split_words(argument.description))
    return is_aggregate(argument) or bool(
        words & {"before", "earlier", "already", "previously", "far", "times"}
    )


def _window_of(argument: Argument) -> str:
    return _unit(f"{argument.description} {argument.name}") or ""


def _is_included(argument: Argument, *, total: bool = False) -> bool:
    """Whether an argument counts the current call; raises UnreadableError if that is unclear."""
    if argument.extraction is not None and argument.extraction.method == "history":
        return _options(argument).get("current") is True
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


def _either(tools: tuple[str, ...]) -> str:
    return " or ".join(tools)
