"""One open session, with one object for each part that a front end uses.

Front ends call these objects and nothing below them. The objects do not print and hold no widgets. Calls that
may take long accept a ``cancelled`` event and return early, with less, when it is set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.authorship import Authorship
from workbench.app.cases import Cases
from workbench.app.editing import Editing
from workbench.app.enforced import Enforced, Subagents, extended_by
from workbench.app.policy import Policy
from workbench.app.proof import Proving
from workbench.app.request import Request
from workbench.app.runs import EVERY_CALL, Filters, Runs
from workbench.model import Proof
from workbench.policy.written import OWN_NAMES

if TYPE_CHECKING:
    from workbench.app.acceptance import Acceptance, Accepted
    from workbench.app.agent import Agent
    from workbench.app.call_exceptions import CallExceptions
    from workbench.app.grants import Grants
    from workbench.app.guardagent_calls import GuardAgentCalls
    from workbench.app.in_force import InForce
    from workbench.app.judging import Judging
    from workbench.app.live import Live
    from workbench.app.memory import Memory
    from workbench.app.page import SessionPage
    from workbench.app.questions import Questions
    from workbench.app.report import Report
    from workbench.app.requested_sentence import RequestedSentence
    from workbench.app.results import Logs, Replay
    from workbench.app.rewording import Rewordings
    from workbench.app.sentences import Sentences
    from workbench.app.session_state import SessionState
    from workbench.app.standing import Standing
    from workbench.app.strength import Strength
    from workbench.app.suggestions import OfferedSentences
    from workbench.app.theorems import Theorems
    from workbench.app.tried_calls import Before, LineDecider
    from workbench.app.what_changed import WhatChanged
    from workbench.author.protocol import Author
    from workbench.check.proof.prover import Prover
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session
    from workbench.session.watching import FileWatch


class Workbench:
    """One open session, with an object for each of its parts.

    An object that few commands need is imported and made at its first use, so that the other commands start
    sooner.
    """

    def __init__(
        self,
        session: Session,
        author: Author | None = None,
        *,
        replay_calls: bool = False,
        prover: Prover | None = None,
        broken: str = "",
    ) -> None:
        """Take the session; the author is the one that the session names unless another is given.

        With ``replay_calls`` a model is never asked: the session's recorded calls answer. A given ``prover``
        is used and does not end with the session; without one Nagini is started when it is needed. ``broken``
        is a sentence about a session of which only the accepted version can be read.
        """
        self.session = session
        self.authorship = Authorship(session, author, replay_calls=replay_calls)
        self.request = Request(session, self.authorship)
        self.runs = Runs(session, self.authorship)
        self.enforced = Enforced(session, self.authorship, self.runs, _accepted_only, broken)
        self.policy = Policy(session, self.request, self.runs, self.enforced)
        self.cases = Cases(session, self.request)
        self.proof = Proving(session, self.request, prover)
        self.editing = Editing(session, self.request, self.policy)
        self._watch: FileWatch | None = None

    @cached_property
    def questions(self) -> Questions:
        """The questions that the request leaves open, and the answers to them."""
        from workbench.app.questions import Questions

        return Questions(self.session, self.request, self.runs, self.policy)

    @cached_property
    def in_force(self) -> InForce:
        """What the session owes, and what of it is not in force."""
        from workbench.app.in_force import InForce

        return InForce(
            self.session,
            self.authorship,
            self.request,
            self.policy,
            self.questions,
            self.runs,
            self.enforced,
        )

    @cached_property
    def acceptance(self) -> Acceptance:
        """Accepting versions of the session, which guards then enforce."""
        from workbench.app.acceptance import Acceptance

        return Acceptance(self.session, self.request, self.enforced, lambda: self.questions.clarified())

    @cached_property
    def grants(self) -> Grants:
        """What a person granted to the agent, and may grant."""
        from workbench.app.grants import Grants

        return Grants(self.session, self.enforced, self.policy)

    @cached_property
    def judging(self) -> Judging:
        """The causes of denials, and a person's judgements of them."""
        from workbench.app.judging import Judging

        return Judging(self.session, self.runs)

    @cached_property
    def live(self) -> Live:
        """An agent on a world of tools, under the policy."""
        from workbench.app.live import Live

        return Live(self.session, self.policy)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences of a policy of calls."""
        from workbench.app.sentences import Sentences

        return Sentences(self.session, self.policy, self.runs)

    @cached_property
    def rewordings(self) -> Rewordings:
        """The sentences of the request of a policy of calls, and what each is read as."""
        from workbench.app.rewording import Rewordings

        return Rewordings(self.session, self.request, self.policy, self.sentences)

    @property
    def exceptions(self) -> CallExceptions:
        """The sentences that keep a call from running, and exceptions from them."""
        from workbench.app.call_exceptions import CallExceptions

        return CallExceptions(self.runs, self.sentences, self.rewordings)

    @property
    def suggestions(self) -> OfferedSentences:
        """Suggestions for a sentence that is not of the language."""
        return self._suggestions(propose=False)

    @property
    def proposals(self) -> OfferedSentences:
        """Suggestions, with what the session's model proposes."""
        return self._suggestions(propose=True)

    def _suggestions(self, *, propose: bool) -> OfferedSentences:
        from workbench.app.suggestions import OfferedSentences

        parts = (self.session, self.authorship, self.policy, self.sentences, self.rewordings)
        return OfferedSentences(*parts, propose=propose)

    def standing(self) -> Standing:
        """How far the way through the request is; raises WorkbenchError if the policy has problems."""
        from workbench.app.standing import Standing

        understanding = self.in_force.understand(None)
        folder, guarded = str(self.session.path), self.enforced.words
        standing = Standing(folder, self.rewordings.all(), understanding, guarded)
        return replace(standing, to_look_at=self._to_look_at()) if standing.settled else standing

    def _to_look_at(self) -> int:
        """How many calls of the logs a person has to look at, as the screen counts them."""
        state = self._decided_state()
        if state.terms is None:
            return 0
        causes, judged = self.judging.caused(state.terms, state.decisions)
        return len(replace(state, causes=causes, judged=judged).to_look_at)

    @cached_property
    def strength(self) -> Strength:
        """Wrong versions of the policy, and whether the contract refuses them."""
        from workbench.app.strength import Strength

        return Strength(self.session, self.request, self.policy, self.cases)

    @cached_property
    def theorems(self) -> Theorems:
        """The theorems about whole runs."""
        from workbench.app.theorems import Theorems

        return Theorems(self.session, self.proof, self.cases, self.runs)

    @cached_property
    def memory(self) -> Memory:
        """GuardAgent's demonstrations."""
        from workbench.app.memory import Memory

        return Memory(self.session, self.runs)

    @cached_property
    def guardagent(self) -> GuardAgentCalls:
        """GuardAgent on recorded calls."""
        from workbench.app.guardagent_calls import GuardAgentCalls

        return GuardAgentCalls(
            self.session,
            self.authorship,
            self.runs,
            self.memory,
            self.cases,
            lambda: self.questions.clarified(),
        )

    @cached_property
    def agent(self) -> Agent:
        """The agent spec, and the proposals for it."""
        from workbench.app.agent import Agent

        return Agent(self.session)

    @classmethod
    def open(cls, path: Path | str, *, read_only: bool = False, replay_calls: bool = False) -> Workbench:
        """Open the session in the folder ``path``; raises WorkbenchError if it cannot be read."""
        from workbench.session import Session

        return cls(Session.open(Path(path), read_only=read_only), replay_calls=replay_calls)

    @classmethod
    def open_to_read(cls, path: Path | str, *, replay_calls: bool = False) -> Workbench:
        """Open a session for reading only; raises WorkbenchError if it cannot be read.

        If a model reads arguments, the session is opened for writing if possible, so that paid calls are
        stored in it.
        """
        bench = cls.open(path, read_only=True, replay_calls=replay_calls)
        if not bench.runs.asks_model:
            return bench
        bench.close()
        return cls.open(path, replay_calls=replay_calls)

    @classmethod
    def open_to_guard(cls, path: Path | str) -> Workbench:
        """Open a session that guards an agent, also one of which only the accepted version can be read.

        If GuardAgent guards too, or a model reads arguments, the session is opened for writing, so that it
        stores their results. Raises WorkbenchError if the folder is no session.
        """
        from workbench.session.session import open_to_guard

        session, broken = open_to_guard(Path(path))
        bench = cls(session, broken=broken)
        if not (bench.enforced.asks_guardagent or bench.enforced.asks_model) or bench.enforced.broken:
            return bench
        bench.close()
        return cls.open(path)

    def state(self) -> SessionState:
        """The state of the session as understood; for this nothing is tested, proved or decided."""
        logs = self.runs.current()
        understanding = self.questions.understand()
        first = self.first_state()
        return replace(
            first,
            sentences=understanding.draft.sentences,
            requirements=understanding.draft.requirements,
            requested=self._requested(),
            questions=understanding.questions,
            assumptions=understanding.assumptions,
            logs=logs,
            owed=self.in_force.owed(understanding, logs=logs),
            followed=str(self.runs.followed or ""),
            spoken=OWN_NAMES
            if first.problems or first.edited or first.terms is None
            else self.sentences.words(first.terms),
        )

    def _requested(self) -> tuple[RequestedSentence, ...]:
        """The sentences of the request with what they are read as; none where the policy has problems."""
        return () if self.policy.problems() else self.rewordings.all()

    def first_state(self) -> SessionState:
        """The state that follows from the session's files at once, without reading the request or a log."""
        from workbench.app.session_state import PolicyVersion, SessionState
        from workbench.session.accepted_version import NAME

        session = self.session
        history = session.history
        kept_edit = self.editing.kept_edit
        text = session.written if kept_edit is None else kept_edit
        problems = self.policy.problems(text)
        return SessionState(
            name=session.path.resolve().name,
            path=str(session.path),
            read_only=session.why_read_only,
            outside=session.differing,
            interrupted=session.interrupted.state if session.interrupted is not None else "",
            request=session.request,
            assumptions=session.assumptions,
            policy=text,
            edited=kept_edit is not None,
            problems=problems,
            terms=self._last_terms(text if not problems else session.written),
            cases=session.cases,
            demonstrations=session.demonstrations,
            guarded=self.enforced.words,
            versions=tuple(
                PolicyVersion(
                    number,
                    change.label,
                    change.time,
                    current=number == len(history),
                    accepts=any(file.name == NAME for file in change.files),
                )
                for number, change in enumerate(history, start=1)
            )[::-1],
        )

    def _last_terms(self, text: str) -> PolicyTerms | None:
        """The terms of a text, None if it is not in the dialect."""
        return self.policy.checked(text)[0]

    def judged_state(self) -> SessionState:
        """The state with the findings of milliseconds: the preview's verdicts and the calls' decisions."""
        state = self.state()
        if state.terms is None or state.logs is None:
            return state
        decisions = self.runs.decide(state.terms, state.logs)
        return replace(state, preview=self.proof.preview(state.terms), decisions=decisions)

    def with_changes[R](self, act: Callable[[], R]) -> tuple[R, WhatChanged]:
        """The result of an act, and its changes of rules, clauses, cases, questions and decisions."""
        from workbench.app.what_changed import what_changed

        before = self._decided_state()
        result = act()
        return result, what_changed(before, self._decided_state())

    def _decided_state(self) -> SessionState:
        """The state with the decisions of the logs, without verdicts and questions."""
        from workbench.app.session_state import SessionState

        text, logs = self.session.written, self.runs.current()
        terms = None if not text.strip() or self.policy.problems(text) else self.policy.terms(text)
        return SessionState(
            name=self.session.info.name,
            requirements=self.request.draft().requirements,
            policy=text,
            terms=terms,
            cases=self.session.cases,
            decisions=() if terms is None else self.runs.decide(terms, logs),
            demonstrations=self.session.demonstrations,
        )

    def watch_files(self, tell: Callable[[], None]) -> None:
        """Call ``tell``, in a thread of its own, whenever a file of the session may have changed.

        It is also called at the start, because the watch does not see earlier changes.
        """
        from workbench.session import FILES
        from workbench.session.watching import FileWatch

        if self._watch is None:
            self._watch = FileWatch([self.session.path / name for name in FILES], tell)
            self._watch.start()
            tell()

    def check(
        self,
        *,
        on_stage: Callable[[str], None] = lambda _stage: None,
        logs: Logs | None = None,
    ) -> Report:
        """Clarify, test, prove and replay the session once, and report the findings.

        ``logs`` are the session's logs, if they are loaded already.
        """
        from workbench.app.report import Report
        from workbench.runs.replay.summary import ReplaySummary, summarise

        on_stage("clarify")
        draft = self.request.draft()
        logs = self.runs.load() if logs is None else logs
        understanding = self.questions.understand(draft)
        terms, problems = self.policy.checked()
        owed = self.in_force.owed(understanding, logs)
        if terms is None:
            nothing = Proof((), why="the policy is not in the dialect")
            return Report(
                self.session.path,
                understanding.open,
                understanding.answered,
                problems,
                (),
                nothing,
                ReplaySummary(),
                logs.problems,
                owed,
                guarded=self.enforced.notice,
                guarding=self.enforced.words,
            )
        on_stage("test")
        run = self.cases.run()
        on_stage("prove")
        proof = self.proof.prove(terms)
        theorems = self.theorems.verdicts(terms)
        on_stage("replay")
        return Report(
            self.session.path,
            understanding.open,
            understanding.answered,
            (),
            run.results,
            proof,
            summarise(self.runs.decide(terms, logs)),
            logs.problems,
            owed,
            self.enforced.notice,
            self.enforced.words,
            theorems,
        )

    def accept(
        self, anyway: Sequence[str] = (), on_stage: Callable[[str], None] = lambda _stage: None
    ) -> Accepted:
        """Check the session, and accept it as the version that guards enforce; see ``Acceptance.accept``."""
        return self.acceptance.accept(lambda: self.check(on_stage=on_stage), anyway)

    def line_decider(self, terms: PolicyTerms, logs: Logs, before: Before) -> LineDecider:
        """What decides the lines that a person tries."""
        from workbench.app.tried_calls import LineDecider
        from workbench.dialect.call_types import agent_types

        return LineDecider(self.runs, terms, agent_types(self.session.agent), logs, before)

    def replay(
        self,
        terms: PolicyTerms,
        logs: Logs,
        filters: Filters = EVERY_CALL,
        *,
        also: Sequence[Workbench] = (),
        paths: Sequence[Path] | None = None,
        database: Path | None = None,
        fail_closed: bool = False,
    ) -> Replay:
        """Decide loaded calls by this policy and those of other sessions, with GuardAgent's stored decisions.

        The other sessions read the logs for themselves, from ``paths`` (else this session's) and with
        ``database``. What the session extends decides as one of them, as it was accepted, and so does what
        decides the calls of its subagents.
        See ``Runs.replay``.
        """
        read = self.session.log_paths if paths is None else paths
        guarding = (bench.policy.kept_guarding() for bench in (self, *also))
        return self.runs.replay(
            terms,
            logs,
            filters,
            also=[
                *(
                    (bench.policy.name, bench.runs.decided_of(read, database, bench.policy.terms()))
                    for bench in also
                ),
                *((baseline.name, baseline.replayed(read, database)[1]) for baseline in self._extended(also)),
                *self._subagents(also).replayed(read, database),
            ],
            kept_guards=[kept_guarding for kept_guarding in guarding if kept_guarding is not None],
            fail_closed=fail_closed,
        )

    def _extended(self, also: Sequence[Workbench]) -> Sequence[Enforced]:
        """What this session and others extend as they are now, without these sessions themselves.

        Raises WorkbenchError if one of them is missing or decides nothing.
        """
        found = extended_by([bench.enforced for bench in (self, *also)], lambda one: one.present_info)
        return [these.by_folder[folder] for folder, these in found.items()]

    def _subagents(self, also: Sequence[Workbench]) -> Subagents:
        """What decides the calls of subagents of this session, others, and what they extend."""
        own = [
            (bench.enforced.folder, bench.policy.name, bench.enforced.narrowing(bench.session.info))
            for bench in (self, *also)
        ]
        extended = [(one.folder, one.name, one.subagents) for one in self._extended(also)]
        return Subagents.of({folder: (name, of_kinds) for folder, name, of_kinds in (*own, *extended)})

    def page(self) -> SessionPage:
        """The session as a page: the findings of a check, with request, policy and evidence."""
        from workbench.app.page import SessionPage

        logs = self.runs.load()
        report = self.check(logs=logs)
        evidence = None
        if not report.problems:
            terms = self.policy.terms()
            evidence = self.proof.evidence(
                terms,
                strength=self.strength.measure(terms),
                decisions=self.runs.decide(terms, logs),
                theorems=report.theorems,
            )
        draft = self.request.draft()
        return SessionPage(
            self.session.info.title or self.session.info.name,
            self.session.request,
            draft.sentences,
            draft.requirements,
            self.session.written,
            report,
            evidence,
            self.policy.words,
        )

    def close(self) -> None:
        """End the watch and the prover, and release the session's lock."""
        from workbench.app.session_language import keep_texts

        if self._watch is not None:
            self._watch.stop()
        self.runs.unfollow()
        self.proof.close()
        keep_texts()
        self.session.close()


def _accepted_only(folder: Path) -> Enforced:
    """The accepted version of a session of which nothing else is read, as a baseline is."""
    from workbench.session import Session
    from workbench.session.accepted_version import NAME

    session = Session(folder, read_only=True, names=(NAME,))
    return Workbench(session, broken="of a baseline only the accepted version is read").enforced
