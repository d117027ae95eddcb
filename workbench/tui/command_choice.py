"""The choice of commands and other things from a list, and lines that a person types."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from workbench.tui.chooser import KEYS_NOTE, Chooser, Page, keys_of, page_rows
from workbench.tui.keys import BY_ID, KeyHint, command_offers, commands
from workbench.tui.messages import Ask, Choose, Say, TypeIn, ViewName, Workbench, WorkbenchApp
from workbench.tui.new_session import Opened, choose_session, make_session
from workbench.tui.widgets.prompt import TYPING, Prompt
from workbench.tui.widgets.sentence_editor import SentenceEditor

YES_OR_NO: Sequence[KeyHint] = (("y", "yes"), ("any other key", "no"))


class Commanding:
    """Offers commands, sessions and other things to choose or type."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Show the offers over the views of an app."""
        self._app = app

    def choose(self, event: Choose[Any]) -> None:
        """Show a list of offers."""
        offers = [(str(place), mark, words) for place, (_, mark, words) in enumerate(event.offers)]

        def chosen(key: str | None) -> None:
            if key:
                self._app.call_next(event.chosen, event.offers[int(key)][0])

        self._app.push_screen(Chooser(event.name, offers), chosen)

    def type_in(self, event: TypeIn) -> None:
        """Show a prompt for a line."""
        back = self._app.focused or self._app.view.current

        def left(text: str | None) -> None:
            back.focus()
            if text is not None and (text.strip() or event.one_key):
                event.typed(text)

        prompt = self._app.query_one(Prompt)

        def changed(text: str) -> None:
            if event.one_key:
                prompt.leave(text)

        keys = YES_OR_NO if event.one_key else TYPING
        prompt.ask(event.sign, event.text, changed, left, replaces=event.replaces, hints=keys)

    async def key_clicked(self, key: str) -> None:
        """Do the action of a key at the focus; an empty key stops the running work."""
        if not key:
            self.do_stop()
            return
        own_keys, key = self._app.personal.keys, key.partition(" ")[0]
        known_actions = commands(self._app.view.standing)
        action = next((action for action in known_actions if action.key_of(own_keys) == key), None)
        await self.done(action.id if action is not None else None)

    async def done(self, chosen: str | None) -> None:
        """Do the action of a name."""
        if chosen:
            action = BY_ID[chosen]
            if action.id == "choose":
                self._app.view.current.action_choose()
            elif not action.listed:
                await self._app.run_action(action.called)

    # --- actions

    def do_commands(self) -> None:
        """Offer every command, those of the pane in focus first."""
        offers = command_offers(self._app.view.standing, self._app.personal.keys)
        self._app.push_screen(Chooser("Commands", offers), self.done)

    def do_help(self) -> None:
        """Show what the view shows and every key, and do that of the key that is pressed then."""
        view = self._app.view
        about, named = " ".join((view.HELP or "").split()), view.NAME.value.capitalize()
        here, everywhere = keys_of(view.standing, self._app.personal.keys)
        text = self._app.focused
        here = [*(text.hints if isinstance(text, SentenceEditor) else (*view.own_hints(), *here))]

        def pressed(key: str | None) -> None:
            if key:
                self._app.simulate_key(key)

        build = partial(page_rows, about, here, everywhere)
        self._app.push_screen(Page(f"Keys · {named}", KEYS_NOTE, build), pressed)

    def do_sessions(self) -> None:
        """Choose another session, or make one; this one is closed."""
        recent, here = self._app.remembered.recent, self._app.work.path.resolve().parent
        choose_session(self._app, recent, here, self._open_next)

    do_open = do_sessions

    def do_new(self) -> None:
        """Make a session and open it; this one is closed."""
        make_session(self._app, Path.cwd(), self._open_next)

    def _open_next(self, chosen: Opened | None) -> None:
        if chosen is not None:
            self._app.next_session = chosen
            self._app.call_next(self._app.action_quit)

    def do_edit_agent(self) -> bool:
        """Edit agent.toml in the view Policy."""
        self._app.going.to_view(ViewName.POLICY)
        return self._app.view.do("edit_agent")

    def do_try(self) -> bool:
        """Write calls to try in the view Runs."""
        self._app.going.to_view(ViewName.RUNS)
        return self._app.view.do("try")

    def do_report(self) -> None:
        """Write the session as one page, for an audit."""
        self._written("report (.html or .md)", ".html", _page)

    def do_export(self) -> None:
        """Write the accepted policy as one file."""
        self._written("accepted policy (.py)", ".py", lambda bench, _file: bench.policy.export().text)

    def do_hook(self) -> None:
        """Say how a coding agent is guarded by the accepted version."""
        words = "this writes the hook into its settings; codex, gemini and opencode are others"
        self._in_a_shell("hook install claude-code --session {}", words)

    def do_live(self) -> None:
        """Say how an agent is let act under the policy while a person watches."""
        self._in_a_shell("live {} --agent MODULE:FUNCTION --world MODULE:CLASS --watch --ask", "it acts here")

    def _in_a_shell(self, command: str, words: str) -> None:
        """Say a command about the session, and what it does."""
        session = shlex.quote(str(self._app.work.path.resolve()))
        said = f"In a shell: workbench {command.format(session)} — {words}"
        self._app.say(Say(said, lasts=True))

    def _written(self, called: str, suffix: str, text_of: Callable[[Workbench, Path], str]) -> None:
        """Let the person type the path of a file, and write it."""
        name, post = self._app.work.path.resolve().name, self._app.post_message

        def typed(text: str) -> None:
            if text.strip():
                file = Path(text.strip()).expanduser()
                wrote = Say(f"Wrote {file.resolve()}.", lasts=True)
                write = partial(_write, file, text_of)
                post(Ask("write", write, lambda _: post(wrote), f"writing {file.name}", lasts=True))

        self.type_in(TypeIn(f"write the {called} to ", typed, f"{name}{suffix}", replaces=True))

    def do_stop(self) -> None:
        """Stop everything that runs: model calls, imports, measures, and the proof."""
        self._app.work.stop()
        self._app.work.stop_proof()


# --- what is written to a file

_MARKDOWN = (".md", ".markdown")


def _page(bench: Workbench, file: Path) -> str:
    from workbench.app.page import render_html, render_markdown

    page = bench.page()
    return render_markdown(page) if file.suffix.lower() in _MARKDOWN else render_html(page)


def _write(file: Path, text_of: Callable[[Workbench, Path], str], bench: Workbench) -> None:
    from workbench.app.named_files import write_named

    write_named(file, text_of(bench, file))
