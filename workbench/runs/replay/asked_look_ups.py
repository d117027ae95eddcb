"""The look-ups that a denial asks for: look-ups of the records that its rules are about."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workbench.model import Decision, Extracted, LookedUp, Verdict


def look_ups_of(
    taken_by_rules: Mapping[str, Collection[str]] | None,
    decision: Decision,
    extracted: Mapping[str, Extracted],
) -> tuple[LookedUp, ...]:
    """The look-ups of the records that the denying rules take, each once; none if the call is allowed.

    ``taken_by_rules`` has the arguments of each rule of the policy that decided; if it is None, every
    argument of the decision counts.
    """
    if decision.verdict is Verdict.ALLOW:
        return ()
    asked_names = _asked_names(taken_by_rules, decision)
    undecided = decision.verdict is Verdict.CANNOT_EVALUATE
    look_ups = [
        reading.look_up
        for name, reading in extracted.items()
        if name in asked_names and (reading.missing is None or undecided) and reading.look_up is not None
    ]
    return tuple({str(call): call for call in look_ups}.values())


def _asked_names(rules: Mapping[str, Collection[str]] | None, decision: Decision) -> Collection[str]:
    if rules is None:
        return decision.arguments
    fired = {violation.rule for violation in decision.violations}
    if not fired or not fired <= rules.keys():  # no rule permits it, or nothing was decided
        return {name for names in rules.values() for name in names}
    return {name for rule in fired for name in rules[rule]}
