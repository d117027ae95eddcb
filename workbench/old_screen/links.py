"""What belongs together: from a line of the policy to its sentences, clauses, cases and log steps."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.clean_text import one_line
from workbench.model import Case, Requirement
from workbench.old_screen.state import Cases, Contents, Replayed
from workbench.policy.terms import Clause, PolicyTerms, Rule

MOST_CASES = 20


@dataclass(frozen=True, slots=True)
class Link:
    """A place to go to: the pane, what to select there, and how it reads."""

    pane: str
    key: str
    text: str


def part_at(terms: PolicyTerms, line: int) -> Rule | Clause | None:
    """The rule or clause at a line of the policy (from 1), or the last one above it."""
    parts: list[Rule | Clause] = [*terms.rules, *terms.clauses]
    inside = [part for part in parts if part.line <= line <= part.end_line]
    above = [part for part in parts if part.line <= line]
    return max(inside or above, key=lambda part: part.line, default=None)


def links(
    terms: PolicyTerms, line: int, contents: Contents, tests: Cases, replayed: Replayed
) -> tuple[Link, ...]:
    """Where one can go from a line of the policy."""
    part = part_at(terms, line)
    if part is None:
        return ()
    return tuple(
        [
            *(_sentence(item) for item in contents.requirements if item.id in part.requirements),
            *_rules(terms, part),
            *_clauses(terms, part),
            *(_case(item, part.requirements) for item in _cases(tests, part.requirements)),
            *_steps(part, replayed),
        ]
    )


def _sentence(item: Requirement) -> Link:
    return Link("rail", f"sentence {item.id}", f"sentence {item.id}: {one_line(item.quote)}")


def _rules(terms: PolicyTerms, part: Rule | Clause) -> list[Link]:
    wanted = set(part.requirements)
    return [
        Link("policy", str(rule.line), f"rule {rule.name}, line {rule.line}")
        for rule in terms.rules
        if rule is not part and wanted & set(rule.requirements)
    ]


def _clauses(terms: PolicyTerms, part: Rule | Clause) -> list[Link]:
    wanted = set(part.requirements)
    return [
        Link("proof", clause.id, f"clause {clause.id}: {one_line(clause.comment or clause.source)}")
        for clause in terms.clauses
        if clause is part or wanted & set(clause.requirements)
    ]


def _cases(tests: Cases, requirements: tuple[str, ...]) -> list[Case]:
    return [case for case in tests.cases if set(case.requirements) & set(requirements)][:MOST_CASES]


def _case(case: Case, requirements: tuple[str, ...]) -> Link:
    subject = next(name for name in case.requirements if name in requirements)
    return Link("cases", f"{subject} {case.id}", f"case {case.id}: {case.expected}, {one_line(case.reason)}")


def _steps(part: Rule | Clause, replayed: Replayed) -> list[Link]:
    if not isinstance(part, Rule) or not (count := replayed.fired.get(part.name, 0)):
        return []
    return [Link("replay", f"rule:{part.name}", f"{count:,} log steps that it denied")]
