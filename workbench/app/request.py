"""The request of a session: its draft, and the resulting policy, cases and assumptions.

The clauses of a policy of calls that follow from its rules, where a person edits the file.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.app.agent_trouble import NAME as AGENT
from workbench.app.agent_trouble import agent_trouble
from workbench.app.session_language import language_of
from workbench.dialect.written_agent import WrittenAgent
from workbench.language.alone import ALONE
from workbench.model import AgentSpec, Assumption, Case, Draft, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.contradictions import Contradiction
    from workbench.app.results import PlannedSession, SessionChange
    from workbench.language.language import Language
    from workbench.language.own_clauses import OwnClause
    from workbench.language.trees import Tree
    from workbench.policy.merge import Merged
    from workbench.policy.terms import Clause, PolicyTerms
    from workbench.session import Session

_LIMIT_MS = 1_500


class Request:
    """The request and its draft under the session's assumptions."""

    def __init__(self, session: Session, authorship: Authorship) -> None:
        self._session = session
        self._authorship = authorship
        self._anyway = False

    @property
    def is_anyway(self) -> bool:
        """Whether what is done is stored even if the policy then contradicts its own contract."""
        return self._anyway

    @contextmanager
    def anyway(self) -> Generator[None]:
        """Store what is done inside even if the policy then contradicts its own contract."""
        self._anyway = True
        try:
            yield
        finally:
            self._anyway = False

    def draft(self, choices: Mapping[str, str] | None = None) -> Draft:
        """The draft under the given choices or the session's assumptions."""
        from workbench.app.results import choices_of

        if choices is None:
            choices = choices_of(self.assumptions)
        return self._authorship.author.draft(self._session.request, self._session.spec, choices)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The session's assumptions."""
        return self._session.assumptions

    def assumed(self) -> Mapping[str, str]:
        """What the draft of a model goes by where nobody answers: the value by the question."""
        return self._authorship.assumed()

    def untold(self) -> frozenset[str]:
        """The questions whose answers the draft of a model does not contain yet."""
        from workbench.app.results import choices_of

        return self._authorship.untold(self.draft(), choices_of(self.assumptions))

    def planned(self, assumptions: tuple[Assumption, ...]) -> PlannedSession:
        """The session as it would be under the assumptions; a draft is merged with the edits of a person."""
        from workbench.app.results import PlannedSession, choices_of
        from workbench.policy.merge import Merged

        draft = self.draft(choices_of(assumptions))
        merged = self._merged(draft) if self._session.is_drafted else Merged(self._session.written)
        return PlannedSession(draft, assumptions, merged)

    def _merged(self, draft: Draft) -> Merged:
        """The policy file merged with a draft; the draft's own file if there is no file.

        Base is the draft that the file was last merged with; without it, what differs is a person's.
        """
        from workbench.policy.merge import Merged, merge
        from workbench.policy.render import format_policy

        base, ours = self._session.drafted, self._session.written
        if not ours.strip():
            return Merged(format_policy(draft.policy))
        return merge(draft.policy if base is None else base.policy, ours, draft.policy)

    def agreeing(self, text: str) -> str:
        """An edit of the policy file, with the program's clauses in step with its rules."""
        return _narrowed_edit(self._session.agent, text, self._session.written)

    def not_narrowed(self) -> tuple[Clause, ...]:
        """The program's clauses in the policy file that do not follow its rules."""
        return _clauses_behind(self._session)

    def narrow(self) -> bool:
        """Let the program's clauses follow the rules that other programs changed in the policy file.

        It is a change of its own, which undo takes back. False if every clause follows the rules.
        """
        text = _in_line(self._session.agent, self._session.written)
        if text == self._session.written:
            return False
        self._session.set_policy(text, "Let clauses follow the rules")
        return True

    def assume(self, assumptions: tuple[Assumption, ...], label: str) -> SessionChange:
        """Store assumptions and their consequences, as one change.

        Raises WorkbenchError if one of them answers no question about the policy as it is written.
        """
        if self._session.is_drafted:  # what a person decided of a draft holds, and the draft is stale
            return self._stored(self.planned(assumptions), label)
        return self._accepted_findings(assumptions, label)

    def _accepted_findings(self, assumptions: tuple[Assumption, ...], label: str) -> SessionChange:
        """Store what a person accepts of a written policy; raises WorkbenchError for any other answer."""
        from workbench.app.clause_findings import is_finding
        from workbench.app.results import SessionChange

        if not all(is_finding(assumption.question) for assumption in assumptions):
            raise self._written_error()
        self._session.set_assumptions(assumptions, label)
        return SessionChange(policy=False, cases=False)

    def _written_error(self) -> WorkbenchError:
        return WorkbenchError(
            f"The policy of {self._session.info.name} is written, and nothing is drafted from sentences: "
            'edit policy.py. A rule or clause is about a sentence if its text is "R1: " and the sentence.'
        )

    def _stored(
        self, planned: PlannedSession, label: str, found: tuple[Contradiction, ...] = ()
    ) -> SessionChange:
        from workbench.app.results import SessionChange
        from workbench.session.merged_draft import drafted_of

        session, merged = self._session, planned.merged
        cases = self._cases(planned.draft, self._terms_of(merged.text, planned.draft))
        changed = SessionChange(
            merged.text != session.written, cases != session.cases, merged.conflicts, contradictions=found
        )
        stays = planned.assumptions == session.assumptions
        with session.transaction(label):
            if planned.draft.agent is not None and planned.draft.agent != session.agent:
                session.set_spec(planned.draft.agent)
            session.set_assumptions(planned.assumptions)
            session.set_policy(merged.text)
            session.set_cases(cases)
            has_draft = session.drafted is not None or merged.conflicts
            if changed.policy or changed.cases or not stays or not has_draft:
                session.set_drafted(drafted_of(planned.draft.policy, planned.draft.requirements))
        return changed

    def cases(self) -> tuple[Case, ...]:
        """The cases of the policy file: those generated from its rules, the author's, and a person's.

        Raises WorkbenchError if it is not in the dialect.
        """
        from workbench.dialect.lowered_policy import lowered_policy

        terms = lowered_policy(self._session.written, self._session.agent).terms
        return self._cases(self.draft(), terms)

    def _cases(self, draft: Draft, terms: PolicyTerms | None) -> tuple[Case, ...]:
        """The cases of the rules of a policy, none of them without terms, the author's, and a person's."""
        from workbench.check.cases_generate import generate_cases

        generated = () if terms is None else generate_cases(terms)
        own = (case for case in self._session.cases if case.origin not in ("generated", "model"))
        cases = {case.id: case for case in (*generated, *draft.cases, *own)}
        return tuple(cases.values())

    def _terms_of(self, text: str, draft: Draft) -> PolicyTerms | None:
        """A policy of calls over plain arguments, for the agent of a draft; None outside the dialect."""
        from workbench.dialect.lowered_policy import lowered_policy

        try:
            return lowered_policy(text, draft.agent or self._session.agent).terms
        except WorkbenchError:
            return None

    def redraft(self, *, discard_edits: bool = False) -> SessionChange:
        """Let the author draft anew; edits of a person stay unless ``discard_edits``.

        Of a policy that a person writes only the program's clauses follow its rules; raises WorkbenchError if
        they do already.
        """
        from workbench.app.results import SessionChange
        from workbench.policy.merge import Merged
        from workbench.policy.render import format_policy

        if not self._session.is_drafted:
            behind = tuple(clause.comment or clause.source for clause in self.not_narrowed())
            if self.narrow():
                return SessionChange(policy=True, cases=False, narrowed=behind)
            raise self._written_error()
        if trouble := agent_trouble(self._session.spec, self._session.text(AGENT)):
            raise WorkbenchError(trouble)
        with self._session.transaction("Draft from the request"):
            self._authorship.renew()
            planned = self.planned(self.assumptions)
            if discard_edits:
                planned = replace(planned, merged=Merged(format_policy(planned.draft.policy)))
            return self._reported(planned, "Draft from the request")

    def _reported(self, planned: PlannedSession, label: str) -> SessionChange:
        """Store a planned session that is not refused: contradictions are reported."""
        from workbench.app.contradictions import newly_refuted

        before, after = (
            None if not text.strip() else self._terms_of(text, planned.draft)
            for text in (self._session.written, planned.merged.text)
        )
        found = () if before is None or after is None else newly_refuted(before, after)
        return self._stored(planned, label, found)

    def redraft_with_answers(self) -> tuple[SessionChange, str]:
        """Draft with the answers given since, and say by proof how the new reading compares with the old one.

        The old reading is what the author drafted, without the denial of what waited for the answers.
        """
        before = self._authorship.drafted_policy() or self._session.written
        agent = self._session.agent
        changed = self.redraft()
        after = self._authorship.drafted_policy() or self._session.written
        return changed, _compared_readings((before, agent), (after, self._session.agent))

    def draft_first(self) -> None:
        """Draft if the author asks a model, the session has no policy yet, and it can be changed."""
        session = self._session
        has_policy = bool(session.written.strip())
        if session.is_drafted and not has_policy and not session.read_only and session.interrupted is None:
            self.redraft()

    def stale(self, draft: Draft) -> str:
        """Why the policy file does not follow from the session's draft; empty if it does.

        It follows if drafting anew would leave it as it is, with all that a person edited.
        """
        from workbench.policy.render import format_policy

        if not self._session.is_drafted:
            return ""
        if self._session.drafted is None:
            return "nothing tells what the policy was drafted from (draft.toml is missing)"
        try:
            merged = self._merged(draft)
            same = not merged.conflicts and merged.text == format_policy(self._session.written)
        except WorkbenchError:
            return ""  # the policy does not parse: its problems say so
        return "" if same else "what it is drafted from changed, and the policy was not drafted since"

    @property
    def policy_edited(self) -> bool:
        """Whether the policy file differs from the draft that it was last merged with."""
        from workbench.policy.render import format_policy

        base = self._session.drafted
        return base is not None and self._session.written != format_policy(base.policy)

    def set(self, text: str) -> SessionChange:
        """Write the request; an author that asks a model drafts anew, and a person's edits stay.

        Raises ModelError, and changes nothing, if a model is to draft and cannot be asked.
        """
        from workbench.app.results import SessionChange

        if not self._session.is_drafted:
            self._session.set_request(text, "Edit the request")
            return SessionChange(policy=False, cases=False)
        with self._session.transaction("Edit the request"):
            self._session.set_request(text)
            return self._reported(self.planned(self._session.assumptions), "Edit the request")


