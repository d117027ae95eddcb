"""What a session owes at this moment, for everything that says whether the session is good.

Logs that are gone since the version was accepted, or of another agent, are owed, too: a check decides the
calls of the logs that are there and says nothing of others, and a log that calls none of the agent's tools
says nothing of the policy either.

An answer to a question of the author is in force where the author still asks it, the draft follows the
answer, and the policy decides as the draft does on every input. The solver has to prove the last; what it
does not know is not in force.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from workbench.app.agent_trouble import NAME as AGENT
from workbench.app.agent_trouble import agent_trouble
from workbench.app.owed import Owed, OwedKind, Owing, not_in_force, owed_draft, owed_files, owed_narrowing
from workbench.app.results import Logs, Understanding
from workbench.author.protocol import CASE
from workbench.clean_text import counted, one_line
from workbench.model import (
    Arguments,
    Assumption,
    Question,
    SentenceRole,
    Verdict,
    WorkbenchError,
)
from workbench.session.accepted_version import AcceptedVersion, log_name

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.enforced import Enforced
    from workbench.app.policy import Policy
    from workbench.app.questions import Questions
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.engines.smt.departure import Departure
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


_MOST_NAMED = 5


class InForce:
    """What is owed to the persons who answered and wrote a session, and whether it is in force."""

    def __init__(
        self,
        session: Session,
        authorship: Authorship,
        request: Request,
        policy: Policy,
        questions: Questions,
        runs: Runs,
        enforced: Enforced,
    ) -> None:
        self._session = session
        self._authorship = authorship
        self._request = request
        self._policy = policy
        self._questions = questions
        self._runs = runs
        self._enforced = enforced

    def owed(
        self,
        understanding: Understanding | None = None,
        logs: Logs | None = None,
    ) -> tuple[Owed, ...]:
        """All that the session owes, in force or not.

        ``understanding`` and ``logs`` are the session's, if the caller has them.
        """
        from workbench.app.owed_cases import owed_cases

        understood = self._questions.understand() if understanding is None else understanding
        owing = self._owing(understood)
        terms = owing.terms
        return (
            *_owed_change(self._session),
            *owed_files(owing),
            *(owed_draft(owing) if self._session.is_drafted else ()),
            *owed_cases(self._session),
            *self._logs(logs),
            *owed_narrowing(owing),
            *self._answers(owing, understood),
            *self._granted(),
            *(() if terms is None else self._theorems(terms)),
            *(() if terms is None else self._beyond_baselines(terms)),
            *(() if terms is None else self._widened(terms)),
        )

    def _owing(self, understood: Understanding) -> Owing:
        """The content of the session at this moment."""
        return Owing(
            folder=str(self._session.path),
            draft=understood.draft,
            assumptions=understood.assumptions,
            questions=understood.questions,
            source=self._session.written,
            terms=self._policy.checked()[0],
            drafted=self._policy.checked(understood.draft.policy if self._session.is_drafted else None)[0],
            outside=self._outside(),
            stale=self._request.stale(understood.draft),
            not_narrowed=self._request.not_narrowed(),
            untold=self._authorship.untold(understood.draft, understood.choices),
        )

    def _answers(self, owing: Owing, understood: Understanding) -> Iterator[Owed]:
        """Each answer to a question, of an author and about the contract."""
        from workbench.app.clause_findings import owed_clauses

        yield from owed_answers(owing)
        if owing.terms is not None:
            yield from owed_clauses(understood, owing.terms, self._lost(understood), owing.folder)

    def _granted(self) -> Iterator[Owed]:
        """The grants, none of which is in force if one of them is wrong."""
        from workbench.session.grants_file import NAME

        problem = self._policy.checked_grants().problem
        if problem:
            mend = f"correct {NAME}, or remove it and grant again"
            yield Owed(OwedKind.GRANT, NAME, "what a person granted is in force", problem, mend)

    def _lost(self, understood: Understanding) -> Mapping[str, str]:
        """What became of the rules that answers about the terms were about."""
        return self._questions.lost(understood.draft)

    def _theorems(self, terms: PolicyTerms) -> Iterator[Owed]:
        """The theorems of the accepted version that the policy does not imply."""
        from workbench.app.owed_theorems import owed_theorems

        now = self._enforced.version
        if now is not None:
            yield from owed_theorems(self._session, now, terms)

    def _widened(self, terms: PolicyTerms) -> tuple[Owed, ...]:
        """What a policy decides otherwise than the accepted version; nothing where none is accepted."""
        from workbench.app.widened import narrowed, not_compared, widened

        version = self._enforced.version
        if version is None:
            return not_compared(self._session, str(self._enforced.now()))
        return *widened(version, terms, self._session), *narrowed(version, terms, self._session)

    def _beyond_baselines(self, terms: PolicyTerms) -> tuple[Owed, ...]:
        """What a policy allows and the sessions that this one extends do not."""
        from workbench.app.widened import beyond_baselines

        return beyond_baselines(self._enforced, terms, self._session)

    def _logs(self, logs: Logs | None) -> Iterator[Owed]:
        """The logs that the accepted version was judged on, and the tools that the present ones call."""
        now = self._enforced.version
        version = None if now is None else now.version
        if version is not None:
            yield from _owed_logs(self._session, version)
        yield from _owed_tools(self._session, version, self._runs.strange_tools(logs))

    def understand(self, logs: Logs | None = None) -> Understanding:
        """The session as understood, with what it owes."""
        understanding = self._questions.understand()
        return replace(understanding, owed=self.owed(understanding, logs=logs))

    def missing(self, understanding: Understanding | None = None) -> tuple[Owed, ...]:
        """What the session owes and is not in force."""
        return not_in_force(self.owed(understanding))

    def missing_answers(self) -> tuple[Owed, ...]:
        """The answers that are not in force, and that no question asks for."""
        understood = self._questions.understand()
        owed = self._answers(self._owing(understood), understood)
        return tuple(one for one in not_in_force(owed) if one.is_answer and not one.question)

    def _outside(self) -> dict[str, str]:
        """The files that are not what the session reads, or cannot be used, each with the reason."""
        session = self._session
        try:
            outside = dict.fromkeys(session.changed_outside(), "")
        except WorkbenchError as error:  # it begins with the name of the first file that cannot be read
            outside = {name: str(error) if str(error).startswith(name) else "" for name in session.differing}
        if trouble := agent_trouble(session.spec, session.text(AGENT)):
            outside.setdefault(AGENT, trouble)
        return outside


# --- the interrupted change of a session, as a thing that the session owes


def _owed_change(session: Session) -> tuple[Owed, ...]:
    """The interrupted change of the session, which a person completes or drops; nothing without one."""
    change = session.interrupted
    if change is None:
        return ()
    mend = f"'workbench redo {session.path}' completes it, 'workbench undo {session.path}' drops it"
    return (Owed(OwedKind.CHANGE, change.time, change.label, change.state, mend),)


def _owed_logs(session: Session, accepted: AcceptedVersion) -> Iterator[Owed]:
    """Each log that the session had when its version was accepted, and has no more."""
    present = {path.name for path in session.log_paths}
    command = f"workbench check {shlex.quote(str(session.path))} --accept --anyway"
    for name in accepted.logs:
        if name not in present:
            yield Owed(
                OwedKind.LOG,
                log_name(name),
                f"the calls of {log_name(name)} are decided as they were when the version was accepted",
                "the file was removed, so a check decides none of them",
                f"put it back, or accept that it is gone: {command} {shlex.quote(log_name(name))}",
            )


def _owed_tools(
    session: Session, accepted: AcceptedVersion | None, strange: Mapping[str, Sequence[str]]
) -> Iterator[Owed]:
    """Each log that calls no tool of the agent spec: ``strange`` has the tools of each, by its name.

    A person accepts it by a name that has the hash of these tools, so that a further one is said again.
    """
    command = f"workbench check {shlex.quote(str(session.path))} --accept --anyway"
    for log, tools in strange.items():
        name = f"{log_name(log)}:{hashlib.sha256(repr(tools).encode()).hexdigest()[:8]}"
        named = ", ".join(repr(one_line(tool)) for tool in tools[:_MOST_NAMED])
        named += f" and {len(tools) - _MOST_NAMED} more" if len(tools) > _MOST_NAMED else ""
        statement = f"{one_line(log_name(log))} is of the agent"
        if accepted is not None and name in accepted.anyway:
            yield Owed(OwedKind.TOOLS, name, statement)
            continue
        yield Owed(
            OwedKind.TOOLS,
            name,
            statement,
            f"agent.toml names no tool that it calls; it calls {counted(len(tools), 'tool')}: {named}",
            f"name them in agent.toml, take the log away, or accept that: {command} {shlex.quote(name)}",
        )


# --- The answers, as things that the session owes


_KEPT = 256
OUTSIDE_DIALECT = "the policy is not in the dialect"
"""Why no answer is in force in a policy that cannot be read."""


def owed_answers(owing: Owing) -> tuple[Owed, ...]:
    """Each stored answer, with the reason why it is not in force.

    What accepts a finding about the contract is no answer about the policy: see ``clause_findings``.
    """
    from workbench.app.clause_findings import is_finding

    answers = _Answers(owing)
    return tuple(
        answers.owed(assumption) for assumption in owing.assumptions if not is_finding(assumption.question)
    )


def _kind(assumption: Assumption, asked: Question | None) -> OwedKind:
    own_words = asked is not None and asked.free_text and assumption.value == assumption.statement
    return OwedKind.WORDS if own_words else OwedKind.ANSWER


@dataclass
class _Answers:
    """The answers of one session at one moment."""

    owing: Owing

    @cached_property
    def _asked(self) -> Mapping[str, Question]:
        """What is asked, by id."""
        return {item.id: item for item in (*self.owing.questions, *self.owing.draft.questions)}

    def owed(self, assumption: Assumption) -> Owed:
        """An answer, with what keeps it from being in force."""
        kind = _kind(assumption, self._asked.get(assumption.question))
        name, statement = assumption.question, assumption.statement
        reason, mend = self._trouble(assumption)
        return Owed(kind, name, statement, reason, mend)

    def _command(self, assumption: Assumption, *words: str) -> str:
        return f"workbench answer {shlex.join([self.owing.folder, assumption.question])} {' '.join(words)}"

    def _trouble(self, assumption: Assumption) -> tuple[str, str]:
        """Why an answer is not in force, and what mends that; both are empty where it is."""
        retract = self._command(assumption, "--retract")
        asked = self._asked.get(assumption.question)
        if asked is None:
            return "the request no longer asks what it answers", retract
        if assumption.question in self.owing.untold:
            return (
                "the model drafted the policy before this answer, which differs from what it assumed",
                f"workbench draft {shlex.quote(self.owing.folder)}, which asks the model again",
            )
        if why := self._refused(assumption, asked):
            return why, f"answer again: {self._command(assumption, 'VALUE')}, or take it back: {retract}"
        if self.owing.terms is None:
            return OUTSIDE_DIALECT, "correct policy.py; its problems say where"
        if why := self._not_witnessed(assumption, asked):
            return why, f"edit policy.py so that it does what the answer says, or take it back: {retract}"
        return "", ""

    # --- whether the draft follows ------------------------------------------------

    def _refused(self, assumption: Assumption, asked: Question) -> str:
        """Why the draft does not follow an answer; empty if it does.

        An answer in a person's own words is followed where the draft reads the sentence that it is about.
        What is doubtful in that reading is an open question of its own.
        """
        if assumption.value in [option.value for option in asked.options]:
            return ""
        said = [
            sentence
            for sentence in self.owing.draft.sentences
            if sentence.span.start <= asked.span.start < sentence.span.end
        ]
        is_read = bool(said) and all(sentence.role is not SentenceRole.OPEN for sentence in said)
        return "" if is_read else "the draft has no rule for it"

    # --- whether the policy follows -----------------------------------------------

    def _not_witnessed(self, assumption: Assumption, asked: Question) -> str:
        """Why the policy is not shown to do what an answer says; empty if it is."""
        terms = self.owing.terms
        if terms is None:
            return OUTSIDE_DIALECT
        if asked.kind == CASE:
            return self._case_missed(assumption, asked, terms)
        if self._as_drafted:
            return ""
        if self._drafted is None:
            return "the draft is not in the dialect, so nothing shows that the policy follows it"
        found = self._departure
        return "" if found.departs is False else self._said(found)

    def _case_missed(self, assumption: Assumption, asked: Question, terms: PolicyTerms) -> str:
        """Why an answer about one input is not in force: the policy decides the input otherwise."""
        from workbench.engines.compiled.compile import compile_policy

        if assumption.value not in tuple(Verdict) or asked.example is None:
            return ""
        names = {parameter.name for parameter in terms.arguments}
        if names - asked.example.keys():
            return "its input no longer has all arguments of the policy"
        example = {name: value for name, value in asked.example.items() if name in names}
        verdict = compile_policy(terms).decide(example).verdict
        return "" if verdict == assumption.value else f"the policy says {verdict} there"

    @cached_property
    def _as_drafted(self) -> bool:
        """Whether the policy file is the draft's."""
        from workbench.policy.render import format_policy

        return self._drafted is not None and self.owing.source == format_policy(self.owing.draft.policy)

    @property
    def _drafted(self) -> PolicyTerms | None:
        return self.owing.drafted

    @cached_property
    def _own(self) -> frozenset[str]:
        """The rules of the policy that no draft has: a person wrote them."""
        terms, drafted = self.owing.terms, self._drafted
        assert terms is not None and drafted is not None
        return frozenset(rule.name for rule in terms.rules) - {rule.name for rule in drafted.rules}

    @cached_property
    def _departure(self) -> Departure:
        """Whether the policy departs from the draft anywhere."""
        terms, drafted = self.owing.terms, self._drafted
        assert terms is not None and drafted is not None
        return _departure(terms, drafted, self._own)

    def _said(self, found: Departure) -> str:
        """A departure in words."""
        if found.departs is None:
            return (
                "nothing shows that the policy does what it says: the solver does not decide it "
                f"({found.why})"
            )
        assert found.arguments is not None
        verdict = "allows" if found.allowed else "denies"
        return f"policy.py was edited otherwise: it {verdict} {self._shown(found.arguments)}"

    def _shown(self, arguments: Arguments) -> str:
        from workbench.app.value_texts import arguments_words
        from workbench.policy.decisive_part import what_fires

        policies = [terms for terms in (self.owing.terms, self._drafted) if terms is not None]
        return arguments_words(what_fires(policies, arguments) or arguments) or "every call"


@lru_cache(maxsize=_KEPT)
def _departure(policy: PolicyTerms, drafted: PolicyTerms, own: frozenset[str]) -> Departure:
    """Whether a policy departs from a draft."""
    from workbench.engines.smt.departure import Departure, departure

    try:
        return departure(policy, drafted, own=own)
    except WorkbenchError as error:
        return Departure(None, why=str(error))
