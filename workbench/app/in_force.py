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
from workbench.app.cases import removed_cases
from workbench.app.enforced import accept_command
from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.app.results import Logs, Understanding
from workbench.author.protocol import CASE
from workbench.clean_text import counted, one_line
from workbench.model import (
    Arguments,
    Assumption,
    ImportProblem,
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
        understood = self._questions.understand() if understanding is None else understanding
        terms = self._policy.checked()[0]
        return (
            *self._change(),
            *self._files(),
            *self._draft(understood),
            *self._cases(),
            *self._logs(logs),
            *self._narrowing(),
            *self._answers(understood, terms),
            *self._granted(),
            *(() if terms is None else self._compared(terms)),
        )

    @property
    def _folder(self) -> str:
        """The session's folder, for the commands that mend something."""
        return str(self._session.path)

    def _change(self) -> Iterator[Owed]:
        """The interrupted change of the session, which a person completes or drops."""
        change = self._session.interrupted
        if change is not None:
            mend = f"'workbench redo {self._folder}' completes it, 'workbench undo {self._folder}' drops it"
            yield Owed(OwedKind.CHANGE, change.time, change.label, change.state, mend)

    def _files(self) -> Iterator[Owed]:
        """The files that other programs changed since they were read; none of them is what is checked."""
        for name, trouble in self._outside().items():
            yield Owed(
                OwedKind.FILE,
                name,
                f"{name} is what the session reads",
                trouble or f"{name} was changed by another program and is not taken over",
                f"correct {name}" if trouble else f"open {self._folder} again",
            )

    def _draft(self, understood: Understanding) -> Iterator[Owed]:
        """Whether the policy follows from the draft; if drafting anew would change it, it does not."""
        if self._session.is_drafted:
            stale = self._request.stale(understood.draft)
            yield Owed(
                OwedKind.DRAFT,
                "policy.py",
                "the policy follows from request.md, agent.toml and assumptions.toml",
                stale,
                f"workbench draft {self._folder}" if stale else "",
            )

    def _cases(self) -> Iterator[Owed]:
        """Each case that another program removed; none of them is in force."""
        folder = shlex.quote(self._folder)
        for name, case in removed_cases(self._session).items():
            expected = f"the policy decides it as {case.expected}"
            accept = f"remove it: workbench cases {folder} --remove {shlex.quote(name)}"
            yield Owed(
                OwedKind.CASE,
                name,
                one_line(f"{case.reason}: {expected}" if case.reason else expected),
                "another program removed it from cases.toml",
                f"workbench draft {folder}" if case.origin == "generated" else f"put it back, or {accept}",
            )

    def _narrowing(self) -> Iterator[Owed]:
        """The clauses that the workbench wrote and that do not follow the rules that others changed.

        A clause that a person wrote or edited is none of them: where a rule breaks it, the proof refutes it.
        """
        for clause in self._request.not_narrowed():
            yield Owed(
                OwedKind.CLAUSE,
                clause.id,
                one_line(clause.comment or clause.source),
                "the workbench wrote it, and it does not follow the rules of policy.py",
                f"workbench draft {shlex.quote(self._folder)}, which lets it follow them",
            )

    def _answers(self, understood: Understanding, terms: PolicyTerms | None) -> Iterator[Owed]:
        """Each answer to a question, of an author and about the contract."""
        from workbench.app.clause_findings import owed_clauses

        yield from Answers(
            self._folder,
            understood,
            self._session.written,
            terms,
            self._policy.checked(understood.draft.policy if self._session.is_drafted else None)[0],
            self._authorship.untold(understood.draft, understood.choices),
        ).owed()
        if terms is not None:
            lost = self._questions.lost(understood.draft)
            yield from owed_clauses(understood, terms, lost, self._folder)

    def _granted(self) -> Iterator[Owed]:
        """The grants, none of which is in force if one of them is wrong."""
        from workbench.session.grants_file import NAME

        problem = self._policy.checked_grants().problem
        if problem:
            mend = f"correct {NAME}, or remove it and grant again"
            yield Owed(OwedKind.GRANT, NAME, "what a person granted is in force", problem, mend)

    def _compared(self, terms: PolicyTerms) -> Iterator[Owed]:
        """What a policy says and decides otherwise than the accepted version, and beyond its baselines."""
        from workbench.app.widened import beyond_baselines, narrowed, not_compared, owed_theorems, widened

        session, version = self._session, self._enforced.version
        if version is not None:
            yield from owed_theorems(session, version, terms)
        yield from beyond_baselines(self._enforced, terms, session)
        if version is None:
            yield from not_compared(session, str(self._enforced.now()))
        else:
            yield from widened(version, terms, session)
            yield from narrowed(version, terms, session)

    def _logs(self, logs: Logs | None) -> Iterator[Owed]:
        """The logs that the accepted version was judged on, and what the present ones hold."""
        version = self._enforced.version
        read = self._runs.known if logs is None else logs
        if version is not None:
            yield from _owed_logs(self._session, version)
        yield from _unread_logs(self._session, version, self._runs.unread(read.problems))
        yield from _owed_tools(self._session, version, self._runs.strange_tools(read.runs))

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
        owed = self._answers(understood, self._policy.checked()[0])
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


# --- the logs of a session, as things that it owes


def _owed_logs(session: Session, accepted: AcceptedVersion) -> Iterator[Owed]:
    """Each log that the session had when its version was accepted, and has no more."""
    present = {path.name for path in session.log_paths}
    for name in accepted.logs:
        if name not in present:
            yield Owed(
                OwedKind.LOG,
                log_name(name),
                f"the calls of {log_name(name)} are decided as they were when the version was accepted",
                "the file was removed, so a check decides none of them",
                f"put it back, or accept that it is gone: {accept_command(session.path, log_name(name))}",
            )


def _unread_logs(
    session: Session, accepted: AcceptedVersion | None, unread: Mapping[str, Sequence[ImportProblem]]
) -> Iterator[Owed]:
    """Each log with records that cannot be read, whose calls nothing decides.

    A person accepts it by a name that has the hash of these records, so that a further one is said again.
    """
    for log, problems in unread.items():
        places = [(problem.line, problem.reason, problem.count) for problem in problems]
        name = _named(log, repr(places))
        statement = f"every record of {one_line(log_name(log))} is read"
        if accepted is not None and name in accepted.anyway:
            yield Owed(OwedKind.LOG, name, statement)
            continue
        first, count = problems[0], sum(problem.count for problem in problems)
        yield Owed(
            OwedKind.LOG,
            name,
            statement,
            f"{counted(count, 'record')} cannot be read; line {first.line}: {one_line(first.reason)}",
            f"correct the log, take it away, or accept that: {accept_command(session.path, name)}",
        )


def _named(log: str, what: str) -> str:
    """The name of what is strange about a log, which another hash of it changes."""
    return f"{log_name(log)}:{hashlib.sha256(what.encode()).hexdigest()[:8]}"


def _owed_tools(
    session: Session, accepted: AcceptedVersion | None, strange: Mapping[str, Sequence[str]]
) -> Iterator[Owed]:
    """Each log that calls no tool of the agent spec: ``strange`` has the tools of each, by its name.

    A person accepts it by a name that has the hash of these tools, so that a further one is said again.
    """
    for log, tools in strange.items():
        name = _named(log, repr(tools))
        named = ", ".join(repr(one_line(tool)) for tool in tools[:_MOST_NAMED])
        named += f" and {len(tools) - _MOST_NAMED} more" if len(tools) > _MOST_NAMED else ""
        statement = f"{one_line(log_name(log))} is of the agent"
        if accepted is not None and name in accepted.anyway:
            yield Owed(OwedKind.TOOLS, name, statement)
            continue
        accept = accept_command(session.path, name)
        yield Owed(
            OwedKind.TOOLS,
            name,
            statement,
            f"agent.toml names no tool that it calls; it calls {counted(len(tools), 'tool')}: {named}",
            f"name them in agent.toml, take the log away, or accept that: {accept}",
        )


# --- The answers, as things that the session owes


_KEPT = 256
OUTSIDE_DIALECT = "the policy is not in the dialect"
"""Why no answer is in force in a policy that cannot be read."""


def _kind(assumption: Assumption, asked: Question | None) -> OwedKind:
    own_words = asked is not None and asked.free_text and assumption.value == assumption.statement
    return OwedKind.WORDS if own_words else OwedKind.ANSWER


@dataclass
class Answers:
    """The answers of one session at one moment, and whether they are in force.

    ``source`` is the text of the policy. ``terms`` is None where it is not in the dialect, ``drafted`` where
    the draft is not. ``untold`` are the questions whose answers the author's draft does not contain.
    ``folder`` is the session's folder, for the commands that mend something.
    """

    folder: str
    understanding: Understanding
    source: str = ""
    terms: PolicyTerms | None = None
    drafted: PolicyTerms | None = None
    untold: frozenset[str] = frozenset()

    def owed(self) -> tuple[Owed, ...]:
        """Each stored answer, with the reason why it is not in force.

        What accepts a finding about the contract is no answer about the policy: see ``clause_findings``.
        """
        from workbench.app.clause_findings import is_finding

        answers = (one for one in self.understanding.assumptions if not is_finding(one.question))
        return tuple(map(self._owed, answers))

    @cached_property
    def _asked(self) -> Mapping[str, Question]:
        """What is asked, by id."""
        return {
            item.id: item for item in (*self.understanding.questions, *self.understanding.draft.questions)
        }

    def _owed(self, assumption: Assumption) -> Owed:
        """An answer, with what keeps it from being in force."""
        kind = _kind(assumption, self._asked.get(assumption.question))
        name, statement = assumption.question, assumption.statement
        reason, mend = self._trouble(assumption)
        return Owed(kind, name, statement, reason, mend)

    def _command(self, assumption: Assumption, *words: str) -> str:
        return f"workbench answer {shlex.join([self.folder, assumption.question])} {' '.join(words)}"

    def _trouble(self, assumption: Assumption) -> tuple[str, str]:
        """Why an answer is not in force, and what mends that; both are empty where it is."""
        retract = self._command(assumption, "--retract")
        asked = self._asked.get(assumption.question)
        if asked is None:
            return "the request no longer asks what it answers", retract
        if assumption.question in self.untold:
            return (
                "the model drafted the policy before this answer, which differs from what it assumed",
                f"workbench draft {shlex.quote(self.folder)}, which asks the model again",
            )
        if why := self._refused(assumption, asked):
            return why, f"answer again: {self._command(assumption, 'VALUE')}, or take it back: {retract}"
        if self.terms is None:
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
            for sentence in self.understanding.draft.sentences
            if sentence.span.start <= asked.span.start < sentence.span.end
        ]
        is_read = bool(said) and all(sentence.role is not SentenceRole.OPEN for sentence in said)
        return "" if is_read else "the draft has no rule for it"

    # --- whether the policy follows -----------------------------------------------

    def _not_witnessed(self, assumption: Assumption, asked: Question) -> str:
        """Why the policy is not shown to do what an answer says; empty if it is."""
        terms = self.terms
        if terms is None:
            return OUTSIDE_DIALECT
        if asked.kind == CASE:
            return self._case_missed(assumption, asked, terms)
        if self._as_drafted:
            return ""
        if self.drafted is None:
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

        return self.drafted is not None and self.source == format_policy(self.understanding.draft.policy)

    @cached_property
    def _own(self) -> frozenset[str]:
        """The rules of the policy that no draft has: a person wrote them."""
        terms, drafted = self.terms, self.drafted
        assert terms is not None and drafted is not None
        return frozenset(rule.name for rule in terms.rules) - {rule.name for rule in drafted.rules}

    @cached_property
    def _departure(self) -> Departure:
        """Whether the policy departs from the draft anywhere."""
        terms, drafted = self.terms, self.drafted
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

        policies = [terms for terms in (self.terms, self.drafted) if terms is not None]
        return arguments_words(what_fires(policies, arguments) or arguments) or "every call"


@lru_cache(maxsize=_KEPT)
def _departure(policy: PolicyTerms, drafted: PolicyTerms, own: frozenset[str]) -> Departure:
    """Whether a policy departs from a draft."""
    from workbench.engines.smt.departure import Departure, departure

    try:
        return departure(policy, drafted, own=own)
    except WorkbenchError as error:
        return Departure(None, why=str(error))
