"""The request of a session: its draft, and the resulting policy, cases and assumptions."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.agent_trouble import NAME as AGENT
from workbench.app.agent_trouble import agent_trouble
from workbench.app.results import PlannedSession, SessionChange, choices_of
from workbench.model import AgentSpec, Assumption, Case, Draft, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.contradictions import Contradiction
    from workbench.policy.terms import Clause, PolicyTerms
    from workbench.session import Session


_NARROW = "Narrow clauses by the rules that were added"


class Request:
    """The request and its draft under the session's assumptions."""

    def __init__(self, session: Session, authorship: Authorship) -> None:
        self._session = session
        self._authorship = authorship
        self._together = False
        self._anyway = False
        self._last_stored: PlannedSession | None = None

    @contextmanager
    def together(self, label: str) -> Generator[None]:
        """Join all assumptions made inside into one change with this label; its end generates the cases."""
        before = self._session.policy
        with self._session.transaction(label):
            self._together, self._last_stored = True, None
            try:
                yield
            finally:
                self._together = False
            if self._last_stored is not None:
                self._stored(self._last_stored, label, self.check_agreement(before, self._session.policy))

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

    def check_agreement(self, before: str, after: str) -> tuple[Contradiction, ...]:
        """Raise ``Contradicts`` if an act of the program makes the policy break clauses of its contract.

        ``before`` is the policy before the act. If a person said that it is stored anyway, the clauses are
        returned.
        """
        from workbench.app.contradictions import Contradicts, contradictions

        found = contradictions(before, after)
        if found and not self._anyway:
            raise Contradicts(found)
        return found

    def draft(self, choices: Mapping[str, str] | None = None, spec: AgentSpec | None = None) -> Draft:
        """The draft under the given choices or the session's assumptions, from its agent spec or another."""
        if choices is None:
            choices = choices_of(self.assumptions)
        return self._authorship.author.draft(self._session.request, spec or self._session.spec, choices)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The session's assumptions, with the ids of the present draft.

        They differ from the stored assumptions only if another program changed the request. Assumptions about
        sentences that are gone are included, and raise no question.
        """
        return self._present_assumptions(gone=True)

    def _present_assumptions(self, *, gone: bool) -> tuple[Assumption, ...]:
        from workbench.session.redrafting import moved, quotes_of

        assumptions, base = self._session.assumptions, self._session.drafted
        if not assumptions or self._session.info.author != "rules":
            return assumptions  # any other author would need a model call
        if base is not None:
            draft = self.draft(choices_of(assumptions))
            quotes = quotes_of(draft)
            if quotes != base.quotes:
                assumptions = moved(base.quotes, quotes).assumptions(assumptions, draft.sentences, gone=gone)
        return assumptions

    def planned(
        self,
        assumptions: tuple[Assumption, ...],
        before: Draft | None = None,
        spec: AgentSpec | None = None,
    ) -> PlannedSession:
        """The session as it would be under the assumptions, merged with the edits of a person.

        ``before`` is the draft whose ids the assumptions have; without it, the present one. ``spec`` replaces
        the session's agent spec.
        """
        from workbench.policy.merge import Merged
        from workbench.session.merged_draft import drafted_of
        from workbench.session.redrafting import carried, merged_calls, merged_policy, replaced_outside

        if self._session.is_drafted:
            draft = self.draft(choices_of(assumptions), spec)
            merged = merged_calls(self._session.drafted, self._session.written, draft)
            return PlannedSession(draft, assumptions, merged)
        if self._session.is_written:
            return PlannedSession(self.draft(), assumptions, Merged(self._session.written))
        old = before or self.drafted_from()
        draft = self.draft(choices_of(assumptions), spec)
        carried_assumptions = carried(old, draft, assumptions)
        if carried_assumptions != assumptions:
            draft = self.draft(choices_of(carried_assumptions), spec)
        stored = self._session.drafted
        base = stored or drafted_of(old.policy, old.requirements)
        return PlannedSession(
            draft,
            carried_assumptions,
            merged_policy(
                base,
                self._session.policy,
                draft,
                replaced_outside(self._session),
                guessed=stored is None,
            ),
        )

    def drafted_from(self) -> Draft:
        """The draft that the session's policy was made from."""
        return self._draft_before_outside() or self.draft()

    def _draft_before_outside(self) -> Draft | None:
        """The draft of the session's content before other programs changed it; None if a draft is stored."""
        from workbench.session.redrafting import before_outside

        if self._session.drafted is not None or self._session.info.author != "rules":
            return None
        try:
            if (held := before_outside(self._session)) is None:
                return None
            return self._authorship.author.draft(held.request, held.spec, choices_of(held.assumptions))
        except WorkbenchError:
            return None  # nothing was drafted from content that cannot be read

    def agreeing(self, text: str) -> str:
        """An edit of the policy file with the program's clauses narrowed by the rules that were added to it.

        If the edit adds, changes and removes no such rule, it stays as it is.
        """
        from workbench.app.said_clauses import narrowed_edit
        from workbench.check.narrowed_clauses import added_rules, agreeing
        from workbench.session.redrafting import replaced_outside

        if self._session.is_written:
            return narrowed_edit(self._session.agent, text, self._session.written)
        before, drafted = self._session.policy, self._drafted_policy()
        if added_rules(before, drafted) == added_rules(text, drafted):
            return text
        return agreeing(text, (before, *replaced_outside(self._session)), drafted)

    def not_narrowed(self) -> tuple[Clause, ...]:
        """The program's clauses in the policy file that do not follow the rules which were added to it."""
        from workbench.app.said_clauses import clauses_behind
        from workbench.check.narrowed_clauses import not_narrowed
        from workbench.session.redrafting import replaced_outside

        if self._session.is_written:
            return clauses_behind(self._session)
        return not_narrowed(self._session.policy, replaced_outside(self._session), self._drafted_policy())

    def narrow(self, *before: str) -> bool:
        """Narrow the program's clauses by the rules that other programs added to the policy file.

        ``before`` are policies that the file was merged from. It is a change of its own, which undo takes
        back. False if every clause follows the rules.
        """
        from workbench.app.said_clauses import in_line
        from workbench.check.narrowed_clauses import agreeing, not_narrowed
        from workbench.session.redrafting import replaced_outside

        session = self._session
        if session.is_written:
            text = in_line(session.agent, session.written)
            if text == session.written:
                return False
            session.set_policy(text, _NARROW)
            return True
        drafted = self._drafted_policy()
        edited = (*before, *replaced_outside(session))
        if not not_narrowed(session.policy, edited, drafted):
            return False
        text = agreeing(session.policy, edited, drafted)
        session.set_policy(text, _NARROW)
        return True

    def _drafted_policy(self) -> str:
        """The policy of the draft that the policy file was merged with; empty if it is not known."""
        if (stored := self._session.drafted) is not None:
            return stored.policy
        return self.drafted_from().policy if self._session.info.author == "rules" else ""

    def assume(
        self,
        assumptions: tuple[Assumption, ...],
        label: str,
        before: Draft | None = None,
        *,
        opens: bool = False,
    ) -> SessionChange:
        """Store assumptions and their consequences, as one change.

        Raises ``Contradicts``, and stores nothing, if the policy then breaks clauses of its contract. An act
        that ``opens`` a question is never refused, since what holds until its answer is provisional.
        """
        if self._session.is_written and not self._session.is_drafted:
            return self._accepted_findings(assumptions, label)
        planned = self.planned(assumptions, before)
        if self._session.is_drafted:  # what a person decided of a draft holds, and the draft is stale
            return self._stored(planned, label)
        if self._together:
            return self._stored(planned, label)
        if opens:
            return self._reported(planned, label)
        found = self.check_agreement(self._session.policy, planned.merged.text)
        return self._stored(planned, label, found)

    def _accepted_findings(self, assumptions: tuple[Assumption, ...], label: str) -> SessionChange:
        """Store what a person accepts of a written policy; raises WorkbenchError for any other answer."""
        from workbench.app.clause_findings import is_finding
        from workbench.app.no_dialogue import refuse_dialogue

        if not all(is_finding(assumption.question) for assumption in assumptions):
            refuse_dialogue(self._session)
        self._session.set_assumptions(assumptions, label)
        return SessionChange(policy=False, cases=False)

    def _stored(
        self, planned: PlannedSession, label: str, found: tuple[Contradiction, ...] = ()
    ) -> SessionChange:
        from workbench.session.merged_draft import drafted_of

        session, merged = self._session, planned.merged
        self._last_stored = planned
        cases = session.cases
        if not self._together:
            cases = self.cases_of(planned.draft, planned.assumptions, merged.text)
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

    def cases_of(self, draft: Draft, assumptions: tuple[Assumption, ...], text: str) -> tuple[Case, ...]:
        """The cases generated from the draft (an edit of the file can fail them), and a person's cases.

        An author that asks a model adds its own cases. ``text`` is the policy file. Rules that a person wrote
        in it get cases of their decisions, and take part together with the drafted rules when these cases are
        made. If a person wrote all rules of the file, there are no cases of the draft, since they would be
        about another policy.
        """
        from workbench.app.clause_findings import is_finding
        from workbench.check.cases_generate import generate_cases
        from workbench.policy.check import check

        chosen = choices_of(assumptions)
        chosen_assumptions = tuple(
            item for item in assumptions if item.question in chosen and not is_finding(item.question)
        )
        if self._session.is_drafted:
            return self._cases_of_drafted(draft, text)
        lowered = self._session.lowered if self._session.is_written else None
        drafted = check(draft.policy) if lowered is None else lowered.terms
        file, own_rules = self._own_rules(drafted, text)
        foreign = file is not None and bool(file.rules) and len(own_rules) == len(file.rules)
        generated: tuple[Case, ...] = ()
        if file is not None and foreign:
            generated = generate_cases(file, draft.requirements, only=own_rules)
        else:
            whole = drafted if file is None or not own_rules else _with_drafted(file, drafted)
            generated = generate_cases(whole, draft.requirements, assumptions=chosen_assumptions)
        names = {case.id for case in generated}
        cases = tuple(
            case
            for case in self._session.cases
            if case.origin not in ("generated", "model") and case.id not in names
        )
        by_model = () if foreign else (case for case in draft.cases if case.id not in names)
        return (*generated, *by_model, *cases)

    def _cases_of_drafted(self, draft: Draft, text: str) -> tuple[Case, ...]:
        """The cases of the rules of a policy of calls, the model's, and a person's."""
        from workbench.check.cases_generate import generate_cases

        terms = self._terms_of(text, draft)
        generated = () if terms is None else generate_cases(terms, draft.requirements)
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

    def _own_rules(self, drafted: PolicyTerms, text: str) -> tuple[PolicyTerms | None, frozenset[str]]:
        """The checked file, None if it is not in the dialect, and the names of its rules without a draft."""
        from workbench.policy.check import check

        try:
            file = check(text)
        except WorkbenchError:
            return None, frozenset()
        drafted_names = {rule.name for rule in drafted.rules}
        return file, frozenset(rule.name for rule in file.rules) - drafted_names

    def redraft(self, *, discard_edits: bool = False) -> SessionChange:
        """Write policy and cases from the request; edits of a person stay unless ``discard_edits``."""
        from workbench.app.no_dialogue import refuse_dialogue
        from workbench.session.redrafting import as_drafted

        if self._session.is_written and not self._session.is_drafted:
            behind = tuple(clause.comment or clause.source for clause in self.not_narrowed())
            if self.narrow():
                return SessionChange(policy=True, cases=False, narrowed=behind)
        if not self._session.is_drafted:
            refuse_dialogue(self._session)
        if trouble := agent_trouble(self._session.spec, self._session.text(AGENT)):
            raise WorkbenchError(trouble)
        stored = self.assumptions
        narrowed = (
            () if discard_edits else tuple(clause.comment or clause.source for clause in self.not_narrowed())
        )
        with self._session.transaction("Draft from the request"):
            self._authorship.renew()
            planned = self.planned(self._present_assumptions(gone=False))
            if discard_edits:
                planned = replace(planned, merged=as_drafted(planned.draft))
            changed = self._reported(planned, "Draft from the request")
        return replace(changed, dropped=self._dropped(stored), narrowed=narrowed)

    def _reported(self, planned: PlannedSession, label: str) -> SessionChange:
        """Store a planned session that is not refused: contradictions are reported."""
        from workbench.app.contradictions import contradictions, newly_refuted

        if self._session.is_drafted:
            before, after = (
                None if not text.strip() else self._terms_of(text, planned.draft)
                for text in (self._session.written, planned.merged.text)
            )
            found = () if before is None or after is None else newly_refuted(before, after)
            return self._stored(planned, label, found)
        return self._stored(planned, label, contradictions(self._session.policy, planned.merged.text))

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
        """Draft if the session has no policy yet and can be changed."""
        session = self._session
        if (
            (session.is_drafted or not session.is_written)
            and not session.policy.strip()
            and not session.read_only
            and session.interrupted is None
        ):
            self.redraft()

    def stale(self, draft: Draft) -> str:
        """Why the policy file does not follow from the session's draft; empty if it does.

        It follows if drafting anew would leave it as it is, with all that a person edited.
        """
        from workbench.policy.render import format_policy
        from workbench.session.merged_draft import drafted_of
        from workbench.session.redrafting import as_drafted, merged_policy, replaced_outside

        if self._session.is_drafted:
            return self._stale_draft(draft)
        if self._session.is_written:
            return ""
        ours, stored = self._session.policy, self._session.drafted
        theirs = drafted_of(draft.policy, draft.requirements)
        if stored == theirs:
            return ""
        old = None if stored is not None else self._draft_before_outside()
        base = stored or (None if old is None else drafted_of(old.policy, old.requirements))
        try:
            if base is None:
                same = format_policy(ours) == as_drafted(draft).text
                return (
                    "" if same else "nothing tells what the policy was drafted from (draft.toml is missing)"
                )
            merged = merged_policy(base, ours, draft, replaced_outside(self._session))
            same = not merged.conflicts and merged.text == format_policy(ours)
        except WorkbenchError:
            return ""  # the policy does not parse: its problems say so
        return "" if same else "what it is drafted from changed, and the policy was not drafted since"

    def _stale_draft(self, draft: Draft) -> str:
        """Why a policy of calls does not follow from a model's draft; empty if it does."""
        from workbench.policy.render import format_policy
        from workbench.session.redrafting import merged_calls

        ours, stored = self._session.written, self._session.drafted
        if stored is None:
            return "nothing tells what the policy was drafted from (draft.toml is missing)"
        try:
            merged = merged_calls(stored, ours, draft)
            same = not merged.conflicts and merged.text == format_policy(ours)
        except WorkbenchError:
            return ""  # the policy does not parse: its problems say so
        return "" if same else "what it is drafted from changed, and the policy was not drafted since"

    @property
    def policy_edited(self) -> bool:
        """Whether the policy file differs from the draft that it was last merged with."""
        from workbench.policy.render import format_policy

        base, session = self._session.drafted, self._session
        text = session.written if session.is_drafted else session.policy
        return base is not None and text != format_policy(base.policy)

    def set(self, text: str, *, carry: bool = True) -> SessionChange:
        """Write the request, and carry the changes of its draft into policy, cases and answers.

        A person's edits of the policy stay: a part that both changed is a conflict, which is reported. An
        answer stays with its sentence if the sentence moves. Answers about sentences that are gone or have
        another meaning are dropped, and the questions are open again. With ``carry`` False only the request
        is written; the next answer or draft carries it.
        """
        from workbench.session.merged_draft import drafted_of
        from workbench.session.redrafting import as_drafted

        if self._session.is_drafted:
            return self._set_of_drafted(text)
        if self._session.is_written:
            self._session.set_request(text, "Edit the request")
            return SessionChange(policy=False, cases=False)
        assumptions, before = self.assumptions, self.draft()
        with self._session.transaction("Edit the request"):
            self._session.set_request(text)
            if not carry:
                if self._session.drafted is None and self._session.policy == as_drafted(before).text:
                    self._session.set_drafted(drafted_of(before.policy, before.requirements))
                return SessionChange(policy=False, cases=False)
            changed = self._reported(self.planned(assumptions, before), "Edit the request")
        return replace(changed, dropped=self._dropped(assumptions))

    def _set_of_drafted(self, text: str) -> SessionChange:
        """Write the request of a policy that a model drafted, and draft anew.

        Raises ModelError, and changes nothing, if the model cannot be asked.
        """
        with self._session.transaction("Edit the request"):
            self._session.set_request(text)
            return self._reported(self.planned(self._session.assumptions), "Edit the request")

    def _dropped(self, assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
        """The assumptions that the session dropped, under any id."""
        present_keys = {(assumption.statement, assumption.when) for assumption in self._session.assumptions}
        return tuple(
            assumption
            for assumption in assumptions
            if (assumption.statement, assumption.when) not in present_keys
        )


def _with_drafted(file: PolicyTerms, drafted: PolicyTerms) -> PolicyTerms:
    """A policy file with drafted rules as the draft has them, and a person's rules as they are.

    If the file lacks an argument that a drafted rule uses, the result is the draft alone.
    """
    if not {argument.name for argument in drafted.arguments} <= {
        argument.name for argument in file.arguments
    }:
        return drafted
    rules = {rule.name: rule for rule in drafted.rules}
    own_rules = tuple(rule for rule in file.rules if rule.name not in rules)
    return replace(
        file,
        rules=(*drafted.rules, *own_rules),
        sets={**file.sets, **drafted.sets},
        tables={**file.tables, **drafted.tables},
        helpers={**file.helpers, **drafted.helpers},
        constants={**file.constants, **drafted.constants},
        preconditions=(*drafted.preconditions, *file.preconditions),
    )


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
