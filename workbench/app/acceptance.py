"""Accepting a version of a session: what guards enforce from then on, until the next one is accepted.

Only a session that is good is accepted. What a person may decide is accepted by its name: a widening, a
question that stays open, a clause that is neither proved nor refuted. What is wrong is not: a failing case, a
refuted clause, anything that was said and is not in force.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.owed import OwedKind, not_asked, not_in_force
from workbench.clean_text import one_line
from workbench.model import ProofStatus, WorkbenchError, learns

if TYPE_CHECKING:
    from workbench.app.enforced import Enforced
    from workbench.app.report import Report
    from workbench.app.request import Request
    from workbench.session import Session

__all__ = ["Acceptance", "Accepted", "Obstacle", "obstacles"]

CONTRACT = "contract"
"""The name of a policy without a clause, among what is not good."""
_LONGEST_QUESTION = 120
BY_NAME = frozenset({OwedKind.WIDENING, OwedKind.LOG, OwedKind.TOOLS, OwedKind.THEOREM})
"""The kinds of what a session owes that a person may accept by name although it is not in force."""


_OF_LOGS = (OwedKind.LOG, OwedKind.TOOLS)
"""What was accepted of a log stays accepted with the next version."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps a session from being good; ``by_name`` says whether a person may accept it by its name."""

    name: str
    sentence: str
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    """The result of accepting: the report of the check, and what prevented it; empty if it was accepted."""

    report: Report
    missing: tuple[Obstacle, ...]

    @property
    def done(self) -> bool:
        """Whether the version is accepted."""
        return not self.missing

    @property
    def sentence(self) -> str:
        """The sentence that a person reads about it."""
        if self.done:
            return "Accepted: guards and exported files enforce this version."
        missing = "; ".join(f"{obstacle.sentence} ({obstacle.name})" for obstacle in self.missing)
        by_name = " What a person may decide is accepted by its name." if self.all_by_name else ""
        return f"Not accepted: {missing}.{by_name}"

    @property
    def all_by_name(self) -> bool:
        """Whether a person may accept all that is missing by its names."""
        return all(obstacle.by_name for obstacle in self.missing)


def obstacles(report: Report) -> Iterator[Obstacle]:
    """Everything for which a check does not end with “All good”, by name."""
    for question in report.open:
        yield Obstacle(
            question.id, f"the question “{one_line(question.text, _LONGEST_QUESTION)}” is open", by_name=True
        )
    for problem in report.problems:
        yield Obstacle("policy.py", f"the policy is not in the dialect: {problem}")
    for item in not_asked(not_in_force(_mended(report).owed), report.open):
        yield Obstacle(item.name, f"{item.kind} {item.name}: {item.reason}", by_name=item.kind in BY_NAME)
    for result in report.cases:
        if not result.passed:
            yield Obstacle(result.case, f"the case {result.case} fails")
    if not report.problems and not report.proof.clauses:
        yield Obstacle(CONTRACT, "the policy has no clause to be proved", by_name=True)
    for clause in report.proof.clauses:
        if clause.status is not ProofStatus.PROVED:
            decided = clause.status is ProofStatus.REFUTED
            about = f" of {', '.join(clause.requirements)}" if clause.requirements else ""
            why = f": {clause.why.rstrip('.')}" if clause.why else ""
            words = f"the clause {clause.clause}{about} is {clause.status}{why}"
            yield Obstacle(clause.clause, words, by_name=not decided)
    for theorem in report.unproved:
        decided = theorem.status is ProofStatus.REFUTED
        yield Obstacle(theorem.name, f"the theorem {theorem.name} is {theorem.status}", by_name=not decided)


def _mended(report: Report) -> Report:
    """The report without what an acceptance mends: that guards do not deny yet what the session denies."""
    return replace(report, owed=tuple(one for one in report.owed if one.kind is not OwedKind.NARROWING))


