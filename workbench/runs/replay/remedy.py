"""The message to an agent about a decision: reason and remedy on one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.clean_text import one_line
from workbench.engines.compiled.explain import reason
from workbench.model import Decision, Verdict
from workbench.policy.value_words import value_words
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.runs.replay.origins import Origin
from workbench.runs.replay.turning_values import Counterfactual, Reach, Turning


def message_for_agent(
    decision: Decision,
    turning: Turning,
    origins: Sequence[Origin] = (),
    permit_messages: Sequence[str] = (),
    look_up: str = "",
    words: ArgumentWords = OWN_NAMES,
) -> str:
    """One line with reason and remedy for the agent.

    Args:
        decision: the decision to explain.
        turning: the smallest change to the other decision.
        origins: of the arguments.
        permit_messages: messages of the permit rules that would fire after the change.
        look_up: the sentence that names the look-ups of records that are not known.
        words: for the arguments of the policy.

    A remedy that only a person could give (another user, another role) is left out: a misled agent would
    only learn what to pretend.
    """
    why = one_line(reason(decision))
    if decision.verdict is Verdict.ALLOW:
        return why
    parts = (why, *(one_line(text) for text in permit_messages))
    message = " ".join(part if part.endswith(".") else part + "." for part in parts)
    return f"{message} {_remedy(decision, turning, origins, look_up, words)}"


def _remedy(
    decision: Decision, turning: Turning, origins: Sequence[Origin], look_up: str, words: ArgumentWords
) -> str:
    counterfactual = turning.counterfactual
    if look_up and _may_help(counterfactual, impossible=turning.impossible):
        return look_up
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        missing_names = [
            words.in_call(origin.name)
            for origin in origins
            if origin.missing is not None and origin.reach is not Reach.GIVEN
        ]
        if missing_names:
            return f"State {', '.join(missing_names)} plainly in the call."
        return "Nothing in this call can mend that; do not repeat it."
    if turning.impossible:
        return "Nothing would make this call allowed; do not repeat it."
    if counterfactual is None or counterfactual.reach is Reach.GIVEN:
        return (
            "Nothing that you can change in this call would make it allowed; do not repeat it, ask a person."
        )
    if counterfactual.wait_until is not None:
        return f"It would be allowed later: wait until {value_words(counterfactual.wait_until)}."
    changes = (replace(change, name=words.in_call(change.name)) for change in counterfactual.changes)
    return f"It would be allowed with {' and '.join(change.text for change in changes)}."


def _may_help(counterfactual: Counterfactual | None, *, impossible: bool) -> bool:
    """Whether looking up records may help to get the call allowed."""
    if counterfactual is None:
        return not impossible
    return any(change.reach is Reach.LOOK_UP for change in counterfactual.changes)
