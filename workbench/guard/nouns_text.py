"""Terms, how calls are read, and the checked expressions of a policy of calls, as Python text.

An exported file and a file of cases build them and decide by them: they need neither their checker nor the
schemas of the agent's tools.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import cast

from workbench.dialect.run_values import CheckedExpressions
from workbench.guard.call_reading import CallReading
from workbench.model import AgentSpec, WorkbenchError
from workbench.policy.terms import PolicyTerms
from workbench.policy.written import ArgumentWords

_NAMESPACE = "noun"
_WORDS = "description"
"""The field of a noun that evaluation does not read."""
_LONGEST_INSIDE = 30
"""The characters of a noun that is written inside another one; so no text is nested deeply."""


def deciding_part(terms: PolicyTerms, words: ArgumentWords) -> PolicyTerms:
    """The terms by which a policy decides, without its texts; each precondition is said in words."""
    rules = [dataclasses.replace(rule, requirements=(), line=0, end_line=0) for rule in terms.rules]
    preconditions = [
        dataclasses.replace(
            clause,
            requirements=(),
            comment=clause.comment or words.said(clause.source),
            source="",
            line=0,
            end_line=0,
        )
        for clause in terms.preconditions
    ]
    return PolicyTerms(
        terms.arguments,
        {},
        {name: dataclasses.replace(table, line=0) for name, table in terms.tables.items()},
        tuple(rules),
        terms.default_allow,
        tuple(preconditions),
        (),
    )


def nouns_text(value: CheckedExpressions | CallReading | PolicyTerms | None, *, words: bool) -> str:
    """The body of a function of ``noun`` that returns the value; equal nouns are built once.

    ``words`` keeps the descriptions. Raises WorkbenchError if a value has no text.
    """
    writer = _Writer(words=words)
    whole = writer.text(value)
    return "".join(f"    {name} = {text}\n" for text, name in writer.names.items()) + f"    return {whole}\n"


class _Writer:
    """Writes nouns, and gives a name to each that is long; ``names`` are by the text, in their order."""

    def __init__(self, *, words: bool) -> None:
        self.names: dict[str, str] = {}
        self._words = words

    def text(self, value: object) -> str:  # noqa: C901 # one case for each kind of value
        """A value as an expression of Python over ``noun`` and the names so far."""
        match value:
            case StrEnum():
                return f"{_NAMESPACE}.{type(value).__name__}.{value.name}"
            case None | bool() | int() | str():
                return repr(value)
            case float():
                return f"float({str(value)!r})"
            case Decimal():
                return f"{_NAMESPACE}.Decimal({str(value)!r})"
            case datetime.date() | datetime.time() | datetime.timedelta():
                return repr(value).replace("datetime.", f"{_NAMESPACE}.datetime.")
            case tuple():
                parts = [self.text(part) for part in cast("tuple[object, ...]", value)]
                return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
            case frozenset():
                members = sorted(map(self.text, cast("frozenset[object]", value)))
                return f"frozenset([{', '.join(members)}])"
            case list():
                return f"[{', '.join(self.text(part) for part in cast('list[object]', value))}]"
            case Mapping():
                members = cast("Mapping[object, object]", value).items()
                return f"{{{', '.join(f'{self.text(key)}: {self.text(held)}' for key, held in members)}}}"
            case _ if dataclasses.is_dataclass(value):
                return self._noun(value)
            case _:
                raise WorkbenchError(f"The agent spec holds {value!r:.60}, which no exported file can carry.")

    def _noun(self, value: object) -> str:
        parts = [f"{name}={self.text(held)}" for name, held in self._stated(value)]
        text = f"{_NAMESPACE}.{type(value).__name__}({', '.join(parts)})"
        if len(text) <= _LONGEST_INSIDE:
            return text
        return self.names.setdefault(text, f"n{len(self.names) + 1}")

    def _stated(self, value: object) -> Iterator[tuple[str, object]]:
        """The fields of a noun that differ from their defaults."""
        for one in dataclasses.fields(cast("AgentSpec", value)):
            held = cast("object", getattr(value, one.name))
            default: object = one.default
            if one.default_factory is not dataclasses.MISSING:
                default = one.default_factory()
            is_default = held == default and type(held) is type(default)
            if (self._words or one.name != _WORDS) and not is_default:
                yield one.name, held
