"""The messages of widgets and workers to the application, and the places on the screen that they name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

if TYPE_CHECKING:
    from workbench.app import workbench
    from workbench.model import RecordedCall
    from workbench.tui import app


class ViewName(StrEnum):
    """The five views; the capital letter of each is its key."""

    AUTHOR = "author"
    POLICY = "policy"
    RUNS = "runs"
    MEMORY = "memory"
    EVIDENCE = "evidence"

    @property
    def key(self) -> str:
        """The key that opens the view."""
        return self.value[0].upper()


class PlaceKind(StrEnum):
    """The kinds of places."""

    REQUIREMENT = "requirement"
    QUESTION = "question"
    ANSWER = "answer"
    OWED = "owed"
    RULE = "rule"
    CLAUSE = "clause"
    CASE = "case"
    CALL = "call"
    DEMONSTRATION = "demonstration"
    VERSION = "version"
    PROBLEM = "problem"
    SPEC = "spec"


class Place(NamedTuple):
    """A thing to show, and its view; without a name it is the view as it was left.

    The name is an id (of a requirement, question, clause, case, demonstration or version, or of the question
    of an answer, or of what is owed), the name of a rule, the position of a call in the logs, the line and
    column of a problem, or words about a part of agent.toml.
    """

    view: ViewName
    kind: PlaceKind | None = None
    name: str = ""

    @classmethod
    def of_call(cls, position: int, view: ViewName = ViewName.RUNS) -> Place:
        """The place of a recorded call, by its position in the logs."""
        return cls(view, PlaceKind.CALL, str(position))


type Workbench = workbench.Workbench
type WorkbenchApp = app.WorkbenchApp
"""Classes that are loaded late, and are named everywhere."""
type Offer = tuple[str, str, str]
"""An offer to choose: its key among the offers, its mark, and its words."""


@dataclass
class Go(Message):
    """A request to show a place, and ``then`` to do an action of the table there."""

    place: Place
    then: str = ""


@dataclass
class ExceptionWanted(Message):
    """A request to make an exception for the last call of a run in the sentence of the rules that fire."""

    rules: Sequence[str]
    run: Sequence[RecordedCall]


@dataclass
class Act(Message):
    """A request to change the session: the label of the act, and the function that does it.

    ``failed`` is called with the sentence that says why the act failed. An ``announced`` act does not come
    from the keyboard but from a model or a merge. It is tried on a copy first; a person sees its changes and
    says whether it is kept. The keys that are typed while an act runs that ``opens`` an editor are for that.
    """

    label: str
    work: Callable[[Workbench], object]
    failed: Callable[[str], None] | None = None
    announced: bool = False
    opens: bool = False


@dataclass
class Choose[Offered](Message):
    """A request to let the person choose one of several things; ``chosen`` is called with it.

    Each has a mark and words.
    """

    name: str
    offers: Sequence[tuple[Offered, str, str]]
    chosen: Callable[[Offered], object]


@dataclass
class TypeIn(Message):
    """A request to type a line after a ``sign``; ``typed`` gets the line, unless Esc leaves it.

    The line begins with ``text``; typing continues that text, or ``replaces`` it. ``one_key`` takes the first
    key for the whole line.
    """

    sign: str
    typed: Callable[[str], object]
    text: str = ""
    replaces: bool = False
    one_key: bool = False


def unless_left(
    name: str, left: str, act: Callable[[], object], called: str, words: str
) -> Choose[Callable[[], object]]:
    """A choice between leaving something as it is and an act that is ``called`` so."""
    offers = ((lambda: None, "n leave", left), (act, f"y {called}", words))
    return Choose(name, offers, lambda chosen: chosen())


def if_yes(sign: str, act: Callable[[], object], otherwise: Callable[[], object]) -> TypeIn:
    """A request for the key y after a ``sign``: only then ``act`` is called."""

    def typed(key: str) -> None:
        if key in ("y", "Y"):
            act()
        else:
            otherwise()

    return TypeIn(sign, typed, one_key=True)


@dataclass
class LogWanted(Message):
    """A request to open or follow a log in addition to those of the session; None stops following.

    If the log cannot be opened, ``failed`` is called with the reason.
    """

    path: Path | None
    follow: bool = False
    failed: Callable[[str], None] | None = None


@dataclass
class HintsChanged(Message):
    """The keys that work at the focus, or the call at the cursor, have changed."""


@dataclass
class Ask[Found](Message):
    """A request for something that changes nothing; the last request of a group wins.

    ``find`` runs in a thread, and ``show`` gets what it found, on the thread of the screen. ``show`` is not
    called if an act began meanwhile, unless the request ``lasts``. What ``opens`` an editor lasts, and the
    keys that are typed meanwhile are for the editor. With a ``label`` the duration is shown, and Esc sets
    ``ended``: then ``find`` has to return early, and its result is dropped.
    """

    group: str
    find: Callable[[Workbench], Found]
    show: Callable[[Found], object]
    label: str = ""
    ended: threading.Event = field(default_factory=threading.Event)
    lasts: bool = False
    opens: bool = False


@dataclass
class Progress(Message):
    """The present work of a worker in a few words; empty when the work is done.

    ``stops`` means that a person asked for the work and Esc stops it. ``brief`` work is shown only if it
    takes longer than usual.
    """

    work: str
    text: str
    stops: bool = False
    brief: bool = False


@dataclass
class Say(Message):
    """One sentence for the person; a problem stays until the next act, and so does what ``lasts``.

    ``fatal`` means that the session cannot be read, so that there is nothing to show.
    """

    text: str
    problem: bool = False
    fatal: bool = False
    lasts: bool = False
