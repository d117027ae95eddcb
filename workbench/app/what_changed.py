"""The changes between two states of a session: rules, clauses, cases, calls and questions."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.app.results import RuleChange, SessionChange
from workbench.clean_text import counted
from workbench.memory.retrieval_order import RetrievalChange
from workbench.model import ProofStatus, Verdict
from workbench.serialization.json_form import JsonForm, fields, json_form

if TYPE_CHECKING:
    from workbench.app.session_state import ClauseState, SessionState
    from workbench.model import CaseResult, Demonstration
    from workbench.policy.terms import Clause, PolicyTerms, Rule


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """A clause with its text and status before and after; a status is None where none is known.

    ``clause`` is its id after the change, or before it if the clause is gone (its text after is empty).
    ``previewed_before`` and ``previewed_after`` say whether it only holds in the preview, without a proof.
    """

    clause: str
    requirements: tuple[str, ...]
    before: str
    after: str
    status_before: ProofStatus | None = None
    status_after: ProofStatus | None = None
    previewed_before: bool = False
    previewed_after: bool = False

    @property
    def status_words_before(self) -> str:
        """The status before in words; for a preview never the word "proved"."""
        return _status_words(self.status_before, previewed=self.previewed_before)

    @property
    def status_words_after(self) -> str:
        """The status after in words."""
        return _status_words(self.status_after, previewed=self.previewed_after)


json_form(ClauseChange)


def _status_words(status: ProofStatus | None, *, previewed: bool) -> str:
    return "holds in the preview" if previewed else "not judged" if status is None else status.value


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that was added or taken away, or passes where it failed, or the other way.

    ``passed_before`` and ``passed_after`` are None if there was no such case, or it did not run.
    """

    case: str
    requirements: tuple[str, ...]
    added: bool = False
    removed: bool = False
    passed_before: bool | None = None
    passed_after: bool | None = None


json_form(CaseChange, "case", "added", "removed", "passed_before", "passed_after")


@dataclass(frozen=True, slots=True)
class CallChange:
    """A call of the logs that is decided otherwise: its run, index and position, and both verdicts."""

    run: str
    index: int
    position: int
    before: Verdict
    after: Verdict


