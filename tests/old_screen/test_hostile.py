"""Hostile text on every widget: nothing becomes a link, nothing reaches the terminal raw, nothing crashes."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from textual.widget import Widget

import workbench.old_screen.widgets
from tests.old_screen.screens import HOSTILE, LONG, drawn, poisoned, settled
from workbench.model import CaseResult, Problem, Step, StepDecision, WorkbenchError
from workbench.old_screen import background_work
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.replay_state import Cause, Strategies
from workbench.old_screen.samples.sample import CASES, CONTENTS, POLICY, PROOF, REFUTED, STEPS, decide_sample
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.state import Cases
from workbench.old_screen.widgets.entry import Entry
from workbench.policy.terms import PolicyTerms


class HostilePort(SamplePort):
    """The sample with poison in every text that comes from outside."""

    def __init__(self, text: str) -> None:
        unknown = replace(PROOF.clauses[0], status=REFUTED.status.UNKNOWN, why=text)
        found = replace(REFUTED, counterexample=poisoned(REFUTED.counterexample, text))
        proof = replace(PROOF, clauses=(unknown, PROOF.clauses[1], found), why=text)
        super().__init__(replace(poisoned(CONTENTS, text), policy=POLICY + "# " + text), proof=proof)
        self._text = text

    def check(self, policy: str) -> PolicyTerms:
        if "broken" in policy:
            raise WorkbenchError(
                self._text, problems=(Problem(self._text, self._text, 4), Problem(self._text))
            )
        return super().check(POLICY)

    def cases(self) -> Cases:
        return Cases(poisoned(CASES, self._text))

    def test(
        self, policy: str, cancelled: threading.Event, only: frozenset[str] | None = None
    ) -> Sequence[CaseResult]:
        del policy, cancelled, only
        raise WorkbenchError(self._text)

    def steps(self) -> tuple[Sequence[Step], int]:
        return tuple(replace(poisoned(step, self._text), run=self._text) for step in STEPS), 3

    def causes(self, terms: PolicyTerms) -> tuple[Cause, ...]:
        return poisoned(super().causes(terms), self._text)

    def strategies(self, terms: PolicyTerms) -> Strategies:
        return poisoned(super().strategies(terms), self._text)

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        del cancelled
        return tuple(poisoned(found, self._text) for found in decide_sample(terms))


def widget_classes() -> set[type[Widget]]:
    """Every widget class of the screen, found by looking."""
    found: set[type[Widget]] = set()
    for info in pkgutil.iter_modules(workbench.old_screen.widgets.__path__):
        module = importlib.import_module(f"workbench.old_screen.widgets.{info.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Widget) and value.__module__ == module.__name__:
                found.add(value)
    return found


def inspect(app: WorkbenchApp, seen: set[type[Widget]]) -> str:
    texts: list[str] = []
    for widget in (app.screen, *app.screen.walk_children(Widget)):
        seen.update(kind for kind in type(widget).__mro__ if issubclass(kind, Widget))
        if widget.display and widget.size and widget is not app.screen:
            texts.append(drawn(widget))
    return "\n".join(texts)


@pytest.mark.parametrize(
    ("text", "size"), [(HOSTILE, (200, 60)), (LONG, (80, 24))], ids=["hostile-wide", "long-narrow"]
)
async def test_hostile_text_is_harmless_on_every_widget(
    text: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_work, "SLOW_AFTER", 0.01)
    app = WorkbenchApp(HostilePort(text))
    app.animation_level = "none"
    seen: set[type[Widget]] = set()
    shown = ""
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(app, pilot)
        for keys in (
            ["f2"], ["f8", "end", "up", "up", "enter"], ["escape", "f3", "ctrl+end"],
            ["f4", "down", "enter", "end"],
            ["f5", "down", "end"], ["f6", "down", "d", "x"], ["f7", "n", "n", "end"], ["f1"], ["escape"],
            ["ctrl+p"], ["escape"], ["f9"], ["f9"], ["f3", "f12"], ["escape", "f4", "n"], ["escape"],
            ["f6", "v"], ["v"], ["s"], ["down", "enter"], ["escape"], ["s"], ["alt+o"], ["escape"],
            ["alt+a"], ["down", "down", "enter"], ["escape"], ["escape"],
            ["f3", "ctrl+home", *"broken"],
        ):  # fmt: skip
            await pilot.press(*keys)
            await settled(app, pilot)
            shown += inspect(app, seen)
        app.query_one("#filter", Entry).value = text
        await pilot.press("f6", "slash")
        await settled(app, pilot)
        shown += inspect(app, seen)
        assert app.is_running
    assert "[/x]" in shown
    assert "[ @click=app.quit]" in shown
    assert widget_classes() - seen == set()
