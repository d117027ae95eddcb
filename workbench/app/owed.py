"""What a session owes: each thing that a person said of it, and whether it is in force.

This is the one definition. The check, the open questions, the screen, the report, the evidence, the export
and the live guards read it; where anything is not in force, none of them says that all is good.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.clean_text import one_line
from workbench.model import Assumption, Draft, Question
from workbench.policy.terms import Clause, PolicyTerms
from workbench.serialization.json_form import json_form


class OwedKind(StrEnum):
    """The kinds of things that a session owes."""

    FILE = "file"
    """A file of the session on the disk is the one that is checked."""
    DRAFT = "draft"
    """The policy was drafted from the present request, agent spec and answers."""
    ANSWER = "answer"
    """A person chose an answer to a question."""
    WORDS = "own words"
    """A person said a sentence in other words."""
    REQUIREMENT = "requirement"
    """A requirement has a clause that names it."""
    DEMAND = "demand"
    """Some clause demands that some call of a tool is allowed."""
    CLAUSE = "clause"
    """A clause that the workbench wrote follows the rules of the policy."""
    CASE = "case"
    """A case is in the session until the workbench removes it."""
    LOG = "log"
    """A log that the accepted version was judged on is in the session."""
    TOOLS = "tools"
    """A log that calls tools calls one of the agent's."""
    THEOREM = "theorem"
    """A theorem of the accepted version is one of the policy."""
    CHANGE = "change"
    """A change of the session's files was written as a whole."""
    GRANT = "grant"
    """What a person granted to the agent is in force; see ``workbench.app.live_grants``."""
    BASELINE = "baseline"
    """What the session allows and one that it extends does not; see ``workbench.app.extended``."""
    WIDENING = "widening"
    """What the session allows and its accepted version does not; see ``workbench.app.widened``."""
    NARROWING = "narrowing"
    """What the session denies and its accepted version, by which guards decide, does not."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One thing that a session owes to the person who said it.

    ``name`` identifies it among those of its kind, ``statement`` says it in words. ``reason`` says why it is
    not in force, and ``mend`` which act mends that; both are empty where it is in force. ``question`` is the
    question that asks about it, if one does.
    """

    kind: OwedKind
    name: str
    statement: str
    reason: str = ""
    mend: str = ""
    question: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether it is an answer to a question."""
        return self.kind in (OwedKind.ANSWER, OwedKind.WORDS)

    @property
    def in_force(self) -> bool:
        """Whether the policy does what was said."""
        return not self.reason


json_form(Owed, "kind", "name", "statement", "in_force", "reason", "mend")


@dataclass(frozen=True, slots=True)
class Owing:
    """A session's content at one moment, from which follows what it owes and what of that is in force.

    ``draft`` is the draft under the ``assumptions``, ``questions`` are those that it raises. ``source`` is
    the text of the policy. ``terms`` is None where it is not in the dialect, ``drafted`` where the draft is
    not. ``outside`` are the files that differ on the disk, each with what keeps it from being read. ``stale``
    is why the policy does not follow from the draft; empty where it does. ``not_narrowed`` are clauses of the
    workbench that do not follow the rules of the policy. ``untold`` are the questions whose answers the
    author's draft does not contain. ``folder`` is the session's folder, for the commands that mend something.
    """

    folder: str
    draft: Draft
    assumptions: Sequence[Assumption]
    questions: Sequence[Question]
    source: str
    terms: PolicyTerms | None
    drafted: PolicyTerms | None
    outside: Mapping[str, str]
    stale: str = ""
    not_narrowed: tuple[Clause, ...] = ()
    untold: frozenset[str] = frozenset()


def not_in_force(owed: Iterable[Owed]) -> tuple[Owed, ...]:
    """The things that are not in force, in their order."""
    return tuple(item for item in owed if not item.in_force)


def not_asked(owed: Iterable[Owed], asked: Iterable[Question]) -> tuple[Owed, ...]:
    """The things that no question among these asks about."""
    ids = {question.id for question in asked}
    return tuple(item for item in owed if item.question not in ids)


def owed_files(owing: Owing) -> tuple[Owed, ...]:
    """The files that other programs changed since they were read; none of them is what is checked."""
    return tuple(
        Owed(
            OwedKind.FILE,
            name,
            f"{name} is what the session reads",
            trouble or f"{name} was changed by another program and is not taken over",
            f"correct {name}" if trouble else f"open {owing.folder} again",
        )
        for name, trouble in owing.outside.items()
    )


def owed_draft(owing: Owing) -> tuple[Owed, ...]:
    """Whether the policy follows from the draft; if drafting anew would change it, it does not."""
    return (
        Owed(
            OwedKind.DRAFT,
            "policy.py",
            "the policy follows from request.md, agent.toml and assumptions.toml",
            owing.stale,
            f"workbench draft {owing.folder}" if owing.stale else "",
        ),
    )


def owed_narrowing(owing: Owing) -> tuple[Owed, ...]:
    """The clauses that the workbench wrote and that do not follow the rules that others changed.

    A clause that a person wrote or edited is none of them: where a rule breaks it, the proof refutes it.
    """
    return tuple(
        Owed(
            OwedKind.CLAUSE,
            clause.id,
            one_line(clause.comment or clause.source),
            "the workbench wrote it, and it does not follow the rules of policy.py",
            f"workbench draft {shlex.quote(owing.folder)}, which lets it follow them",
        )
        for clause in owing.not_narrowed
    )
