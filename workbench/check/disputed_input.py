"""A person's decision on one input compared with the policy: the rule is wrong, the clause is, or neither."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.engines.smt.confirm import Runner
from workbench.model import (
    NOWHERE,
    Arguments,
    Case,
    Doubt,
    Question,
    Requirement,
    Verdict,
    WorkbenchError,
)
from workbench.policy.evaluate import evaluate
from workbench.policy.names import free_name
from workbench.policy.terms import PolicyTerms
from workbench.question_wording import question_about
from workbench.serialization.json_form import json_form


@dataclass(frozen=True, slots=True)
class DisputedInput:
    """The policy's decision on an input for which a person stated the expected decision.

    ``rules`` are the rules that decided; ``clauses`` are the clauses that forbid the expected decision.
    """

    expected: Verdict
    decided: Verdict
    rules: tuple[str, ...]
    clauses: tuple[str, ...]

    @property
    def rule_wrong(self) -> bool:
        """Whether the policy's decision differs from the expected one."""
        return self.decided is not self.expected

    @property
    def something_wrong(self) -> bool:
        """Whether the rules or a clause are wrong about the input."""
        return self.rule_wrong or bool(self.clauses)

    @property
    def sentence(self) -> str:
        """One sentence about what is wrong."""
        by = f" ({', '.join(self.rules)})" if self.rules else ""
        rule = f"The rules are wrong: they decide {self.decided}{by}." if self.rule_wrong else ""
        many = len(self.clauses) > 1
        names = " and ".join(self.clauses)
        clause = f"The clause{'s' if many else ''} {names} {'are' if many else 'is'} wrong: "
        clause = f"{clause}{'they forbid' if many else 'it forbids'} {self.expected} here." if names else ""
        return " ".join(part for part in (rule, clause) if part) or "Rules and contract agree with this."


json_form(DisputedInput, "decided", "rules", "rule_wrong", ("clauses_wrong", "clauses"))


def judge(terms: PolicyTerms, arguments: Arguments, expected: Verdict) -> DisputedInput:
    """Compare a policy and its contract with a person's expected decision on one input.

    Raises ``WorkbenchError`` if the policy cannot evaluate the input, unless that is expected.
    """
    runner = Runner(terms)
    decided = runner.decision(arguments)
    if Verdict.CANNOT_EVALUATE in (decided, expected):
        if decided is not expected and decided is Verdict.CANNOT_EVALUATE:
            reasons = runner.compiled.decide(arguments).reasons if runner.compiled is not None else ()
            raise WorkbenchError(" ".join(("The policy cannot evaluate this input.", *reasons)))
        return DisputedInput(expected, decided, (), ())
    should_allow = expected is Verdict.ALLOW
    against = [
        clause.id
        for clause in terms.clauses
        if evaluate(terms, clause.term, arguments, should_allow) is not True
    ]
    rules = tuple(step.rule for step in runner.path(arguments) if step.fired)
    return DisputedInput(expected, decided, rules, tuple(against))


def example_question(identity: str, arguments: Arguments, requirement: Requirement | None = None) -> Question:
    """The question whether one input should be allowed; it has no default, so a person answers it.

    ``requirement`` gives the quote and its place.
    """
    doubt = Doubt(
        id=identity,
        kind="example",
        quote=requirement.quote if requirement is not None else "",
        span=requirement.span if requirement is not None else NOWHERE,
        values=(Verdict.ALLOW, Verdict.DENY),
        requirements=(requirement.id,) if requirement is not None else (),
    )
    return question_about(doubt, arguments)


def with_case(cases: tuple[Case, ...], case: Case) -> tuple[Case, ...]:
    """The cases with one more, under an id of its own; the same input with the same decision is kept once.

    Raises ``WorkbenchError`` if a person already gave this input another decision.
    """
    for existing_case in cases:
        if existing_case.origin != "generated" and existing_case.arguments == case.arguments:
            if existing_case.expected is not case.expected:
                message = (
                    f"The case {existing_case.id} expects {existing_case.expected} on the same arguments; "
                    "remove it first."
                )
                raise WorkbenchError(message)
            return cases
    names = {kept_case.id for kept_case in cases}
    return (*cases, replace(case, id=free_name(case.id, names, "-")))
