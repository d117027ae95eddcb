"""Method ``expression``: the value of an expression over a call and its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from workbench.dialect.run_values import ELEMENT, CheckedExpressions, IsLookedUp, RecordAt
from workbench.model import (
    MOST_ELEMENTS,
    Argument,
    ArgumentType,
    Element,
    Provenance,
    RecordedCall,
    RecordType,
    RecordValue,
    Value,
)
from workbench.policy.operations import Known
from workbench.policy.terms import Variable
from workbench.policy.undetermined import IncompleteRecord, Undetermined
from workbench.runs.expressions.evaluator import Evaluator, RunMoment
from workbench.runs.expressions.moment import Trace
from workbench.runs.expressions.places import places
from workbench.runs.expressions.scope import ReadExpression
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, FoundValue, Method, Unknown
from workbench.runs.world.earlier_places import run_before

_NOTHING_READ = "none_read"
"""The field of a record of which a lowered policy reads nothing, and which has no plain field of its own."""
_NAMED = 3
"""The number of reasons that a message gives."""


class ExpressionsOfAgent(NamedTuple):
    """The checked expressions of an agent, and what evaluates them."""

    checked: CheckedExpressions
    evaluator: Evaluator


def expression(argument: Argument, options: Options, agent: ExpressionsOfAgent) -> Method:
    """The value of the expression ``of`` about the calls of ``tool``.

    ``fields`` are further fields of the elements of a list, each an expression over the element ``x``, by
    their path from the argument. A value that is not determined is missing, with the look-up that would tell
    more and the bounds of a number.
    """
    reading = _Reading(argument, options, agent)

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        if reading.tool and call.tool != reading.tool:
            raise Absent(f"it is not about calls of {call.tool}")
        return reading.found(agent.evaluator.at(call, run_before(history)))

    return extract


class _Reading:
    """The expressions of one argument, ready to be evaluated."""

    def __init__(self, argument: Argument, options: Options, agent: ExpressionsOfAgent) -> None:
        self.argument = argument
        self.tool = options.text("tool")
        if self.tool and self.tool not in agent.evaluator.reader.classes:
            raise options.error(f"the agent has no tool {self.tool!r} whose calls have a class")
        whole = agent.checked.read(options.text("of"), self.tool)
        self.whole = ReadExpression(whole)
        named = whole.term.name if isinstance(whole.term, Variable) else ""
        self.is_record = isinstance(self.whole.values.get(named), RecordAt)
        self.is_looked_up = isinstance(self.whole.values.get(named), IsLookedUp)
        fields: dict[str, ReadExpression] = {}
        for path, texts in options.words("fields").items():
            element = whole.element_at(path)
            if element is None:
                raise options.error(f"{path} is no field of the elements of a list")
            fields[path] = ReadExpression(agent.checked.read(texts[0], self.tool, element))
        self.fields: Mapping[str, ReadExpression] = fields

    def found(self, moment: RunMoment) -> FoundValue:
        """The value with its places; raises Unknown if it is not determined."""
        evaluation = _Evaluation(self, moment, Trace())
        known = evaluation.value(self.whole, {})
        records = list(evaluation.trace.records.values())
        value = evaluation.fitted(known, self.argument.type, "")
        if not self.is_record:
            # What is not looked up is for the agent to look up, as an unknown record is.
            remedy = records[-1].remedy if self.is_looked_up and value is False else None
            found_places = places(self.whole, moment, evaluation.trace)
            return FoundValue(None, found_places, fitted=value, look_up=remedy)
        fact = records[-1].fact
        provenances = fact.provenance or (Provenance(f"record ({fact.why})"),)
        items = fact.fields(self.argument.name)
        return FoundValue(None, provenances, items, value, None, fact.state_word)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The evaluation of an argument's expressions at one call."""

    reading: _Reading
    moment: RunMoment
    trace: Trace

    def value(self, read: ReadExpression, bound: Mapping[str, Known]) -> Known:
        """The value of one of the expressions."""
        return self.moment.value(read, self.trace, bound)

    def fitted(self, value: Known, type_: ArgumentType, path: str) -> Value:
        """The value with the fields of its type; raises Unknown if it, or one of them, is undetermined."""
        if isinstance(value, Undetermined):
            raise self._unknown(value)
        if isinstance(value, RecordValue) and type_.record is not None:
            return self._record(value, type_.record, path)
        element = type_.element
        if isinstance(value, tuple) and element is not None:
            if len(value) > MOST_ELEMENTS:
                reason = f"it has {len(value)} elements, more than the {MOST_ELEMENTS} that are looked at"
                raise Unknown(reason)
            return tuple(cast("Element", self.fitted(item, element, path)) for item in value)
        return value

    def _record(self, value: RecordValue, declared: RecordType, path: str) -> RecordValue:
        fields: list[tuple[str, Value]] = []
        for name, type_ in declared.fields:
            own = self.reading.fields.get(f"{path}{name}")
            held = _field(value, name) if own is None else self.value(own, {ELEMENT: value})
            fields.append((name, self.fitted(held, type_, f"{path}{name}.")))
        return RecordValue(declared.name, tuple(fields))

    def _unknown(self, value: Undetermined) -> Unknown:
        reasons = sorted(value.names)
        more = f" (and {len(reasons) - _NAMED} more)" if len(reasons) > _NAMED else ""
        remedies = self.trace.remedies
        look_ups = tuple(remedies[reason] for reason in reasons if reason in remedies)
        return Unknown("; ".join(reasons[:_NAMED]) + more, look_ups, value.between)


def _field(value: RecordValue, name: str) -> Known:
    """A field of a record; ``payment_amount`` is the field ``amount`` of its field ``payment``."""
    own = dict(value.fields)
    if name in own:
        return own[name]
    for field_name, held in value.fields:
        if isinstance(held, RecordValue) and name.startswith(f"{field_name}_"):
            return _field(held, name.removeprefix(f"{field_name}_"))
    for field_name, reason in value.lacking.items() if isinstance(value, IncompleteRecord) else ():
        if name == field_name or name.startswith(f"{field_name}_"):
            return reason
    if name == _NOTHING_READ:
        return False
    return Undetermined(frozenset({f"a {value.type} has no {name}"}))
