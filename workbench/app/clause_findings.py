"""What no clause of the contract demands, as questions to a person and as what the session owes.

A requirement without a clause, and a tool of which no clause demands that a call is allowed, are findings:
the proof says nothing about them. A person writes the clause, or accepts the finding by an answer.
The answer holds for the words and the clauses as they are: the id of the question has their hash.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.clean_text import one_line
from workbench.model import Doubt, Question, Requirement, Span

if TYPE_CHECKING:
    from workbench.app.results import Understanding
    from workbench.check.undemanded import Undemanded
    from workbench.policy.terms import PolicyTerms

NO_CLAUSE, UNDEMANDED = "no-clause", "undemanded"
_EVERYTHING = "undemanded-decision"
_MEANT = "meant"


def is_finding(question_id: str) -> bool:
    """Whether a question asks about a finding of this module; no author reads its answer."""
    return question_id.partition(":")[0] in (NO_CLAUSE, UNDEMANDED)


def with_findings(understanding: Understanding, terms: PolicyTerms) -> Understanding:
    """An understanding with a question for each requirement and tool that no clause of the policy demands.

    Requirements that another open question is about, or that a person writes by hand, are asked about there.
    """
    from workbench.clarify import standing

    draft, assumptions = understanding.draft, understanding.assumptions
    named = {name for clause in terms.clauses for name in clause.requirements}
    named |= {name for question in understanding.open for name in question.requirements}
    named |= {requirement.id for requirement in understanding.by_hand}
    without = (item for item in draft.requirements if item.quote.strip() and item.id not in named)
    found = (
        *(_about_requirement(requirement, terms) for requirement in without),
        *(_about_tool(tool) for tool in _undemanded(terms.source)),
    )
    return replace(understanding, questions=(*understanding.questions, *standing(found, draft, assumptions)))


def owed_clauses(understanding: Understanding, terms: PolicyTerms) -> tuple[Owed, ...]:
    """What the contract owes: a clause for each requirement that is written by hand, and each finding.

    A finding is in force where a person accepted it.
    """
    named = {name for clause in terms.clauses for name in clause.requirements}
    hand_written = (
        Owed(
            OwedKind.REQUIREMENT,
            requirement.id,
            requirement.text,
            "" if requirement.id in named else f"no clause names {requirement.id}, which is written by hand",
            "" if requirement.id in named else f"write a clause that names {requirement.id} in policy.py",
        )
        for requirement in understanding.by_hand
    )
    found = (
        _owed(question, accepted=question.id in understanding.choices)
        for question in understanding.questions
        if is_finding(question.id)
    )
    return (*hand_written, *found)


def _owed(question: Question, *, accepted: bool) -> Owed:
    if question.id.startswith(f"{NO_CLAUSE}:"):
        name = ", ".join(question.requirements)
        kind, statement = OwedKind.REQUIREMENT, question.quote
        reason, clause = f"no clause names {name}", f"that names {name}"
    else:
        name = question.id.removeprefix(f"{UNDEMANDED}:").rpartition(":")[0]
        kind, statement = OwedKind.DEMAND, f"what the contract demands of {name or 'the decision'}"
        reason, clause = f"no clause demands that any call{f' of {name}' if name else ''} is allowed", ""
    clause = clause or "that demands it"
    return Owed(
        kind,
        name or "decision",
        one_line(statement),
        "" if accepted else reason,
        "" if accepted else f"write a clause {clause}, or answer {question.id} with {_MEANT}",
    )


@lru_cache(maxsize=64)
def _undemanded(source: str) -> tuple[Undemanded, ...]:
    from workbench.check.undemanded import undemanded
    from workbench.policy.check import check

    return undemanded(check(source))


def _about_requirement(requirement: Requirement, terms: PolicyTerms) -> Question:
    from workbench.author.doubts import short_hash
    from workbench.question_wording import question_about

    rules = sorted(rule.name for rule in terms.rules if requirement.id in rule.requirements)
    doubt = Doubt(
        id=f"{NO_CLAUSE}:{short_hash(requirement.quote)}:{short_hash(' '.join(rules))}",
        kind=NO_CLAUSE,
        quote=requirement.quote,
        span=requirement.span,
        values=(_MEANT,),
        requirements=(requirement.id,),
    )
    return question_about(doubt, requirement=requirement.id)


def _about_tool(tool: Undemanded) -> Question:
    from workbench.question_wording import phrase, question_about

    kind = UNDEMANDED if tool.tool else _EVERYTHING
    doubt = Doubt(
        id=f"{UNDEMANDED}:{tool.tool}:{tool.material}", kind=kind, quote="", span=Span(0, 0), values=(_MEANT,)
    )
    unsure = "" if tool.known else phrase(kind, "unsure")
    return question_about(doubt, tool=one_line(tool.tool), unsure=unsure)
