"""The stored drafting of a loop that has ended."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.model.context_questions import unread_sentence, unstated_requirement
from workbench.author.model.whole_file.contested_inputs import ContestedInput, closed, disputes
from workbench.author.model.whole_file.critics import CheckedVersion, WrittenPart
from workbench.author.model.whole_file.design import Design, open_sentences
from workbench.author.model.whole_file.loop import FileRound, LoopResult
from workbench.author.model.whole_file.person_answers import PersonAnswers
from workbench.author.model.whole_file.reply_parts import DENY_ALL, NO_CONTRACT, written
from workbench.author.model.whole_file.stored_drafting import (
    KeptDrafting,
    KeptPlace,
    KeptReplies,
    KeptRequirement,
    KeptRound,
)
from workbench.author.model.whole_file.stored_parts import kept_case, kept_question
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Doubt, Question, Requirement, Span
from workbench.policy.problems import PolicyError
from workbench.policy.terms import PolicyTerms
from workbench.question_wording import question_about


def drafting_of(
    outcome: LoopResult, request: str, answers: PersonAnswers, *, key: str, model: str
) -> KeptDrafting:
    """The drafting to store of a loop: its best version, and all rounds on the way.

    The questions are those of the best version, and the earlier ones that a person has answered.
    """
    best = outcome.best_round
    design, replies = best.version.design, best.version.replies
    asked = {one.question.id: one for one in (*answers.answered, *_doubts(outcome, request))}
    return KeptDrafting(
        key=key,
        model=model,
        title=design.title,
        agent=design.agent,
        requirements=tuple(_kept_requirement(requirement) for requirement in design.requirements),
        context=tuple(KeptPlace(start=span.start, end=span.end) for span in design.context),
        questions=tuple(kept_question(one.question, one.run) for one in asked.values()),
        choices=answers.told,
        policy=_strict(best, design),
        cases=tuple(kept_case(case) for case in best.version.cases),
        rounds=tuple(_kept_round(file_round) for file_round in outcome.rounds),
        best=outcome.best,
        stopped=str(outcome.stopped),
        calls=outcome.calls,
        replies=KeptReplies(
            design=replies.get(WrittenPart.DESIGN, ""),
            policy=replies.get(WrittenPart.POLICY, ""),
            contract=replies.get(WrittenPart.CONTRACT, ""),
            cases=replies.get(WrittenPart.CASES, ""),
        ),
    )


def _doubts(outcome: LoopResult, request: str) -> list[ContestedInput]:
    """The open questions of the best version, those about an input with its run."""
    best = outcome.best_round
    design = best.version.design
    doubts = [
        *design.doubts,
        *open_sentences(design, best.version.disputed, request),
        *_unstated(best.judged, design, request),
    ]
    if best.judged.terms is None:
        doubts.append(_no_policy(request, outcome))
    plain = (ContestedInput(question, None) for question in doubts)
    return [*plain, *disputes(best.judged.findings, design)]


def _kept_requirement(requirement: Requirement) -> KeptRequirement:
    span = requirement.span
    return KeptRequirement(id=requirement.id, text=requirement.text, start=span.start, end=span.end)


def _kept_round(file_round: FileRound) -> KeptRound:
    return KeptRound(
        agent=file_round.version.design.agent,
        policy=file_round.judged.text,
        score=str(file_round.judged.score),
        found=file_round.remarks,
    )


def _strict(best: FileRound, design: Design) -> str:
    """The policy of the best round, with rules against everything that its contract denies and it allows.

    A version outside the dialect, or one that states no requirement, becomes a policy that denies everything.
    """
    version, judged = best.version, best.judged
    if judged.terms is None or version.policy is None or not _stated(judged.terms):
        return written(DENY_ALL, NO_CONTRACT, design.types)
    contract = version.contract if judged.terms.clauses and version.contract else NO_CONTRACT
    strict = closed(version.policy, judged, design)
    if strict == version.policy:
        return judged.text
    text = written(strict, contract, design.types)
    try:
        lowered_policy(text, design.spec)
    except PolicyError:
        return written(DENY_ALL, contract, design.types)
    return text


def _no_policy(request: str, outcome: LoopResult) -> Question:
    why = " ".join(finding.text for finding in outcome.best_round.judged.findings[:2])[:400]
    return question_about(
        Doubt(
            id="policy:none",
            kind="model-file-missing",
            quote=" ".join(request.split())[:200],
            span=Span(0, len(request)),
            values=(),
            blocking=True,
            free_text=True,
            facts={"why": why},
        )
    )


# --- the omissions of a drafting: requirements that neither policy nor contract states


def _unstated(judged: CheckedVersion, design: Design, request: str) -> Iterator[Question]:
    """A blocking question for each requirement that no rule and no clause names.

    If the model found no requirement at all, there is a question for each sentence that it took as context.
    """
    if not design.requirements:
        for span in design.context:
            yield unread_sentence(request[span.start : span.end], span, "no_rule_at_all")
    elif judged.terms is not None:
        stated_ids = _stated(judged.terms)
        left = (requirement for requirement in design.requirements if requirement.id not in stated_ids)
        yield from (unstated_requirement(requirement, "not_written", blocking=True) for requirement in left)


def _stated(terms: PolicyTerms) -> frozenset[str]:
    """The requirements that a rule or a clause names."""
    return frozenset(id_ for part in (*terms.rules, *terms.clauses) for id_ in part.requirements)
