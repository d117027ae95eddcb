"""Answers that a stored draft does not contain, and a policy that denies what they concern until a redraft.

A model drafts one reading of a question. Which reading is stricter is what the solver would have to prove of
two drafts, and never what the model says. So until the model drafted with a person's answer, all that the
requirements of the question may decide is denied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.author.doubts import CONTEXT
from workbench.author.model.whole_file.reply_parts import DENY_ALL, written
from workbench.author.model.whole_file.stored_drafting import KeptDrafting, KeptQuestion
from workbench.author.protocol import CASE
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import left_side, satisfiable
from workbench.model import AgentSpec, Kind, Question, WorkbenchError
from workbench.policy.check import check
from workbench.policy.connectives import conjunction
from workbench.policy.one_more_rule import NewRule, with_rule
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    Parameter,
    PolicyTerms,
    ResultTerm,
    Term,
    Variable,
)
from workbench.policy.walk import subterms

RULE = "forbid_until_redrafted"
_AMBIGUITY = "ambiguity"
_UNREADABLE = "unreadable"


def drafted_value(question: KeptQuestion, drafting: KeptDrafting) -> str:
    """The answer with which a question was drafted: the one that was told, else its first reading."""
    told = drafting.choices.get(question.id, "")
    reads_first = question.kind == _AMBIGUITY and question.options
    return told or (question.options[0].value if reads_first else "")


def differing(
    drafting: KeptDrafting, questions: Sequence[Question], choices: Mapping[str, str]
) -> frozenset[str]:
    """The questions with an answer other than the one that was drafted.

    ``questions`` are those of the drafting with typed examples. A decided input differs if the drafted policy
    decides it otherwise. That a sentence is context differs from no draft.
    """
    typed = {question.id: question for question in questions}
    return frozenset(
        question.id
        for question in drafting.questions
        if (value := choices.get(question.id, ""))
        and value != drafted_value(question, drafting)
        and not (question.kind == _UNREADABLE and value == CONTEXT)
        and not (question.kind == CASE and _decides(drafting.policy, typed.get(question.id), value))
    )


def _decides(policy: str, question: Question | None, value: str) -> bool:
    """Whether the policy decides the input of a question as a person did."""
    if question is None or question.example is None:
        return False
    try:
        compiled = compile_policy(check(policy))
        names = {parameter.name for parameter in compiled.terms.arguments}
        example = {name: given for name, given in question.example.items() if name in names}
        return compiled.decide(example).verdict == value
    except WorkbenchError:
        return False


def closed_until_redrafted(
    drafting: KeptDrafting, questions: Sequence[Question], choices: Mapping[str, str], spec: AgentSpec
) -> str:
    """The drafted policy, with a rule against what the questions without their drafted answer concern.

    These are the questions whose answer differs, and the open ones about the meaning of words.
    """
    stale = differing(drafting, questions, choices)
    waiting = [
        question
        for question in drafting.questions
        if question.id in stale or (question.kind == _AMBIGUITY and not choices.get(question.id, ""))
    ]
    if not waiting:
        return drafting.policy
    try:
        return _closed(drafting.policy, waiting, spec)
    except WorkbenchError:
        return written(DENY_ALL, DENY_ALL, spec)


def _closed(policy: str, waiting: Sequence[KeptQuestion], spec: AgentSpec) -> str:
    """The policy with the rule; raises WorkbenchError if it cannot have it."""
    terms = check(policy)
    if not terms.default_allow and all(rule.forbids for rule in terms.rules):
        return policy  # it denies everything
    ids = tuple(dict.fromkeys(id_ for question in waiting for id_ in question.requirements))
    known = {id_ for item in (*terms.rules, *terms.clauses) for id_ in item.requirements}
    everything = any(not question.requirements for question in waiting) or not set(ids) <= known
    condition = "True" if everything else _condition(terms, frozenset(ids), spec)
    message = "It is denied until the policy is drafted with what a person answers."
    return with_rule(policy, NewRule(RULE, condition, message, ids or tuple(sorted(known))[:1]), ())


def _condition(terms: PolicyTerms, ids: frozenset[str], spec: AgentSpec) -> str:
    """The calls that rules and clauses of the requirements may be about, by their tools."""
    tool = _tool(terms, spec)
    if tool is None:
        return "True"
    terms_about = list(_about(terms, ids))
    named = [
        value
        for value in tool.type.values
        if any(_may_be_about(terms, tool, value, about) for about in terms_about)
    ]
    if set(named) == set(tool.type.values):
        return "True"
    return f"{tool.name} in {{{', '.join(map(repr, named))}}}" if named else "True"


def _tool(terms: PolicyTerms, spec: AgentSpec) -> Parameter | None:
    """The argument that says which tool is called."""
    tools = {tool.name for tool in spec.tools}
    enums = (argument for argument in terms.arguments if argument.type.kind is Kind.ENUM)
    return next((argument for argument in enums if tools and set(argument.type.values) >= tools), None)


def _about(terms: PolicyTerms, ids: Iterable[str]) -> Iterator[Term]:
    """The conditions of the rules and clauses of requirements."""
    wanted = set(ids)
    yield from (rule.body for rule in terms.rules if wanted & set(rule.requirements))
    yield from (left_side(clause.term) for clause in terms.clauses if wanted & set(clause.requirements))


def _may_be_about(terms: PolicyTerms, tool: Parameter, value: str, about: Term) -> bool:
    """Whether a condition may hold for calls of a tool; true also if that is not known."""
    if any(isinstance(part, ResultTerm) for part in subterms(about)):
        return True
    called = Compare(Comparison.EQ, Variable(tool.name, tool.type), Constant(value))
    return satisfiable(terms, conjunction((called, about))) is not False
