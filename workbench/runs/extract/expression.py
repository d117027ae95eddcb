"""Method ``expression``: the value of an expression over a call and its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from workbench.dialect.check import run_expression
from workbench.dialect.run_values import IsLookedUp, RecordAt
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
from workbench.policy.problems import PolicyError
from workbench.policy.terms import Attribute, Variable
from workbench.policy.undetermined import IncompleteRecord, Undetermined
from workbench.runs.expressions.evaluator import Evaluator, RunMoment
from workbench.runs.expressions.moment import Trace
from workbench.runs.expressions.places import places
from workbench.runs.expressions.scope import ReadExpression
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, FoundValue, Method, Unknown
from workbench.runs.world.earlier_places import run_before

_ELEMENT = "x"
_NOTHING_READ = "none_read"
"""The field of a record of which a lowered policy reads nothing, and which has no plain field of its own."""
_NAMED = 3
"""The number of reasons that a message gives."""


def expression(argument: Argument, options: Options, agent: Evaluator) -> Method:
    """The value of the expression ``of`` about the calls of ``tool``.

    ``fields`` are further fields of the elements of a list, each an expression over the element ``x``, by
    their path from the argument. A value that is not determined is missing, with the look-up that would tell
    more and the bounds of a number.
    """
    reading = _Reading(argument, options, agent)

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        if reading.tool and call.tool != reading.tool:
            raise Absent(f"it is not about calls of {call.tool}")
        return reading.found(agent.at(call, run_before(history)))

    return extract


class _Reading:
    """The expressions of one argument, ready to be evaluated."""

    def __init__(self, argument: Argument, options: Options, agent: Evaluator) -> None:
        self.argument = argument
        self.agent = agent
        self.tool = options.text("tool")
        if self.tool and self.tool not in agent.reader.classes:
            raise options.error(f"the agent has no tool {self.tool!r} whose calls have a class")
        self.whole = self._read(options.text("of"), options)
        of_term = self.whole.expression.term
        named = of_term.name if isinstance(of_term, Variable) else ""
        self.is_record = isinstance(self.whole.values.get(named), RecordAt)
        self.is_looked_up = isinstance(self.whole.values.get(named), IsLookedUp)
        type_ = of_term.type if isinstance(of_term, Variable | Attribute) else None
        self.fields: Mapping[str, ReadExpression] = {
            path: self._read(texts[0], options, _element_type(type_, path, options))
            for path, texts in options.words("fields").items()
        }

    def _read(self, text: str, options: Options, element: ArgumentType | None = None) -> ReadExpression:
        named = None if element is None else (_ELEMENT, element)
        try:
            return ReadExpression(run_expression(text, self.agent.reader.types, self.tool, named))
        except PolicyError as error:
            raise options.error(f"{text!r} is no expression of the dialect: {error}") from None

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
            held = _field(value, name) if own is None else self.value(own, {_ELEMENT: value})
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


def _element_type(type_: ArgumentType | None, path: str, options: Options) -> ArgumentType:
    """The type of the elements whose field has this path, in a list or in a record with lists."""
    *lists, name = path.split(".")
    for inner in lists:
        type_ = None if type_ is None or type_.record is None else type_.record.field(inner)
    if type_ is None or type_.element is None or not name:
        raise options.error(f"{path} is no field of the elements of a list")
    return type_.element
