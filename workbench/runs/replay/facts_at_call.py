"""The facts of a policy of calls at one call: its functions that rules read, with their values and places.

They are evaluated for a person who asks, whether or not the decision needed them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from workbench.dialect.call_file import ANY_CALL, Fact
from workbench.dialect.checked import CallPolicy
from workbench.guard.calls import look_up_first
from workbench.model import (
    Argument,
    CallExpression,
    Extracted,
    LookedUp,
    RecordedCall,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.origins import Origin, origin_of
from workbench.runs.replay.shown_value import named_value
from workbench.runs.world.earlier_calls import Earlier
from workbench.serialization.json_form import json_form

_OF_RUN = "history ("


@dataclass(frozen=True, slots=True)
class FactAtCall:
    """A fact at a call.

    ``noun`` is what it is, in the words of its author, ``expression`` the text of its value. ``rules`` are
    the rules about the call that read it. ``origin`` has the value, or why there is none, with the characters
    that it came from; ``calls`` names the earlier calls that counted. ``look_up`` would tell it, or more.
    """

    name: str
    noun: str
    expression: str
    rules: tuple[str, ...]
    origin: Origin
    calls: tuple[str, ...] = ()
    look_up: LookedUp | None = None

    @property
    def remedy(self) -> str:
        """The sentence that names the look-up that would tell it; empty if there is none."""
        return look_up_first((self.look_up,)) if self.look_up is not None else ""


json_form(
    FactAtCall,
    *("name", "noun", "expression", "rules", ("value", "origin.value"), ("missing", "origin.missing")),
    *(("quotes", "origin.quotes"), "calls", "look_up"),
)


def facts_at(
    policy: CallPolicy,
    extractor: Callable[[Sequence[Argument]], Extractor],
    calls: Sequence[RecordedCall],
    position: int,
) -> tuple[FactAtCall, ...]:
    """The facts that the rules about a call read, in the order of the file.

    ``calls`` are those of the run, ``position`` is that of the call among them; ``extractor`` makes the
    extractor of some arguments. A function that a rule calls for the elements of a list is none of them.
    """
    call = calls[position]
    rules = rules_by_fact(policy, call.tool or "")
    by_index = {earlier.index: earlier for earlier in calls}
    found: list[FactAtCall] = []
    for text, fact in policy.named.items():
        if fact.name not in rules or not _is_about(fact, policy, call.tool or ""):
            continue
        argument = Argument(fact.name, fact.result, fact.noun, CallExpression(text, call.tool or ""))
        try:
            reading = extractor((argument,))
        except WorkbenchError:
            continue  # it is about an element of a list, which has no name here
        read = reading.extract(call, Earlier(calls, position)).get(fact.name)
        if read is not None:
            found.append(_at_call(call, fact, text, rules[fact.name], argument, read, by_index))
    order = list(policy.facts)
    return tuple(sorted(found, key=lambda one: order.index(one.name)))


def elements_at(
    arguments: Sequence[Argument],
    extractor: Callable[[Sequence[Argument]], Extractor],
    calls: Sequence[RecordedCall],
    position: int,
    conditions: Iterable[tuple[str, bool]],
) -> tuple[str, ...]:
    """What the elements of the call's lists are called because of which conditions of a rule are as they are.

    ``conditions`` have the names of arguments as their texts where the argument is the condition.
    """
    truths = dict(conditions)
    asked = [one for one in arguments if one.name in truths and one.expression is not None]
    if not asked:
        return ()
    reading, call, history = extractor(asked), calls[position], Earlier(calls, position)
    found = (one for own in asked for one in reading.elements(own.name, call, history, truths[own.name]))
    return tuple(sorted({name for one in found if (name := named_value(one))}))


def _at_call(
    call: RecordedCall,
    fact: Fact,
    text: str,
    rules: tuple[str, ...],
    argument: Argument,
    read: Extracted,
    run: Mapping[int, RecordedCall],
) -> FactAtCall:
    origin = origin_of(call, fact.name, read, argument, run)
    places = [place.method for place in read.provenance if place.method.startswith(_OF_RUN)]
    of_run = tuple(place.removeprefix(_OF_RUN).removesuffix(")") for place in dict.fromkeys(places))
    return FactAtCall(fact.name, fact.noun, text, rules, origin, of_run, read.look_up)


def rules_by_fact(policy: CallPolicy, tool: str) -> Mapping[str, tuple[str, ...]]:
    """The rules about the calls of a tool that read each fact, by the fact's name."""
    functions = {
        node.name: node for node in ast.parse(policy.source).body if isinstance(node, ast.FunctionDef)
    }
    rules: dict[str, list[str]] = {}
    for rule in policy.rules:
        if any(one.tool in ("", tool) for one in rule.terms):
            for name in dict.fromkeys(_called(functions, functions[rule.name], policy.facts)):
                rules.setdefault(name, []).append(rule.name)
    return MappingProxyType({name: tuple(names) for name, names in rules.items()})


def _called(
    functions: Mapping[str, ast.FunctionDef], function: ast.FunctionDef, facts: Mapping[str, Fact]
) -> Iterator[str]:
    """The facts that a function calls, and those that they call; a checked file has no cycle."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in facts:
            yield node.func.id
            yield from _called(functions, functions[node.func.id], facts)


def _is_about(fact: Fact, policy: CallPolicy, tool: str) -> bool:
    """Whether a fact may be asked of a call of the tool."""
    classes = [parameter.classes for parameter in fact.parameters if parameter.classes]
    tools = {call.tool: name for name, call in policy.types.calls.items()}
    return all(ANY_CALL in of or tools.get(tool) in of for of in classes)