# --- which of two drafted readings of a request is stricter, by proof


def _compared_readings(before: tuple[str, AgentSpec], after: tuple[str, AgentSpec]) -> str:
    """One sentence: which of two policies, drafted before and after an answer, allows less.

    The solver proves it; what a model said of its readings does not count.
    """
    from workbench.dialect.lowered_policy import lowered_policy
    from workbench.dialect.same_expressions import named_alike
    from workbench.engines.smt.diff import semantic_diff

    try:
        old, new = lowered_policy(*before).terms, lowered_policy(*after).terms
        found = semantic_diff(old, named_alike(new, old))
    except WorkbenchError as error:
        return f"Which of the two readings is stricter is not known: {error}"
    if found.equivalent:
        return "Proved: both readings decide every call alike."
    if found.unknown or found.more or found.notes:
        why = found.unknown or "; ".join(found.notes) or "there are too many differences"
        return f"Which of the two readings is stricter is not known ({why})."
    wider = [region.widens for region in found.regions]
    if not any(wider):
        return "Proved: the reading that was chosen is the stricter one."
    if all(wider):
        return "Proved: the reading that was chosen allows more."
    return "Proved: neither reading is stricter; each allows calls that the other denies."


def _narrowed_edit(agent: AgentSpec, text: str, before: str) -> str:
    """An edit of a policy, with what its own clauses demand narrowed by the prohibitions that it adds.

    A clause that followed a rule follows it if it says more now. An edit that is not in the dialect stays
    as it is; so does one of a policy that was not.
    """
    from workbench.language.own_clauses import following, narrowed, own_clauses
    from workbench.language.trees import canonical

    try:
        with ALONE:
            language, earlier = language_of(text, agent), language_of(before, agent)
            known = own_clauses(earlier, before)
            stronger = {
                now.name: now
                for now, written in _saying_less(language, agent)
                if now.name in known and canonical(written) == canonical(known[now.name].tree)
            }
            return _same(text, following(narrowed(language, text, earlier), stronger))
    except WorkbenchError:
        return text


