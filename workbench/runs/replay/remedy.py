"""The message to an agent about a decision: reason and remedy on one line."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.engines.compiled.explain import reason
from workbench.model import Decision, Verdict
from workbench.runs.replay.counterfactual import Counterfactual, Reach, Turning
from workbench.runs.replay.origins import Origin
from workbench.runs.replay.shown_value import one_line


def message_for_agent(
    decision: Decision,
    turning: Turning,
    origins: Sequence[Origin] = (),
    wanted: Sequence[str] = (),
    look_up: str = "",
) -> str:
    """One line with reason and remedy for the agent.

    Args:
        decision: what is explained.
        turning: the smallest change to the other decision.
        origins: of the arguments.
        wanted: the messages of the permit rules that would fire after the change.
        look_up: the sentence that names the look-ups which would tell more; it is the remedy then.

    A remedy outside the call (another user, another role) is not told: an agent that was misled
    would only learn what to pretend.
    """
    why = one_line(reason(decision))
    if decision.verdict is Verdict.ALLOW:
        return why
    parts = (why, *(one_line(text) for text in wanted))
    said = " ".join(part if part.endswith(".") else part + "." for part in parts)
    return f"{said} {look_up or _remedy(decision, turning.found, origins)}"


def _remedy(decision: Decision, found: Counterfactual | None, origins: Sequence[Origin]) -> str:
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        own = [one.name for one in origins if one.missing is not None and one.reach is not Reach.GIVEN]
        if own:
            return f"State {', '.join(own)} plainly in the call."
        return "Nothing in this call can mend that; do not repeat it."
    if found is None or any(change.reach is Reach.GIVEN for change in found.changes):
        return "Nothing that you can change in this call would make it allowed; do not repeat it."
    if any(change.reach is Reach.TOOL for change in found.changes):
        return "This call is not allowed with any arguments; use another tool or leave it."
    return f"It would be allowed with {' and '.join(change.text for change in found.changes)}."
