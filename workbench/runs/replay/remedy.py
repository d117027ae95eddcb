"""The message to an agent about a decision: reason and remedy on one line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from workbench.engines.compiled.explain import reason
from workbench.model import Decision, Extracted, LookedUp, Verdict
from workbench.policy.terms import PolicyTerms
from workbench.runs.replay.counterfactual import Counterfactual, Reach, Turning
from workbench.runs.replay.origins import Origin
from workbench.runs.replay.shown_value import one_line


def look_ups_of(
    policy: object, decision: Decision, extracted: Mapping[str, Extracted]
) -> tuple[LookedUp, ...]:
    """The calls that would tell of the records that the rules which deny ask for, each once; none if allowed.

    ``policy`` decided, or is its terms; of one that has no terms every record counts.
    """
    if decision.verdict is Verdict.ALLOW:
        return ()
    asked = _asked(policy, decision)
    found = [
        one.look_up
        for name, one in extracted.items()
        if name in asked and one.missing is None and one.look_up is not None
    ]
    return tuple({str(call): call for call in found}.values())


def _asked(policy: object, decision: Decision) -> Collection[str]:
    terms: object = policy if isinstance(policy, PolicyTerms) else getattr(policy, "terms", None)
    if not isinstance(terms, PolicyTerms):
        return decision.arguments
    fired = {violation.rule for violation in decision.violations}
    rules = [rule for rule in terms.rules if rule.name in fired]
    if len(rules) < len(fired) or not fired:  # no rule permits it, or nothing was decided
        return {parameter.name for parameter in terms.arguments}
    return {parameter.name for rule in rules for parameter in rule.parameters}


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