def _in_line(agent: AgentSpec, text: str) -> str:
    """A policy with its own clauses as they follow from its rules; a clause that a person edited stays.

    Of two forms of one clause the rule's takes the place of one that says less.
    """
    try:
        with ALONE:
            return _with_own_clauses(language_of(text, agent), WrittenAgent(agent))
    except WorkbenchError:
        return text


@lru_cache(maxsize=4)
def _with_own_clauses(language: Language, agent: WrittenAgent) -> str:
    from workbench.language.own_clauses import following, in_step

    text = language.source
    stronger = {now.name: now for now, _ in _saying_less(language, agent.spec)}
    return _same(text, following(in_step(language, text, text), stronger))


def _saying_less(language: Language, agent: AgentSpec) -> Iterator[tuple[OwnClause, Tree]]:
    """Yield each clause of a rule that says less than the rule does, as the clause that follows from it.

    That of a rule which says less than its clause stays: the proof refutes it.
    """
    from workbench.language.own_clauses import behind

    for now, written in behind(language, language.source):
        if _implies(language, agent, now.tree, written) and not _implies(language, agent, written, now.tree):
            yield now, written


def _implies(language: Language, agent: AgentSpec, one: Tree, other: Tree) -> bool:
    """Whether it is proved that a clause says at least what another one says, whatever a call has."""
    from workbench.dialect.lowered_policy import lowered_policy
    from workbench.engines.smt.formula import Formula, SolverAnswer
    from workbench.engines.smt.rule_by_rule import with_result
    from workbench.engines.smt.solved_queries import solve
    from workbench.language.own_clauses import OF_RULE
    from workbench.language.python_text import clause_text
    from workbench.policy.connectives import FALSE, TRUE, conjunction, negate

    names = f"{OF_RULE}_one", f"{OF_RULE}_other"  # no rule begins so
    texts = map(clause_text, (one, other), names, names)
    terms = lowered_policy("\n\n\n".join((language.source, *texts)), agent).terms
    said, implied = (
        conjunction(clause.term for clause in terms.clauses if clause.comment == name) for name in names
    )
    return all(
        solve(Formula(terms), with_result(conjunction((said, negate(implied))), result), _LIMIT_MS)[0].status
        is SolverAnswer.UNSAT
        for result in (TRUE, FALSE)
    )


def _clauses_behind(session: Session) -> tuple[Clause, ...]:
    """The own clauses of a policy that do not follow its rules, as one was changed without them."""
    from workbench.dialect.lowered_policy import lowered_policy

    text = session.written
    after = _in_line(session.agent, text)
    if after == text:
        return ()
    kept = {clause.source for clause in lowered_policy(after, session.agent).terms.clauses}
    return tuple(
        clause for clause in lowered_policy(text, session.agent).terms.clauses if clause.source not in kept
    )


def _same(text: str, after: str) -> str:
    """The text as it is if nothing but empty lines differ."""
    said = [[line for line in one.split("\n") if line.strip()] for one in (text, after)]
    return text if said[0] == said[1] else after