class Acceptance:
    """Accepts versions of a session."""

    def __init__(
        self,
        session: Session,
        request: Request,
        enforced: Enforced,
        clarified: Callable[[], str],
    ) -> None:
        """``clarified`` gives the request as GuardAgent gets it."""
        self._clarified = clarified
        self._session = session
        self._request = request
        self._enforced = enforced

    def accept(self, check: Callable[[], Report], anyway: Sequence[str] = ()) -> Accepted:
        """Check the session, and accept it if it is good, apart from what ``anyway`` names.

        Raises WorkbenchError if the session changes meanwhile, or if nothing that is open has a name of
        ``anyway``.
        """
        before = self._texts()
        report = check()
        found = tuple(obstacles(report))
        by_name = {obstacle.name for obstacle in found if obstacle.by_name}
        if strange := [name for name in anyway if name not in {obstacle.name for obstacle in found}]:
            raise WorkbenchError(f"Nothing that is open is named {strange[0]!r}; see `workbench check`.")
        missing = tuple(
            obstacle for obstacle in found if obstacle.name not in anyway or obstacle.name not in by_name
        )
        if _mended(report).exit_code and not found:
            raise WorkbenchError("The session is not good, and cannot be accepted; see `workbench check`.")
        if not missing:
            if self._session.refresh() or self._texts() != before:
                raise WorkbenchError("The session changed while it was checked; accept it again.")
            still = (item.name for item in report.owed if item.kind in _OF_LOGS and item.in_force)
            self.store(tuple(dict.fromkeys((*anyway, *still))))
            report = _mended(report)
        return Accepted(
            replace(report, guarded=self._enforced.notice, guarding=self._enforced.words), missing
        )

    def store(self, anyway: Sequence[str] = (), by: str = "") -> None:
        """Make the present version the accepted one; ``accept`` checks it first.

        Raises WorkbenchError if a guard could not enforce it: a policy outside the dialect, a text that
        cannot be stored as it is.
        """
        from workbench.redact import redact
        from workbench.session.accepted_version import (
            DECIDING,
            NAME,
            accepted_version,
            fingerprint,
            write_accepted_version,
        )
        from workbench.timestamps import timestamp

        self._session.evaluated()
        texts = self._guard_texts()
        files = {
            name: fingerprint(self._enforced.present_text(name))
            for name in (*DECIDING, *texts, *self._baselines())
        }
        logs = [path.name for path in self._session.log_paths]
        version = accepted_version(timestamp(), by or _user(), texts, files, anyway, logs)
        text = write_accepted_version(version)
        if redact(text) != text:
            raise WorkbenchError(
                "The session was not accepted: a file that guards read has a key or token in it. Take it out."
            )
        self._session.set_text(NAME, text, "Accept this version")

    def _baselines(self) -> Sequence[str]:
        """The accepted versions that this one is compared with, by their paths from the session's folder."""
        from workbench.session.accepted_version import NAME

        read = self._enforced.extended(self._session.info).by_folder
        here = self._session.path.resolve()
        return [(folder.relative_to(here, walk_up=True) / NAME).as_posix() for folder in read]

    def _guard_texts(self) -> dict[str, str]:
        """The texts that a guard needs to decide as the session does now."""
        from workbench.app.guardagent_guard import asks_guardagent
        from workbench.session import agent_file, session_files
        from workbench.session.accepted_version import POLICY, REQUEST

        session = self._session
        spec = session.spec
        texts = {
            POLICY: session.written,
            agent_file.NAME: session.text(agent_file.NAME),
            session_files.SESSION: session.text(session_files.SESSION),
        }
        if learns(spec.readings) or asks_guardagent(session):
            texts[session_files.MEMORY] = session.text(session_files.MEMORY)
        if asks_guardagent(session):
            texts[REQUEST] = self._clarified()
            texts |= dict(session.own_functions)
        return texts

    def _texts(self) -> dict[str, str]:
        from workbench.session import FILES

        return {name: self._session.text(name) for name in FILES}


def _user() -> str:
    """The name of the user of this process; a process in a container may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"
