"""The message to an agent about a decision: the reason, and on the same line what would make it allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from workbench.clean_text import one_line
from workbench.dialect.run_values import WORDS
from workbench.engines.compiled.compile import reason
from workbench.guard.strategy import undetermined_words
from workbench.model import TOOL_ARGUMENT, Decision, RecordValue, Value, Verdict
from workbench.policy.literals import literal
from workbench.policy.value_words import value_words
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.runs.replay.further_calls import classes_of_calls
from workbench.runs.replay.origins import Origin
from workbench.runs.replay.turning_values import Counterfactual, Reach, Turning, TurningChange
from workbench.runs.world.facts import awaited_calls

_OF_CALL = re.compile(r"\bcall\.(\w+)")
_PARAMETER = re.compile(r"call\.\w+")
_OF_PERSON = re.compile(rf"\brun\.(?:context|{'|'.join(WORDS)})\b")


def _no_words(_: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class AgentWords:
    """The words of a message: for arguments, and for conditions of the policy, where the language has some.

    ``tools`` are the agent's tools by the classes of their calls.
    """

    arguments: ArgumentWords = OWN_NAMES
    condition: Callable[[str], str] = _no_words
    tools: Mapping[str, str] = MappingProxyType({})

    def expression(self, name: str) -> str:
        """The expression that an argument, or a field of it, stands for; empty if there is none."""
        argument, dot, path = name.partition(".")
        expression = self.arguments.expressions.get(argument, "")
        return f"{expression}{dot}{path}" if expression else ""

    def so_that(self, change: TurningChange) -> str:
        """The condition that a change makes true, in words."""
        expression = self.expression(change.name)
        python = _condition(change, expression) if expression else ""
        said = self.condition(python) if python else ""
        return said or replace(change, name=self.arguments.of(change.name)).text

    def is_value(self, change: TurningChange) -> bool:
        """Whether a change is one of a value that stands in the call, or of a declared argument."""
        expression = self.expression(change.name)
        return not expression or _PARAMETER.fullmatch(expression) is not None


OWN_WORDS = AgentWords()
"""The words of a policy whose arguments are declared: their names."""


def message_for_agent(
    decision: Decision,
    turning: Turning,
    origins: Sequence[Origin] = (),
    permit_messages: Sequence[str] = (),
    look_up: str = "",
    words: AgentWords = OWN_WORDS,
) -> str:
    """One line with reason and remedy for the agent.

    Args:
        decision: the decision to explain.
        turning: the smallest change to the other decision.
        origins: of the arguments.
        permit_messages: messages of the permit rules that would fire after the change.
        look_up: the sentence that names the look-ups of records that are not known.
        words: for what the policy reads.

    A remedy that only a person could give (another user, another role) is left out: a misled agent would
    only learn what to pretend.
    """
    why = one_line(reason_once(decision, words.arguments))
    if decision.verdict is Verdict.ALLOW:
        return why
    parts = (why, *(one_line(text) for text in permit_messages))
    message = " ".join(part if part.endswith(".") else part + "." for part in parts)
    return f"{message} {_remedy(decision, turning, origins, look_up, words)}"


def reason_once(decision: Decision, words: ArgumentWords) -> str:
    """The reason of a decision; why values are not determined is said once for all of them."""
    return reason(replace(decision, reasons=tuple(undetermined_words(decision.reasons, words.noun))))


def _remedy(
    decision: Decision, turning: Turning, origins: Sequence[Origin], look_up: str, words: AgentWords
) -> str:
    counterfactual = turning.counterfactual
    reach = _reach_of(counterfactual)
    if look_up and reach is not Reach.EARLIER and _may_help(counterfactual, impossible=turning.impossible):
        return look_up
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        return _of_undecided(decision, origins, words.arguments)
    if turning.impossible:
        return "Nothing would make this call allowed; do not repeat it."
    if counterfactual is None:
        return _OF_PERSONS
    if counterfactual.wait_until is not None:
        return f"It would be allowed later: wait until {value_words(counterfactual.wait_until)}."
    if reach is Reach.EARLIER:
        return _by_calls(counterfactual.changes, look_up, words)
    if reach is not Reach.GIVEN:
        return f"It would be allowed {_with(counterfactual.changes, words)}."
    if all(_of_run(words.expression(change.name)) for change in counterfactual.changes if _given(change)):
        allowed = f"It would be allowed {_with(counterfactual.changes, words)}."
        return f"{allowed} Do not repeat it while that is not so."
    return _OF_PERSONS


_OF_PERSONS = (
    "Nothing that you can change in this call would make it allowed; do not repeat it, ask a person."
)


def _of_undecided(decision: Decision, origins: Sequence[Origin], words: ArgumentWords) -> str:
    if calls := awaited_calls(decision.reasons):
        return f"Wait for the result of {' and '.join(calls)}, then make this call again."
    missing = [
        origin.name
        for origin in origins
        if origin.missing is not None and origin.reach < Reach.EARLIER and origin.name != TOOL_ARGUMENT
    ]
    if missing:
        names = dict.fromkeys(part for name in missing for part in _parameters(words, name))
        return f"State {', '.join(names)} plainly in the call."
    return "Nothing in this call can mend that; do not repeat it."


def _reach_of(counterfactual: Counterfactual | None) -> Reach | None:
    """Who can make all the changes; a value that was not known may need more than those that were."""
    if counterfactual is None:
        return None
    return max(
        (counterfactual.reach, *(change.reach for change in counterfactual.changes if not change.look_up))
    )


def _given(change: TurningChange) -> bool:
    return change.reach is Reach.GIVEN and not change.look_up


def _of_run(expression: str) -> bool:
    """Whether a value is of what happened in the run, and not of persons: their words and the context."""
    return bool(expression) and _OF_PERSON.search(expression) is None


def _by_calls(changes: Sequence[TurningChange], look_up: str, words: AgentWords) -> str:
    """The calls to make first, each with what has to be so after it, and the change of the call itself."""
    firsts: list[str] = []
    for change in changes:
        if change.reach is Reach.EARLIER:
            ways = (_call_for(one, words) for one in (change, *change.instead))
            firsts.append(", or ".join(ways))
    others = [change for change in changes if change.reach is Reach.CALL]
    again = f"make this call again{f' {_with(others, words)}' if others else ''}"
    first = f"First {'; and '.join(firsts)}"
    return f"{first}. {look_up} Then {again}." if look_up else f"{first}; then {again}."


def _call_for(change: TurningChange, words: AgentWords) -> str:
    classes = classes_of_calls(words.expression(change.name))
    tools = " or ".join(words.tools.get(one, one) for one in classes)
    return f"call {tools}, so that {words.so_that(change)}"


def _with(changes: Iterable[TurningChange], words: AgentWords) -> str:
    """The changes in words: values of the call, and conditions on anything else."""
    changes = tuple(changes)
    values = [
        replace(change, name=words.arguments.in_call(change.name)).text
        for change in changes
        if words.is_value(change)
    ]
    conditions = [words.so_that(change) for change in changes if not words.is_value(change)]
    parts = (
        f"with {' and '.join(values)}" if values else "",
        f"if {' and '.join(conditions)}" if conditions else "",
    )
    return " and ".join(part for part in parts if part)


def _condition(change: TurningChange, expression: str) -> str:
    """The condition of the dialect that a change makes true; empty if it is none of a single value."""
    old, new = change.old, change.new
    if isinstance(new, bool):
        return expression if new else f"not ({expression})"
    if new is None:
        return f"{expression} is None"
    if isinstance(new, RecordValue):
        return f"{expression} is not None"
    if isinstance(new, frozenset):
        return _of_set(frozenset() if not isinstance(old, frozenset) else old, new, expression, change)
    if change.invented and old is not None:
        return f"{expression} != {literal(old)}"
    if isinstance(new, tuple) or change.invented or change.one_of:
        return ""
    return f"{expression} {change.bound} {literal(new)}"


def _of_set(old: frozenset[Value], new: frozenset[Value], expression: str, change: TurningChange) -> str:
    if change.any_member and not old:
        return f"any(True for one in {expression})"
    added = [f"{literal(one)} in {expression}" for one in sorted(new - old, key=str)]
    gone = [f"{literal(one)} not in {expression}" for one in sorted(old - new, key=str)]
    return " and ".join((*added, *gone))


def _parameters(words: ArgumentWords, name: str) -> Sequence[str]:
    """The parameters of the call that an argument reads, or what it is called."""
    return _OF_CALL.findall(words.expressions.get(name, "")) or (words.in_call(name),)


def _may_help(counterfactual: Counterfactual | None, *, impossible: bool) -> bool:
    """Whether looking up records may help to get the call allowed."""
    if counterfactual is None:
        return not impossible
    return any(change.reach is Reach.LOOK_UP for change in counterfactual.changes)
