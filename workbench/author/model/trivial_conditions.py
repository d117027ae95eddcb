"""Suspicions about a reply in the dialect: rules and clauses that always or never hold.

Each suspicion goes to the model once, with the reason. A reply that is repeated is left to the loop and to a
person, since a request may mean it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workbench.author.model.assemble import assemble
from workbench.author.model.passages import Passage
from workbench.author.model.requirement_parts import (
    CasesPart,
    ClausePart,
    ClausesPart,
    RulePart,
    RulesPart,
    Target,
    Unit,
)
from workbench.engines.smt.preview import preview
from workbench.model import Argument, Json, ProofStatus, Requirement, Span
from workbench.policy.check import check
from workbench.policy.connectives import TRUE

_PLACE = Target(Requirement("R1", "", "", Span(0, 0)), "")
_NOTHING = "If the passage only announces what follows, or says what is so, reply with"


def suspect_rules(part: RulesPart, arguments: Sequence[Argument]) -> list[str]:
    """Complaints about rules that can never deny an action, and rules that deny every action."""
    complaints: list[str] = []
    for rule in part.rules:
        if not rule.forbids:
            continue
        alone = RulesPart((rule,))
        if _proved(alone, True, arguments):
            complaints.append(
                f"The rule {rule.name!r} never denies anything: its tests cannot all hold, or what it needs "
                f'holds always. Give it a test that some action fails. {_NOTHING} "rules": [].'
            )
        elif _proved(alone, False, arguments):
            complaints.append(f'The rule {rule.name!r} denies every action there is. {_NOTHING} "rules": [].')
    return complaints


def suspect_clauses(
    part: ClausesPart,
    tests_of_clauses: Sequence[Sequence[Mapping[str, Json]]],
    passage: Passage,
    arguments: Sequence[Argument],
    otherwise: str,
) -> list[str]:
    """Complaints about clauses that hold for every action, allow too much of a list, or deny nothing else.

    ``tests_of_clauses`` are the tests of each clause, in the order of the reply.
    """
    complaints = [
        f"The clause “{clause.comment}” is about every action there is. Give it a test that some action "
        f'fails. {_NOTHING} "clauses": [].'
        for clause in part.clauses
        if _always(clause, arguments)
    ]
    allows = [
        tests
        for clause, tests in zip(part.clauses, tests_of_clauses, strict=False)
        if clause.allow and len(tests_of_clauses) == len(part.clauses)
    ]
    complaints += dict.fromkeys(complaint for tests in allows for complaint in _leaves(tests))
    if (
        passage.lists
        and part.clauses
        and otherwise == "allow"
        and all(clause.allow for clause in part.clauses)
    ):
        complaints.append(
            "No clause denies anything, and everything else is allowed anyway: so the list would have no "
            'effect. Say also which actions are denied because they leave the list: "any not in".'
        )
    return complaints


def _always(clause: ClausePart, arguments: Sequence[Argument]) -> bool:
    return _proved(RulesPart((RulePart("held", True, clause.when, "It holds."),)), False, arguments)


def _leaves(tests: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """A complaint about an allowing clause that one element of a set satisfies."""
    whole = {str(test.get("argument")) for test in tests if test.get("is") in ("all in", "none in")}
    for test in tests:
        name, values = str(test.get("argument")), test.get("values")
        if test.get("is") == "any in" and name not in whole:
            of = values if isinstance(values, str) else "the list"
            yield (
                f"A clause allows where any of {name} is in {of}: that also allows {name} with one in {of} "
                f'and another outside it. "all in" allows what lies in {of} as a whole; "any not in" denies '
                "what leaves it."
            )


def _proved(rules: RulesPart, allow: bool, arguments: Sequence[Argument]) -> bool:
    """Whether a policy of these rules alone gives every action the decision."""
    everything = ClausesPart((ClausePart(TRUE, allow, "Always."),))
    text = assemble("", [Unit(_PLACE, rules, everything, CasesPart())], arguments, "allow")
    return preview(check(text)).status is ProofStatus.PROVED
