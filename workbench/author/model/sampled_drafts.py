"""Several drafts of one request: an input that two of them decide differently becomes a question."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench.author.model.draft_findings import evaluable, show
from workbench.author.model.requirement_parts import Unit
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import PreviewUndecided, distinguish
from workbench.model import Arguments, Case, Doubt, Question, Span, Verdict, WorkbenchError
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.question_wording import question_about


@dataclass(frozen=True, slots=True)
class Sampled:
    """An input that two drafts decide differently, with the other draft's units."""

    question: Question
    arguments: Arguments
    units: tuple[Unit, ...]

    def wanted(self, choices: Mapping[str, str]) -> Verdict:
        """The decision chosen for the input; denial while none is chosen."""
        return Verdict.ALLOW if choices.get(self.question.id) == Verdict.ALLOW else Verdict.DENY

    def answer(self, choices: Mapping[str, str]) -> Case:
        """The decision as a case."""
        return Case(
            self.question.id.replace(":", "-"),
            self.arguments,
            self.wanted(choices),
            "decided by example",
            self.question.requirements,
            "human",
        )


def differences(
    units: Sequence[Unit], drafts: Sequence[tuple[Unit, ...]], write: Callable[[Sequence[Unit]], str]
) -> tuple[Sampled, ...]:
    """One question for each draft that decides some input differently from the first."""
    first = _terms(units, write)
    if first is None:
        return ()
    sampled_by_id: dict[str, Sampled] = {}
    for draft in drafts:
        second = _terms(draft, write)
        if second is None:
            continue
        try:
            arguments = distinguish(first, second, [sampled.arguments for sampled in sampled_by_id.values()])
        except (PreviewUndecided, WorkbenchError):
            continue
        if arguments is not None:
            question = _question(arguments, _concerned(arguments, units, first, second))
            sampled_by_id.setdefault(question.id, Sampled(question, arguments, draft))
    return tuple(sampled_by_id.values())


def follow(
    units: tuple[Unit, ...],
    sampled: Sequence[Sampled],
    choices: Mapping[str, str],
    write: Callable[[Sequence[Unit]], str],
) -> tuple[Unit, ...]:
    """The draft among all that agrees with the most answers; the first one of several."""
    wanted_verdicts = [(reply.arguments, reply.wanted(choices)) for reply in sampled]

    def agreement(candidate: tuple[Unit, ...]) -> int:
        terms = _terms(candidate, write)
        if terms is None:
            return -1
        policy = compile_policy(terms)
        return sum(
            policy.decide(evaluable(terms, arguments)).verdict is verdict
            for arguments, verdict in wanted_verdicts
        )

    return max([units, *(reply.units for reply in sampled)], key=agreement)


def _terms(units: Sequence[Unit], write: Callable[[Sequence[Unit]], str]) -> PolicyTerms | None:
    try:
        return check(write(units))
    except WorkbenchError:
        return None


def _concerned(
    arguments: Arguments, units: Sequence[Unit], first: PolicyTerms, second: PolicyTerms
) -> tuple[str, ...]:
    """The requirements whose rules decide the input in one draft or the other; all if none does."""
    ids: dict[str, None] = {}
    for terms in (first, second):
        decision = compile_policy(terms).decide(evaluable(terms, arguments))
        fired = {*(violation.rule for violation in decision.violations), *decision.permitted_by}
        ids.update({id_: None for rule in terms.rules if rule.name in fired for id_ in rule.requirements})
    return tuple(ids) or tuple(dict.fromkeys(unit.target.requirement.id for unit in units))


def _question(arguments: Arguments, requirements: tuple[str, ...]) -> Question:
    shown_arguments = show(arguments)
    identity = hashlib.sha256(shown_arguments.encode()).hexdigest()[:8]
    doubt = Doubt(
        id=f"samples:{identity}",
        kind="model-drafts",
        quote="",
        span=Span(0, 0),
        values=(Verdict.DENY, Verdict.ALLOW),
        default=Verdict.DENY,
        requirements=requirements,
        facts={"shown": shown_arguments},
    )
    return question_about(doubt, arguments)
