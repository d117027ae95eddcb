"""GuardAgent's memory on the screen: demonstrations are kept, edited, moved; what that changes is said."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.timer import Timer

from workbench.model import Demonstration
from workbench.old_screen import form_messages, messages
from workbench.old_screen.calling import CallingApp
from workbench.old_screen.inspection_actions import NOT_YET
from workbench.old_screen.state import Contents
from workbench.old_screen.value_text import plural

if TYPE_CHECKING:
    from workbench.old_screen.forms import Form, Typed
    from workbench.old_screen.memory_state import MemoryEdit, MemoryEffect
    from workbench.old_screen.widgets.form import FormScreen

RANK_AFTER = 0.3


class RememberingApp(CallingApp):
    """Demonstrations: added from a step by one key, edited by a form, switched, removed, moved."""

    _ranking: Timer | None = None
    _begun = ""

    @property
    def busy(self) -> bool:
        """Whether work runs or is to begin by itself, a ranking too."""
        return super().busy or self._ranking is not None

    @property
    def _known(self) -> tuple[Demonstration, ...]:
        return self._board.contents.demonstrations

    # --- the ranking for the selected step

    @on(messages.StepSelected)
    def _rank_soon(self, event: messages.StepSelected) -> None:
        if self._ranking is not None:
            self._ranking.stop()
            self._ranking = None
        if event.index is not None and self._known:
            self._ranking = self.set_timer(RANK_AFTER, partial(self._rank, event.index))

    def _rank(self, at: int) -> None:
        self._ranking = None
        port = self._port
        self._live.ask("rank", lambda: form_messages.RankingFound(at, port.ranking(at)))

    @on(form_messages.RankingFound)
    def _ranked(self, event: form_messages.RankingFound) -> None:
        if event.at == self._selected:
            self.details_pane.show_ranking(event.ranked)

    @on(messages.Loaded)
    def _rank_again(self) -> None:
        if self._selected is not None:
            self._rank_soon(messages.StepSelected(self._selected))

    # --- from a step

    @on(form_messages.DemonstrationAsked)
    def _demonstration_asked(self, event: form_messages.DemonstrationAsked) -> None:
        terms, port = self._board.verdicts.terms, self._port
        if terms is None or self._board.replayed.stale:
            self._say(NOT_YET if terms is None else "The replay is stale; wait until it is decided again.")
            return

        def work() -> form_messages.Demonstrated:
            return form_messages.Demonstrated(port.demonstrate(terms, event.index))

        self._live.ask("demonstrate", work)

    @on(form_messages.Demonstrated)
    def _demonstrated(self, event: form_messages.Demonstrated) -> None:
        made = event.demonstration
        self._remember_all((*self._known, made), f"Add the demonstration {made.id}")

    # --- editing

    @on(form_messages.DemonstrationWanted)
    def _demonstration_wanted(self, event: form_messages.DemonstrationWanted) -> None:
        from workbench.old_screen.demonstration_form import demonstration_form

        found = self._named(event.id)
        begun = found or Demonstration("", "", "", ("", "", "", ""), "")
        self.fill(demonstration_form(self._known, begun), partial(self._keep, begun.id))

    def _named(self, name: str) -> Demonstration | None:
        return next((item for item in self._known if item.id == name), None)

    def _memory_after(self, old: str, made: Demonstration) -> MemoryEdit:
        from workbench.old_screen.memory_state import MemoryEdit

        if self._named(old) is None:
            return MemoryEdit((*self._known, made), f"Add the demonstration {made.id}")
        changed = tuple(made if item.id == old else item for item in self._known)
        return MemoryEdit(changed, f"Edit the demonstration {made.id}")

    def _keep(self, old: str, made: Demonstration) -> None:
        edit = self._memory_after(old, made)
        self._remember_all(edit.demonstrations, edit.label)

    @on(form_messages.DemonstrationSwitched)
    def _switched(self, event: form_messages.DemonstrationSwitched) -> None:
        found = self._named(event.id)
        if found is not None:
            what = "Disable" if found.enabled else "Enable"
            made = replace(found, enabled=not found.enabled)
            changed = tuple(made if item is found else item for item in self._known)
            self._remember_all(changed, f"{what} the demonstration {found.id}")

    @on(form_messages.DemonstrationRemoved)
    def _removed(self, event: form_messages.DemonstrationRemoved) -> None:
        changed = tuple(item for item in self._known if item.id != event.id)
        self._remember_all(changed, f"Delete the demonstration {event.id}")

    def _remember_all(self, changed: tuple[Demonstration, ...], label: str) -> None:
        """Store the memory, and say how many steps retrieve differently."""
        from workbench.old_screen.memory_state import MemoryEdit

        edit, port = MemoryEdit(changed, label), self._port

        def work() -> Contents:
            effect = port.try_memory(edit, threading.Event())
            contents = port.set_memory(edit)
            self.post_message(form_messages.MemoryChanged(label, effect))
            return contents

        self._change(work, "")

    @on(form_messages.MemoryChanged)
    def _memory_changed(self, event: form_messages.MemoryChanged) -> None:
        changed = frozenset(change.at for change in event.effect.changes)
        self._put(replace(self._board, replayed=replace(self._board.replayed, retrieves=changed)))
        self._say(f"{event.label}: {retrieval_words(event.effect)}")

    # --- files

    @on(form_messages.MemoryMoved)
    def _moved(self, event: form_messages.MemoryMoved) -> None:
        self.fill(path_form(event.importing), self._import if event.importing else self._export)

    def _import(self, path: Path) -> None:
        port = self._port

        def work() -> Contents:
            contents, effect = port.import_memory(path)
            self.post_message(form_messages.MemoryChanged("Import demonstrations", effect))
            return contents

        self._change(work, "")

    def _export(self, path: Path) -> None:
        port = self._port
        self._live.ask("export", lambda: messages.Told(port.export_memory(path)))

    # --- trying what a form holds

    def on_form_screen_opened(self, event: FormScreen.Opened) -> None:
        """Note which demonstration a form was opened for."""
        self._begun = event.values.get("id", "")

    def _try_other(self, value: object, number: int, cancelled: threading.Event) -> None:
        """Begin to find out what storing a demonstration would change."""
        if isinstance(value, Demonstration):
            edit = self._memory_after(self._begun, value)
            self._live.ask("try", partial(self._tried_memory, edit, number, cancelled))

    def _tried_memory(
        self, edit: MemoryEdit, number: int, cancelled: threading.Event
    ) -> form_messages.MemoryTried | None:
        """In a worker: which steps would retrieve differently."""
        effect = self._port.try_memory(edit, cancelled)
        return None if cancelled.is_set() else form_messages.MemoryTried(number, effect)

    @on(form_messages.MemoryTried)
    def _memory_tried(self, event: form_messages.MemoryTried) -> None:
        from workbench.old_screen.effect_rows import memory_effect_rows

        screen = self._form_screen(event.number)
        if screen is not None:
            screen.show_effect(partial(memory_effect_rows, event.effect))


def retrieval_words(effect: MemoryEffect) -> str:
    """How many steps retrieve differently, and how to see them."""
    if not effect.changes:
        return "every step retrieves as before."
    count = f"{len(effect.changes):,} of {plural(effect.steps, 'step')}"
    return f"{count} retrieve differently; the filter is:retrieval shows them."


def path_form(importing: bool) -> Form[Path]:
    """The file to import demonstrations from, or to export them to."""
    from workbench.old_screen.forms import Form, FormField
    from workbench.old_screen.spec_forms import needed

    hint = "a memory.jsonl, one demonstration on each line" if importing else "a file that does not exist yet"
    fields = (FormField("path", "File", hint),)

    def read(typed: Typed) -> Path:
        return Path(needed(typed, "path"))

    name = "Import demonstrations" if importing else "Export demonstrations"
    return Form(name, lambda _typed: fields, {"path": "" if importing else "memory.jsonl"}, read)
