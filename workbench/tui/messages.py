"""The messages of widgets and workers to the application."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from workbench.app.live import LiveOrder
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench
    from workbench.tui.screen_places import Place

type Offer = tuple[str, str, str]
"""An offer to choose: its key among the offers, the mark before it, and its words."""


@dataclass
class Go(Message):
    """Somebody wants to look at something, and ``then`` to do an action of the table there."""

    place: Place
    then: str = ""


@dataclass
class Act(Message):
    """Somebody wants to change the session: what the act is called, and how it is done.

    ``failed`` takes the sentence that says why it could not be done.
    An ``announced`` one comes from somebody else than the keyboard (a model, a merge): it is tried on a copy
    first, and a person who saw what it changes says whether it is kept.
    """

    label: str
    work: Callable[[Workbench], object]
    failed: Callable[[str], None] | None = None
    announced: bool = False


@dataclass
class Choose(Message):
    """Somebody wants one of these offers chosen from a list; ``chosen`` is called with its key."""

    name: str
    offers: Sequence[Offer]
    chosen: Callable[[str], object]


@dataclass
class TypeIn(Message):
    """Somebody wants a line typed after a ``sign``; ``typed`` is called with it unless Esc leaves it.

    The ``text`` stands there before; what is typed goes on from it, or ``replaces`` it.
    """

    sign: str
    typed: Callable[[str], object]
    text: str = ""
    replaces: bool = False


@dataclass
class LogWanted(Message):
    """Somebody wants a log opened beside those of the session, or followed; None: that none is followed.

    Where it cannot be opened ``failed`` is told why.
    """

    path: Path | None
    follow: bool = False
    failed: Callable[[str], None] | None = None


@dataclass
class LiveWanted(Message):
    """Somebody wants an agent to act under the policy, and to watch it in Runs."""

    order: LiveOrder


@dataclass
class HintsChanged(Message):
    """Other keys work at the focus than before."""


@dataclass
class LogGrew(Message):
    """The log that is followed has grown."""


@dataclass
class Ask(Message):
    """Somebody wants to know something, which changes nothing; the last question of a group wins.

    ``work`` finds it out in a thread and gives what is to be done with it on the screen. That is left alone
    where an act began meanwhile. With a ``label`` it is told how long it has run, and Esc sets ``ended``:
    the work is to return early then, and what it gives is left alone.
    """

    group: str
    work: Callable[[Workbench], Callable[[], object]]
    label: str = ""
    ended: threading.Event = field(default_factory=threading.Event)


@dataclass
class AskResult(Message):
    """A worker found out what was asked: what is to be done with it, unless ``generation`` is an old one."""

    generation: int
    group: str
    question: int
    show: Callable[[], object]


@dataclass
class StateFound(Message):
    """A worker knows more of the session.

    ``find`` makes the new state of the present one; it is left alone where ``generation`` is not the present
    one, as its policy is another. ``acted`` names the act whose first state it is, which may be one that
    ``reads`` logs.
    """

    generation: int
    find: Callable[[SessionState], SessionState]
    acted: str = ""
    reads: bool = False


@dataclass
class Progress(Message):
    """The present work of a worker in a few words; empty when it is done.

    ``stops`` says that Esc stops it, as a person asked for it. ``brief`` work is shown only once it takes
    longer than usual.
    """

    work: str
    text: str
    stops: bool = False
    brief: bool = False


@dataclass
class Say(Message):
    """One sentence for the person; a problem stays until the next act.

    A ``fatal`` one says that the session cannot be read: there is nothing to show.
    """

    text: str
    problem: bool = False
    fatal: bool = False


@dataclass
class EvidenceWanted(Message):
    """Somebody wants to know what speaks for every clause, wrong versions of the policy included."""


@dataclass
class Announced(Message):
    """A change that somebody else than the person makes was tried: what there would be, and how it is kept.

    ``keep`` is done to the session if the person wants it; ``outside_texts`` are the texts of the files
    that another program wrote, None where the change is none of files.
    """

    generation: int
    label: str
    after: SessionState
    keep: Callable[[Workbench], object]
    outside_texts: Mapping[str, str] | None = None


@dataclass
class FilesTouched(Message):
    """Another program may have changed a file of the session."""


@dataclass
class Freed(Message):
    """The session can be changed: the program that had it open ended."""
