"""Actions on the call or cause at the cursor: judge it, keep it; and opening logs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.model import Judgement
from workbench.tui.messages import Go, LogWanted, TypeIn
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.verdict_signs import VERDICT_WORD
from workbench.tui.widgets.prompt import pasted_paths

if TYPE_CHECKING:
    from workbench.tui.views.runs.view import RunsView


class RunActions:
    """Asks the application for changes of the session, depending on the item at the cursor of a view."""

    def __init__(self, view: RunsView) -> None:
        """Act for a view."""
        self._view = view
        self._refused: dict[str, str] = {}  # by the prompt: the typed path of a log that could not be opened

    # --- judging

    def do_right(self) -> bool:
        """Judge the calls of a cause, or a call, as decided right."""
        return self._judge(Judgement.RIGHT)

    def do_wrong(self) -> bool:
        """Judge the calls of a cause, or a call, as decided wrong."""
        return self._judge(Judgement.FALSE_ALARM)

    def do_pin(self) -> bool:
        """Keep the chosen call as a case with its present decision."""
        return self._judge_call(Judgement.RIGHT)

    def _judge(self, judgement: Judgement) -> bool:
        groups = self._view.causes_at_cursor
        if groups is None:
            return self._judge_call(judgement)
        if groups:
            word = "right" if judgement is Judgement.RIGHT else "false alarm"
            calls = sum(len(group.calls) for group in groups)
            label = f"{calls:,} {'denial' if calls == 1 else 'denials'} judged {word}"
            self._view.act(label, lambda bench: bench.judging.judge(groups, judgement))
        return bool(groups)

    def _judge_call(self, judgement: Judgement) -> bool:
        """Judge the chosen call, which becomes a case; False if no call is chosen."""
        state, decided = self._view.state, self._view.chosen
        if state.terms is None or decided is None:
            return False
        terms, verdict = state.terms, decided.decision.verdict
        expected = VERDICT_WORD[judgement.expects(verdict)]
        tried = self._view.tried_text
        called = one_line(tried, 40) or f"call {decided.index} of {decided.run}"
        label = f"Case of {called}: {expected}"
        return self._view.act(label, lambda bench: bench.judging.judge_call(terms, decided, judgement, tried))

    def do_add(self) -> bool:
        """Keep the chosen call as a demonstration; if the policy cannot make one, let the person write it."""
        view, state, decided = self._view, self._view.state, self._view.chosen
        position = view.calls.position
        if state.terms is None or state.logs is None or decided is None:
            return False

        def failed(why: str) -> None:
            view.post_message(Go(Place(ViewName.MEMORY, PlaceKind.CALL, str(position)), then="add"))
            sentence = f"{why} So write the plan and the code of this demonstration yourself."
            view.say(sentence, problem=True)

        arguments = state.terms, state.logs, decided.run, decided.index
        label = f"Demonstration of call {decided.index} of {decided.run}"
        return view.act(label, lambda bench: bench.memory.add_from_call(*arguments), failed)

    # --- logs

    def do_open(self) -> bool:
        """Ask for a log, and open it in addition to those of the session."""
        self._ask_path("open a log: ", follow=False)
        return True

    def do_follow(self) -> bool:
        """Follow the log of the chosen call as it grows, or another one; or stop following."""
        state, position = self._view.state, self._view.calls.position
        if state.followed:
            return self._view.post_message(LogWanted(None))
        path = ""
        if state.logs is not None and position is not None:
            run = state.logs.calls[position].run
            path = next((candidate.path for candidate in state.logs.runs if candidate.id == run), "")
        self._ask_path("follow: ", path, follow=True)
        return True

    def dropped(self, text: str) -> bool:
        """Open a log whose path was dropped on the terminal; False if the text is no path of a file."""
        paths = pasted_paths(text)
        if paths:
            self._view.post_message(LogWanted(paths[0]))
        return bool(paths)

    def _ask_path(self, sign: str, path: str = "", *, follow: bool) -> None:
        """Let a path be typed; a path that could not be opened is offered again for correction."""

        def typed(text: str) -> None:
            self._refused.pop(sign, None)

            def failed(_why: str) -> None:
                self._refused[sign] = text

            log_path = Path(text.strip().strip("'\"")).expanduser()
            self._view.post_message(LogWanted(log_path, follow, failed))

        self._view.post_message(TypeIn(sign, typed, self._refused.get(sign, path), replaces=True))
