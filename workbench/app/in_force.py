"""What a session owes at this moment, for everything that says whether the session is good.

Logs that are gone since the version was accepted, or of another agent, are owed, too: a check decides the
calls of the logs that are there and says nothing of others, and a log that calls none of the agent's tools
says nothing of the policy either.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.agent_trouble import NAME as AGENT
from workbench.app.agent_trouble import agent_trouble
from workbench.app.owed import Owed, OwedKind, Owing, not_in_force, owed_draft, owed_files, owed_narrowing
from workbench.app.results import Logs, Understanding
from workbench.clean_text import counted, one_line
from workbench.model import WorkbenchError
from workbench.session.accepted_version import AcceptedVersion, log_name

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.enforced import Enforced
    from workbench.app.policy import Policy
    from workbench.app.questions import Questions
    from workbench.app.request import Request
    from workbench.app.runs import Runs
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
            drafted=self._policy.checked(understood.draft.policy)[0],
            outside=self._outside(),
            stale=self._request.stale(understood.draft),
            not_narrowed=self._request.not_narrowed(),
            untold=self._authorship.untold(understood.draft, understood.choices),
        )

    def _answers(self, owing: Owing, understood: Understanding) -> Iterator[Owed]:
        """Each answer to a question, of an author and about the contract."""
        from workbench.app.clause_findings import owed_clauses
        from workbench.app.owed_answers import owed_answers

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
        """The widenings of a policy against the accepted version; none where no version is accepted."""
        from workbench.app.widened import not_compared, widened

        version = self._enforced.version
        if version is None:
            return not_compared(self._session, str(self._enforced.now()))
        return widened(version, terms, self._session)

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
