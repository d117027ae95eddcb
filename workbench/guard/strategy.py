"""Enforcement strategies for a denial, those of VeriGuard (4.3, 5.2) and one more, as one state machine.

The guard enforces by it; replay and the live harness compare strategies by it. An *action* is what an agent
does at once: one call or several. Calls of an action are decided in order. The calls before a denied call are
carried out, as if the agent made one call at a time; only ``block-action`` refuses the whole action.

No strategy that enforces lets a denied call run. Strategies differ in what happens to the other calls of the
action and of the run, and in the feedback to the agent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from workbench.model import Decision, Verdict

REPLANS = 2
"""The number of actions in a row that are given back to be planned again."""


class PersonsAnswer(StrEnum):
    """What became of a call about which the policy asks a person. Only a person refuses; silence is none."""

    NOT_ASKED = ""
    APPROVED = "approved"
    REFUSED = "refused"
    SILENCE = "nobody answered"
    BROKEN = "could not be asked"


_UNAPPROVED = {
    PersonsAnswer.NOT_ASKED: "Refused, because no person approved it",
    PersonsAnswer.REFUSED: "Refused by a person who was asked",
    PersonsAnswer.SILENCE: "Not carried out, because nobody answered in time; no person refused it",
    PersonsAnswer.BROKEN: "Not carried out, because a person could not be asked; none refused it",
}


class Strategy(StrEnum):
    """The strategies; only the last one does not enforce.

    ``block-call`` refuses the denied call, and ``block-action`` its whole action; both say why. ``halt-tool``
    refuses the denied call without an observation. ``replan-trusted`` carries out the action after a denied
    one regardless of the policy. It exists to measure the cost of such trust.
    """

    TERMINATE_TASK = "terminate-task"
    BLOCK_CALL = "block-call"
    BLOCK_ACTION = "block-action"
    HALT_TOOL = "halt-tool"
    REPLAN = "replan"
    REPLAN_THEN_HALT = "replan-then-halt"
    REPLAN_TRUSTED = "replan-trusted"

    @property
    def enforces(self) -> bool:
        """Whether no call runs that the policy does not allow."""
        return self is not Strategy.REPLAN_TRUSTED


@dataclass(slots=True)
class Action:
    """The present action of an agent: whether it was given back, is blocked as a whole, or is trusted.

    ``asks`` says whether a person is asked about its calls.
    """

    given_back: bool = False
    blocked: bool = False
    trusted: bool = False
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """The response to a call: whether it runs, the text for the agent if not, and whether the task ends.

    ``unasked`` is True if the call is refused regardless of the policy's decision.
    """

    runs: bool = False
    feedback: str = ""
    ends_task: bool = False
    unasked: bool = False
    trusted: bool = False


class Enforcement:
    """One run of an agent under a strategy.

    For each action call ``begin``, with the decisions on all its calls if the strategy ``looks_ahead``; then
    for each of its calls ``before`` and, if that gives None, ``respond``.
    """

    def __init__(self, strategy: Strategy, replans: int = REPLANS) -> None:
        """``replans`` is the number of actions in a row that may be given back to be planned again."""
        self._strategy = strategy
        self._replans = replans
        self._given_back = 0
        self._clean = True
        self._trust_next = False
        self._terminated = ""

    @property
    def looks_ahead(self) -> bool:
        """Whether the response to a call depends on the decisions on later calls of its action."""
        return self._strategy is Strategy.BLOCK_ACTION

    def begin(self, decisions: Iterable[Decision] = (), *, asks: bool = False) -> Action:
        """Begin an action. An action without a denial resets the count of actions given back.

        A call about which a person is asked, if one ``asks``, blocks nothing before the person refused it.
        """
        if self._clean:
            self._given_back = 0
        self._clean = True
        fine = (Verdict.ALLOW, Verdict.ASK) if asks else (Verdict.ALLOW,)
        is_blocked = self.looks_ahead and any(decision.verdict not in fine for decision in decisions)
        action = Action(blocked=is_blocked, trusted=self._trust_next, asks=asks)
        self._trust_next = False
        return action

    def before(self, action: Action) -> Response | None:
        """The response to a call that is refused regardless of the policy, or None."""
        if self._terminated:
            return Response(feedback=self._terminated, ends_task=True, unasked=True)
        if action.given_back:
            return Response(feedback=GIVEN_BACK, unasked=True)
        return None

    def respond(
        self, action: Action, decision: Decision, answer: PersonsAnswer = PersonsAnswer.NOT_ASKED
    ) -> Response:
        """Carry out the strategy for a call on which the policy decided; ``answer`` is that of a person."""
        if decision.verdict is Verdict.ALLOW or (
            action.blocked and action.asks and decision.verdict is Verdict.ASK
        ):
            return Response(feedback=BLOCKED, unasked=True) if action.blocked else Response(runs=True)
        self._clean = False
        reason = reason_of(decision, answer)
        match self._strategy:
            case Strategy.TERMINATE_TASK:
                return self._end_task(
                    reason, "The task was ended because an earlier action broke the policy."
                )
            case Strategy.BLOCK_CALL | Strategy.BLOCK_ACTION:
                action.blocked = self.looks_ahead
                return Response(feedback=f"{reason} This action was not carried out.")
            case Strategy.HALT_TOOL:
                return Response()
            case Strategy.REPLAN:
                if self._given_back >= self._replans:
                    return self._end_task(reason, "The task was ended: every new plan broke the policy.")
                return self._give_back(action, reason)
            case Strategy.REPLAN_THEN_HALT:
                return Response() if self._given_back >= self._replans else self._give_back(action, reason)
            case Strategy.REPLAN_TRUSTED:
                if action.trusted:
                    return Response(runs=True, trusted=True)
                self._trust_next = True
                return self._give_back(action, reason)

    def _end_task(self, reason: str, later: str) -> Response:
        self._terminated = later
        return Response(feedback=f"{reason} The task ends here.", ends_task=True)

    def _give_back(self, action: Action, reason: str) -> Response:
        self._given_back += 1
        action.given_back = True
        return Response(feedback=f"{reason} {REMEDY}")


ENDED = Response(
    feedback="The task has ended; its tools can not be used any more.", ends_task=True, unasked=True
)
"""The response to a call after the end of its run."""
REMEDY = (
    "This action was not carried out. Plan again: reach the user's goal without this action, "
    "or tell the user that the policy does not allow it."
)
BLOCKED = "Not carried out: another call of the same action broke the policy."
GIVEN_BACK = (
    "Not carried out: an earlier call of the same action broke the policy. "
    "Plan again what is left of the action."
)


def reason_of(decision: Decision, answer: PersonsAnswer = PersonsAnswer.NOT_ASKED) -> str:
    """One line with the reason why a call was not allowed: only the rules that fired, with their items."""
    undetermined = undetermined_words(decision.reasons)
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        return f"Refused: the policy cannot be evaluated ({'; '.join(undetermined) or 'no reason given'})."
    asks = decision.verdict is Verdict.ASK
    parts = [
        f"{violation.message.rstrip('.')}{f' ({", ".join(violation.items)})' if violation.items else ''}"
        for violation in decision.violations
    ]
    parts += [f"not determined: {reason}" for reason in undetermined if asks]
    why = _UNAPPROVED.get(answer, "Refused") if asks else "Refused"
    return f"{why}: {'; '.join(parts) or 'no rule permits this'}."


def undetermined_words(reasons: Iterable[str], noun: Callable[[str], str] = str) -> list[str]:
    """Why values are not determined, each reason once; a value is named that alone has it and has words.

    ``noun`` gives the words for an expression of the policy, where there are some.
    """
    values_by_why: dict[str, list[str]] = {}
    for reason in reasons:
        value, why = _value_and_why(reason.rstrip("."))
        named, rest = _value_and_why(why)
        while named and (named == value or re.search(_IN_PYTHON, named)):
            value, why = value or named, rest
            named, rest = _value_and_why(why)
        said = noun(value)
        if named.endswith(_NAMES_ITSELF):
            said, why = named, rest
        values_by_why.setdefault(why, []).append("" if re.search(_IN_PYTHON, said) else said)
    return [
        f"{values[0]}: {why}" if len(values) == 1 and values[0] else why
        for why, values in values_by_why.items()
    ]


_IN_PYTHON = r"[(\[{=<>]|\w\.\w"
"""What an expression of a policy has, and its words have not."""
_NAMES_ITSELF = " of the call"
"""The end of what a reason calls the value that it is about."""


def _value_and_why(reason: str) -> tuple[str, str]:
    """A reason parted at its first colon that is in no bracket and no text."""
    depth, is_quoted = 0, False
    for at, character in enumerate(reason):
        is_quoted ^= character == '"'
        if not is_quoted:
            depth += (character in "([{") - (character in ")]}")
            if not depth and reason.startswith(": ", at):
                return reason[:at], reason[at + 2 :]
    return "", reason