json_form(CallChange, "run", ("call", "index"), "before", "after")


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that was opened or closed, or one that is open as before and has other ``options``."""

    question: str
    text: str
    opened: bool
    options: bool = False

    @property
    def act(self) -> str:
        """What became of it."""
        return "with other answers" if self.options else "opened" if self.opened else "closed"


json_form(QuestionChange)


@dataclass(frozen=True, slots=True)
class RequirementChange:
    """A requirement as understood before and after: empty where it is new or gone.

    A requirement whose words in the request differ is a new one. ``requirement`` is its id after the change,
    or before it if the requirement is gone.
    """

    requirement: str
    before: str
    after: str


json_form(RequirementChange)


@dataclass(frozen=True, slots=True)
class DemonstrationChange:
    """A demonstration that was added, taken away, switched on or off, or edited, as text before and after."""

    demonstration: str
    before: str
    after: str


json_form(DemonstrationChange)


@dataclass(frozen=True, slots=True)
class WhatChanged:
    """All that differs between two states of a session."""

    rules: tuple[RuleChange, ...] = ()
    clauses: tuple[ClauseChange, ...] = ()
    cases: tuple[CaseChange, ...] = ()
    calls: tuple[CallChange, ...] = ()
    questions: tuple[QuestionChange, ...] = ()
    requirements: tuple[RequirementChange, ...] = ()
    demonstrations: tuple[DemonstrationChange, ...] = ()
    retrieved: tuple[RetrievalChange, ...] = ()
    decided: int = 0
    """The number of calls that were decided in both states, differently or not."""

    def __bool__(self) -> bool:
        """Whether anything differs."""
        changes = self.rules or self.clauses or self.cases or self.calls or self.questions
        return bool(changes or self.requirements or self.demonstrations or self.retrieved)

    @property
    def turned(self) -> Mapping[tuple[Verdict, Verdict], int]:
        """The number of turned calls, by the verdicts before and after."""
        return Counter((call.before, call.after) for call in self.calls)

    def sentences(self) -> Iterator[str]:
        """The change in a few words for each part, the requirements first."""
        for requirement in self.requirements:
            yield f"requirement {requirement.requirement} {_act(requirement.before, requirement.after)}"
        for rule in self.rules:
            yield f"rule {rule.name} {_act(rule.before, rule.after)}"
        for clause in self.clauses:
            yield _clause_words(clause)
        yield from self._case_words()
        for (before, after), count in self.turned.items():
            yield f"{counted(count, 'call')} {before} → {after}"
        for act, count in Counter(question.act for question in self.questions).items():
            yield f"{counted(count, 'question')} {act}"
        for changed in self.demonstrations:
            yield f"demonstration {changed.demonstration} {_act(changed.before, changed.after)}"
        if count := len(self.retrieved):
            yield f"{count} {'call retrieves' if count == 1 else 'calls retrieve'} differently"

    def _case_words(self) -> Iterator[str]:
        counts = {
            "added": sum(case.added for case in self.cases),
            "taken away": sum(case.removed for case in self.cases),
            "fail": sum(case.passed_after is False for case in self.cases),
            "pass again": sum(
                case.passed_after is True and case.passed_before is False for case in self.cases
            ),
        }
        for act, count in counts.items():
            if count:
                yield f"{counted(count, 'case')} {act}"


json_form(
    WhatChanged,
    *("requirements", "rules", "clauses", "cases", "calls", "questions", "demonstrations", "retrieved"),
)


type WithChanges = tuple[SessionChange, WhatChanged]
SESSION_CHANGE = JsonForm[WithChanges](
    WithChanges,
    fields(
        *(("policy", "0.policy"), ("cases", "0.cases"), ("conflicts", "0.conflicts"), ("left", "0.left")),
        *(("dropped", "0.dropped"), ("settled", "0.settled"), ("changed", "1")),
    ),
)
"""A change of a session, with what it comes to."""


def what_changed(before: SessionState, after: SessionState) -> WhatChanged:
    """The differences between two states of one session.

    Something that one of the states does not know (the request is not read, no case ran, no call was decided)
    is no difference. Neither is a requirement that has another number only because sentences before it are
    read differently.
    """
    quotes = _Quotes(before, after)
    understood = before.understood and after.understood
    return WhatChanged(
        tuple(_rules(before, after, quotes)),
        tuple(_clauses(before.clauses, after.clauses, quotes)),
        tuple(_cases(before, after)),
        tuple(_calls(before, after)),
        tuple(_questions(before, after)) if understood else (),
        tuple(_requirements(before, after)) if understood else (),
        tuple(_demonstrations(before, after)),
        tuple(_retrieved(before, after)),
        min(len(before.decisions), len(after.decisions)),
    )


def _act(before: str, after: str) -> str:
    return "added" if not before else "taken away" if not after else "changed"


def _requirements(before: SessionState, after: SessionState) -> Iterator[RequirementChange]:
    old = {requirement.quote: requirement for requirement in before.requirements}
    new = {requirement.quote: requirement for requirement in after.requirements}
    for quote, now in new.items():
        was = old.get(quote)
        if was is None or was.text != now.text:
            yield RequirementChange(now.id, "" if was is None else was.text, now.text)
    for quote, was in old.items():
        if quote not in new:
            yield RequirementChange(was.id, was.text, "")


def _demonstrations(before: SessionState, after: SessionState) -> Iterator[DemonstrationChange]:
    old, new = (
        {demonstration.id: demonstration for demonstration in state.demonstrations}
        for state in (before, after)
    )
    for name in dict.fromkeys((*new, *old)):
        was, now = old.get(name), new.get(name)
        if was != now:
            yield DemonstrationChange(name, _demonstration_text(was), _demonstration_text(now))


def _retrieved(before: SessionState, after: SessionState) -> Iterator[RetrievalChange]:
    """The calls of both states that retrieve other ids, or in another order."""
    if not before.retrieved or not after.retrieved or before.retrieved == after.retrieved:
        return
    old = {
        (decision.run, decision.index): ids
        for decision, ids in zip(before.decisions, before.retrieved, strict=False)
    }
    for position, (decision, ids) in enumerate(zip(after.decisions, after.retrieved, strict=False)):
        was = old.get((decision.run, decision.index), ids)
        if was != ids:
            yield RetrievalChange(decision.run, decision.index, position, was, ids)


def _demonstration_text(demonstration: Demonstration | None) -> str:
    """A demonstration as text, its state first; empty for none."""
    if demonstration is None:
        return ""
    parts = (
        "on" if demonstration.enabled else "off",
        demonstration.agent_input,
        demonstration.agent_output,
        *demonstration.plan,
        demonstration.code,
    )
    return "\n".join(parts)


def rule_changes(before: PolicyTerms, after: PolicyTerms) -> tuple[RuleChange, ...]:
    """The rules that differ between two policies of one request."""
    from workbench.app.session_state import SessionState

    old, new = SessionState("", terms=before), SessionState("", terms=after)
    return tuple(_rules(old, new, _Quotes(old, new)))


def _clause_words(clause: ClauseChange) -> str:
    if not clause.before:
        verdict_text = f": {clause.status_words_after}" if clause.status_after is not None else ""
        return f"clause {clause.clause} added{verdict_text}"
    if not clause.after:
        return f"clause {clause.clause} taken away"
    if clause.status_before is clause.status_after:
        return f"clause {clause.clause} changed"
    return f"clause {clause.clause} {clause.status_words_before} → {clause.status_words_after}"


class _Quotes:
    """The requirements of two states by the text of the request that they come from."""

    def __init__(self, before: SessionState, after: SessionState) -> None:
        self._before = {requirement.id: requirement.quote for requirement in before.requirements}
        self._after = {requirement.id: requirement.quote for requirement in after.requirements}

    def same(self, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
        """Whether these requirements are the same ones; True if some of them are unknown."""
        old = {self._before[name] for name in before if name in self._before}
        new = {self._after[name] for name in after if name in self._after}
        return old == new or len(old) < len(set(before)) or len(new) < len(set(after))

    def known(self, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
        """Whether these requirements are the same ones, and none of them is unknown."""
        old = {self._before.get(name) for name in before}
        return bool(old) and None not in old and old == {self._after.get(name) for name in after}


def _rules(before: SessionState, after: SessionState, quotes: _Quotes) -> Iterator[RuleChange]:
    if before.terms is None or after.terms is None or before.terms is after.terms:
        return
    old, new = (
        {rule.name: rule for rule in terms.rules if rule.name in terms.file.parts}
        for terms in (before.terms, after.terms)
    )
    lines_before, lines_after = (terms.file.text.splitlines() for terms in (before.terms, after.terms))
    for name in dict.fromkeys((*new, *old)):
        was, now = old.get(name), new.get(name)
        text_before = "" if was is None else _rule_text(before.terms, lines_before, was)
        text_after = "" if now is None else _rule_text(after.terms, lines_after, now)
        if was is not None and now is not None:
            named = quotes.same(was.requirements, now.requirements)
            if named and _same_text(_without_ids(text_before, was), _without_ids(text_after, now)):
                continue
        rule = now or was
        yield RuleChange(
            name,
            rule.requirements if rule is not None else (),
            text_before,
            text_after,
            was.message if was is not None else "",
            now.message if now is not None else "",
        )


def _rule_text(terms: PolicyTerms, lines: Sequence[str], rule: Rule) -> str:
    part = terms.file.part(rule)
    return "\n".join(lines[max(part.line - 1, 0) : part.end_line])


def _same_text(before: str, after: str) -> bool:
    """Whether two texts of a rule differ at most in layout, which a merge changes."""
    if before == after:
        return True
    from workbench.policy.render import format_policy

    return format_policy(before) == format_policy(after)


@lru_cache(maxsize=1024)
def _condition(text: str) -> str:
    """The condition of a clause without its layout, which may have several lines; empty for no clause."""
    return ast.dump(ast.parse(f"(\n{text}\n)")) if text else ""


def _without_ids(text: str, rule: Rule) -> str:
    """The text of a rule without the requirement ids before its message."""
    return text.replace(f'"""{", ".join(rule.requirements)}: ', '"""', 1)


def _clauses(
    before: Sequence[ClauseState], after: Sequence[ClauseState], quotes: _Quotes
) -> Iterator[ClauseChange]:
    for old, new in _paired(before, after, quotes):
        clause_state = new or old
        if clause_state is None:
            continue
        was, now = old.status if old is not None else None, new.status if new is not None else None
        text_before = old.source if old is not None else ""
        text_after = new.source if new is not None else ""
        judged = was is not None and now is not None and was is not now
        if judged or _condition(text_before) != _condition(text_after):
            yield ClauseChange(
                clause_state.clause.id,
                clause_state.clause.requirements,
                text_before,
                text_after,
                was,
                now,
                previewed_before=old is not None and old.only_previewed,
                previewed_after=new is not None and new.only_previewed,
            )


def _paired(
    before: Sequence[ClauseState], after: Sequence[ClauseState], quotes: _Quotes
) -> Iterator[tuple[ClauseState | None, ClauseState | None]]:
    """The clauses of two contracts in pairs: of the same text, else of the same requirements.

    The ids are numbers of the clauses of a file, so an added clause shifts the ids after it.
    """

    def same_text(old: Clause, new: Clause) -> bool:
        is_same = _condition(old.source) == _condition(new.source)
        return is_same and quotes.same(old.requirements, new.requirements)

    def same_requirements(old: Clause, new: Clause) -> bool:
        return quotes.known(old.requirements, new.requirements)

    left = list(before)
    was: dict[str, ClauseState] = {}
    for are_same in (same_text, same_requirements):
        for new in after:
            if new.clause.id in was:
                continue
            old = next(
                (clause_state for clause_state in left if are_same(clause_state.clause, new.clause)), None
            )
            if old is not None:
                left.remove(old)
                was[new.clause.id] = old
    for new in after:
        yield was.get(new.clause.id), new
    for old in left:
        yield old, None


def _cases(before: SessionState, after: SessionState) -> Iterator[CaseChange]:
    old, new = ({case.id: case for case in state.cases} for state in (before, after))
    for name in dict.fromkeys((*new, *old)):
        was, now = _passed(before.results.get(name)), _passed(after.results.get(name))
        added, removed = name not in old, name not in new
        turned = was is not None and now is not None and was is not now
        if added or removed or turned:
            case = new.get(name) or old[name]
            yield CaseChange(name, case.requirements, added, removed, was, now)


def _passed(result: CaseResult | None) -> bool | None:
    return None if result is None else result.passed


def _calls(before: SessionState, after: SessionState) -> Iterator[CallChange]:
    """The calls that both states decided differently, matched by run and index: a log may have grown."""
    known = min(len(before.decisions), len(after.decisions))
    old_logs, new_logs = before.logs, after.logs
    if old_logs is not None and new_logs is not None and old_logs.calls[:known] == new_logs.calls[:known]:
        old, new = before.verdicts[:known], after.verdicts[:known]
        pairs = () if old == new else zip(old, new, strict=True)
        for position, was in [(at, was) for at, (was, now) in enumerate(pairs) if was is not now]:
            decided = after.decisions[position]
            yield CallChange(decided.run, decided.index, position, was, decided.decision.verdict)
        return
    by_call = {(decision.run, decision.index): decision.decision.verdict for decision in before.decisions}
    for position, decided in enumerate(after.decisions):
        was = by_call.get((decided.run, decided.index))
        if was is not None and was is not decided.decision.verdict:
            yield CallChange(decided.run, decided.index, position, was, decided.decision.verdict)


def _questions(before: SessionState, after: SessionState) -> Iterator[QuestionChange]:
    old, new = ({question.id: question for question in state.open} for state in (before, after))
    for name, question in new.items():
        if name not in old:
            yield QuestionChange(name, question.text, opened=True)
        elif {one.value for one in question.options} != {one.value for one in old[name].options}:
            yield QuestionChange(name, question.text, opened=True, options=True)
    for name, question in old.items():
        if name not in new:
            yield QuestionChange(name, question.text, opened=False)
