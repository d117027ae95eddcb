"""The values of an expression's variables: of the call, of the run, and of the elements in scope."""

from __future__ import annotations

import decimal
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import override

from workbench.dialect.run_values import (
    CALL,
    ContextValue,
    EarlierCalls,
    IsLookedUp,
    PartOf,
    RecordAt,
    RunExpression,
    RunValue,
    SourceOf,
    Zipped,
)
from workbench.model import Element, RecordValue
from workbench.policy.evaluate import EXACT, UNDEFINED, Scope, Valuation, members_of, value_of
from workbench.policy.operations import Known
from workbench.policy.terms import Elements, PolicyTerms, Term, Variable
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.call_values import unknown
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.variables import all_parts

_NO_POLICY = PolicyTerms("", (), {}, {}, {}, (), False, (), (), 0)
"""Terms of an expression name no helper and no table."""
_TOOL = f"{CALL}.tool"


class ReadExpression:
    """An expression with what its evaluation needs to know of its terms."""

    def __init__(self, expression: RunExpression) -> None:
        """Take a checked expression."""
        self.expression = expression
        self.values: Mapping[str, RunValue] = expression.values

    @cached_property
    def parts(self) -> tuple[Term, ...]:
        """All parts of the term, with those of the values over the run that it names."""
        return tuple(all_parts(self.expression.term, self.values))

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """The fields of the decided call that the expression reads."""
        paths = (path_in_call(part) for part in self.parts)
        return tuple(dict.fromkeys(path[0] for path in paths if path))

    @cached_property
    def pairs(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """The names by which the expression reads the pairs of each ``zip``."""
        found: dict[str, dict[tuple[str, str], None]] = {}
        for part in self.parts:
            element = part.type.element if isinstance(part, Variable) else None
            if isinstance(part, Variable) and isinstance(self.values.get(part.name), Zipped) and element:
                left, right = [name for name, _ in element.record.fields] if element.record else ["", ""]
                found.setdefault(part.name, {})[left, right] = None
        return {name: tuple(pairs) for name, pairs in found.items()}


def path_in_call(term: Term) -> tuple[str, ...]:
    """The names of the fields from the call to a term; empty if it is no field of the call."""
    names: list[str] = []
    while hasattr(term, "record"):
        names.append(term.name)  # type: ignore[union-attr] # an attribute
        term = term.record  # type: ignore[union-attr]
    return tuple(reversed(names)) if isinstance(term, Variable) and term.name == CALL else ()
