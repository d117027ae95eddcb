"""Everything that the screen can show, scene by scene: how to get there, and what must be there then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textual.app import App
from textual.command import CommandPalette
from textual.message import Message
from textual.screen import Screen

from workbench.model import Proof
from workbench.old_screen import form_messages, messages, replay_messages
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.argument_form import argument_form
from workbench.old_screen.assumption_form import assumption_form
from workbench.old_screen.case_form import case_form
from workbench.old_screen.demonstration_form import demonstration_form
from workbench.old_screen.memory_actions import path_form
from workbench.old_screen.reason_form import reason_form
from workbench.old_screen.remembered_settings import RememberedSettings
from workbench.old_screen.samples.sample import ASSUMPTIONS, CONTENTS, PROOF, REFUTED
from workbench.old_screen.samples.sample_call import CALL
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.samples.sample_sessions import HERE, RECENT
from workbench.old_screen.session_choice import ChoosingApp
from workbench.old_screen.spec_forms import agent_form, synonym_form, tool_form, words_form
from workbench.old_screen.widgets.agent import AgentScreen
from workbench.old_screen.widgets.browser import SessionBrowser
from workbench.old_screen.widgets.form import FormScreen
from workbench.old_screen.widgets.help import HelpScreen
from workbench.old_screen.widgets.reader import ReaderScreen

ANSWERED = replace(CONTENTS, questions=(), assumptions=ASSUMPTIONS)
BROKEN = Proof((*PROOF.clauses[:2], REFUTED))


def asking() -> App[Any]:
    """Two questions are open."""
    return WorkbenchApp(SamplePort())


def answered() -> App[Any]:
    """Nothing is open; one case fails."""
    return WorkbenchApp(SamplePort(ANSWERED))


def refuted() -> App[Any]:
    """A clause is refuted."""
    return WorkbenchApp(SamplePort(ANSWERED, proof=BROKEN, preview=BROKEN))


def choosing() -> App[Any]:
    """No session is open yet."""
    return ChoosingApp(RememberedSettings(), Path("/home/ada"))


@dataclass(frozen=True)
class Scene:
    """What is on the screen after some keys, then some messages; ``pane`` has the focus in it.

    ``shows`` must be readable and each of ``told`` heard before a picture is taken. ``form`` is the
    function that made the form, where the scene shows one.
    """

    shows: str
    keys: str = ""
    sends: tuple[Message, ...] = ()
    then: str = ""
    begin: Callable[[], App[Any]] = answered
    screen: type[Screen[Any]] = Screen
    told: tuple[type[Message], ...] = ()
    pane: str = ""
    form: Callable[..., object] | None = None


def window(shows: str, keys: str, screen: type[Screen[Any]] = ReaderScreen, **others: Any) -> Scene:
    """A scene with a window over the panes."""
    return Scene(shows, keys, screen=screen, **others)


def form(shows: str, made: Callable[..., object], keys: str, *sends: Message, **others: Any) -> Scene:
    """A scene with a form over the panes."""
    told = (FormScreen.Opened, *others.pop("told", ()))
    return Scene(shows, keys, sends, screen=FormScreen, told=told, form=made, **others)


PANES = {
    "question": Scene("Are they the same?", begin=asking, pane="question", told=(messages.TurnedFound,)),
    "own-words": Scene("your own words", "n n", begin=asking, pane="question", told=(messages.NeitherMeant,)),
    "policy": Scene("forbid_unreadable_column", pane="policy", told=(messages.Proved, messages.Tested)),
    "edited": Scene("not valid Python", "f3 x", pane="policy", told=(messages.PolicyEdited,)),
    "folded": Scene("contract: 3 clauses", "z end", pane="policy"),
    "completing": Scene("argument, enum", "f3 ctrl+end ctrl+n", pane="policy"),
    "offered": Scene("argument, enum", "f3 ctrl+end r o", pane="policy", told=(messages.PolicyEdited,)),
    "cases": Scene("expected deny, got allow", "f4", pane="cases"),
    "searching": Scene("n and N go on", "f4 slash R 4", pane="cases"),
    "proof": Scene("proved (Nagini)", "f5", pane="proof", told=(messages.ClauseProved, messages.Proved)),
    "refuted": Scene("refuted", "f5", begin=refuted, pane="proof"),
    "evidence": Scene("it: allow", "f5 m end", pane="proof", told=(messages.Measured,)),
    "replay": Scene("eicu-003", "f6", pane="replay", told=(messages.Decided,)),
    "denied": Scene("is:deny", "f6 d down", pane="replay", told=(messages.StepSelected,)),
    "filtering": Scene("nursing", "f6 slash n u r s i n g", pane="replay"),
    "causes": Scene("forbid_unreadable_column", "f6 v", pane="replay", told=(replay_messages.CausesFound,)),
    "strategies": Scene("stopped", "f6 s", pane="replay", told=(replay_messages.StrategiesFound,)),
    "details": Scene("Arguments", "f6 down f7", pane="details", told=(form_messages.RankingFound,)),
    "explained": Scene("Ask for less", "f6 d w", pane="details", told=(messages.StepExplained,)),
    "rail": Scene("Versions", "f8", pane="rail"),
    "request": Scene("R3 General", "f8 home enter", begin=asking, pane="rail"),
    "zoomed": Scene("expected deny, got allow", "f4 f9", pane="cases"),
    "call": Scene("rules R3", sends=(messages.CallTold(CALL),), pane="policy", told=(messages.CallTold,)),
    "tour": Scene("Tour 3 of 7", "alt+t enter enter", pane="policy"),
    "said": Scene("quits; nothing is lost", "f4 ctrl+c", pane="cases"),
}
WINDOWS = {
    "help": window("Only denied steps", "f6 f1", HelpScreen),
    "commands": window("Only denied steps", "f6 ctrl+p d e n i e d", CommandPalette),
    "jump": window("Jump to", "ctrl+g"),
    "links": window("Belongs together", "f5 f12"),
    "lowered": window("PSet[int]", "f11", told=(messages.TextFound,)),
    "effects": window("2 log steps decided otherwise", "l", begin=asking, told=(messages.EffectsWanted,)),
    "versions": window("Edit the policy", "alt+d"),
    "difference": window("Against version", "alt+d down enter", told=(messages.Compared,)),
    "strategy": window("Runs that it touches", "f6 s enter", told=(replay_messages.WayWanted,)),
    "agent": window("Arguments of the policy", "alt+a", AgentScreen, told=(form_messages.AgentFound,)),
    "sessions": Scene(
        "Which mail may leave",
        sends=(messages.SessionsFound(HERE, RECENT),),
        screen=SessionBrowser,
        told=(messages.SessionsFound,),
    ),
    "choosing": Scene("Which mail may leave", begin=choosing, screen=SessionBrowser),
}
FORMS = {
    "case": form("New case", case_form, "f4 n", told=(messages.CaseFormWanted,)),
    "argument": form(
        "What this changes",
        argument_form,
        "f6 down",
        form_messages.AgentWanted("argument", "rows"),
        told=(form_messages.ArgumentTried,),
    ),
    "argument-wrong": form(
        "regex needs this",
        argument_form,
        "f6 down",
        form_messages.AgentWanted("argument", "rows"),
        then="tab end ctrl+u alt+s",
    ),
    "agent": form("The agent", agent_form, "", form_messages.AgentWanted("agent")),
    "tool": form("Tool GetValue", tool_form, "", form_messages.AgentWanted("tool", "GetValue")),
    "vocabulary": form("Vocabulary role", words_form, "", form_messages.AgentWanted("vocabulary", "role")),
    "synonym": form(
        "general admission", synonym_form, "", form_messages.AgentWanted("synonym", "general admission")
    ),
    "assumption": form(
        "Assumption A:default", assumption_form, "", messages.AssumptionFormWanted("default:decision")
    ),
    "demonstration": form(
        "What this changes",
        demonstration_form,
        "",
        form_messages.DemonstrationWanted("d1"),
        told=(form_messages.MemoryTried,),
    ),
    "reason": form(
        "Let this wrong version pass", reason_form, "f5 m end o", told=(messages.SurvivorAccepted,)
    ),
    "import": form("Import demonstrations", path_form, "", form_messages.MemoryMoved(True)),
}
SCENES = {
    **PANES,
    **{f"window-{name}": scene for name, scene in WINDOWS.items()},
    **{f"form-{name}": scene for name, scene in FORMS.items()},
}


@dataclass(frozen=True)
class Look:
    """A size of the terminal and a theme."""

    size: tuple[int, int]
    theme: str

    @property
    def name(self) -> str:
        """What a picture's file is named by."""
        return f"{self.size[0]}x{self.size[1]}-{self.theme}"


SMALL, USUAL, LARGE = Look((80, 24), "light"), Look((120, 40), "dark"), Look((200, 60), "light")
LOOKS = (SMALL, USUAL, LARGE)
"""Every scene is shown in the smallest, and in those in which it is pictured."""
PICTURED = {
    SMALL: frozenset({"question", "policy", "replay", "form-argument-wrong"}),
    USUAL: frozenset(
        {
            *("question", "own-words", "policy", "edited", "completing", "call", "tour"),
            *("cases", "refuted", "evidence", "replay", "causes", "strategies", "explained", "rail"),
            *("window-help", "window-commands", "window-lowered", "window-difference", "window-agent"),
            *("window-choosing", "form-case", "form-demonstration"),
        }
    ),
    LARGE: frozenset({"question", "refuted"}),
}
"""The scenes that are compared with a picture. So few, that a person looks at each that changes."""
