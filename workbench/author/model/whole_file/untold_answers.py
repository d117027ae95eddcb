"""Answers that a stored draft does not contain, and a policy that denies what they concern until a redraft.

A model drafts one reading of a question. Which reading is stricter is what the solver would have to prove of
two drafts, and never what the model says. So until the model drafted with a person's answer, all that the
requirements of the question may decide is denied.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from workbench.author.model.context_questions import CONTEXT
from workbench.author.model.whole_file.blocks import NotUsable
from workbench.author.model.whole_file.model_cases import CasesUnder, RunCase
from workbench.author.model.whole_file.reply_parts import DENY_ALL, NO_CONTRACT, written
from workbench.author.model.whole_file.stored_drafting import KeptDrafting, KeptQuestion
from workbench.author.protocol import CASE
from workbench.dialect.call_types import agent_types
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.model import AgentSpec, Verdict, WorkbenchError
from workbench.policy.render import format_policy

RULE = "forbid_until_redrafted"
_WAITS = "It is denied until the policy is drafted with what a person answers."
_AMBIGUITY = "ambiguity"
_UNREADABLE = "unreadable"


def drafted_value(question: KeptQuestion, drafting: KeptDrafting) -> str:
    """The answer with which a question was drafted: the one that was told, else its first reading."""
    told = drafting.choices.get(question.id, "")
    reads_first = question.kind == _AMBIGUITY and question.options
    return told or (question.options[0].value if reads_first else "")


def differing(drafting: KeptDrafting, under: CasesUnder | None, choices: Mapping[str, str]) -> frozenset[str]:
    """The questions with an answer other than the one that was drafted.

    ``under`` decides by the drafted policy; None if that is not in the dialect. A decided input differs if
    the drafted policy decides it otherwise. That a sentence is context differs from no draft.
    """
    return frozenset(
        question.id
        for question in drafting.questions
        if (value := choices.get(question.id, ""))
        and value != drafted_value(question, drafting)
        and not (question.kind == _UNREADABLE and value == CONTEXT)
        and not (question.kind == CASE and _decides(under, question, value))
    )


def _decides(under: CasesUnder | None, question: KeptQuestion, value: str) -> bool:
    """Whether the policy decides the input of a question as a person did."""
    if under is None or question.run is None:
        return False
    verdict = under.decided(RunCase(question.id, question.run)).decision.verdict
    return verdict == value or (value == Verdict.DENY and verdict is Verdict.CANNOT_EVALUATE)


def closed_until_redrafted(
    drafting: KeptDrafting, stale: Collection[str], choices: Mapping[str, str], spec: AgentSpec
) -> str:
    """The drafted policy, with a rule against what the questions without their drafted answer concern.

    These are the ``stale`` ones, whose answer differs, and the open ones about the meaning of words.
    """
    waiting = [
        question
        for question in drafting.questions
        if question.id in stale or (question.kind == _AMBIGUITY and not choices.get(question.id, ""))
    ]
    if not waiting:
        return drafting.policy
    try:
        return _closed(drafting, waiting, spec)
    except (NotUsable, WorkbenchError):
        return written(DENY_ALL, NO_CONTRACT, agent_types(spec))


def _closed(drafting: KeptDrafting, waiting: Sequence[KeptQuestion], spec: AgentSpec) -> str:
    """The policy with the rule; raises NotUsable or WorkbenchError if it cannot have it."""
    lowered = lowered_policy(drafting.policy, spec)
    ids = tuple(dict.fromkeys(id_ for question in waiting for id_ in question.requirements))
    classes = _classes(lowered, ids) if all(question.requirements for question in waiting) else ()
    label = f"{', '.join(ids)}: " if ids else ""
    rule = (
        f"def {RULE}(call: {' | '.join(classes) or 'Call'}) -> bool:\n"
        f'    """{label}{_WAITS}"""\n    return True\n'
    )
    text = format_policy(with_imports(f"{drafting.policy.rstrip()}\n\n\n{rule}", agent_types(spec)))
    lowered_policy(text, spec)
    return text


def _classes(lowered: LoweredPolicy, ids: Sequence[str]) -> tuple[str, ...]:
    """The classes of the calls that rules and clauses of these requirements are about; none for all calls.

    A requirement that no rule and no clause names may be about any call.
    """
    calls = lowered.calls
    named = {id_ for part in (*calls.rules, *calls.clauses) for id_ in part.requirements}
    if not set(ids) <= named:
        return ()
    tools: set[str] = set()
    for part in (*calls.rules, *calls.clauses):
        if set(part.requirements) & set(ids):
            about = {one.tool for one in part.terms}
            if "" in about:
                return ()
            tools |= about
    return tuple(name for name, call in calls.types.calls.items() if call.tool in tools)
