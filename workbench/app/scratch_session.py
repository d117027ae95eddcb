"""A copy of a session in another folder, for trying a change before it is stored, or for a past state."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench

CALLS = "calls.jsonl"


@contextlib.contextmanager
def trial(bench: Workbench, texts: Mapping[str, str] | None = None) -> Generator[Workbench]:
    """A copy of an open session, its files with these texts if any are given; removed at the end.

    The logs are taken from the session, which has read them already. Raises WorkbenchError if the copy cannot
    be written or its files cannot be read.
    """
    from workbench.app.workbench import Workbench
    from workbench.session import FILES
    from workbench.session.copying import copy_files

    session = bench.session
    with tempfile.TemporaryDirectory(prefix="workbench-trial-") as parent:
        folder = Path(parent) / session.path.resolve().name
        try:
            copy_files(session.path, folder)
            for name in FILES:
                text = session.text(name) if texts is None else texts.get(name, "")
                if text:
                    (folder / name).write_text(text, encoding="utf-8")
                else:
                    (folder / name).unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise WorkbenchError(f"The change cannot be tried on a copy ({reason}).", exit_code=3) from error
        copy = Workbench.open(folder)
        try:
            copy.runs.begin_with(bench.runs)
            yield copy
        finally:
            copy.close()


def texts_at(bench: Workbench, number: int) -> dict[str, str]:
    """The texts of the session's files after this number of changes of its history (0: before the first)."""
    from workbench.session import FILES

    session = bench.session
    texts = {name: session.text(name) for name in FILES}
    for change in reversed(session.history[number:]):
        texts |= {file.name: file.old or "" for file in change.files}
    return texts


def state_at(bench: Workbench, number: int) -> SessionState:
    """The judged state of the session after this number of changes of its history, on the present logs."""
    with trial(bench, texts_at(bench, number)) as before:
        state = before.judged_state()
        if state.terms is None or state.problems:
            return state
        results = before.cases.run(state.policy).results
        return replace(state, results={result.case: result for result in results})


def outside_texts(bench: Workbench) -> dict[str, str]:
    """The texts of the files that other programs changed, by name.

    Raises FileError if one of them can no longer be read.
    """
    from workbench.session.atomic import inside, read_text

    folder = bench.session.path
    text_by_name: dict[str, str] = {}
    for name in bench.session.changed_outside():
        text_by_name[name] = read_text(inside(folder, name), name) or ""
    return text_by_name


def state_after_outside(bench: Workbench, editor_text: str) -> SessionState:
    """The judged state that would result from taking over the edits of other programs.

    ``editor_text`` is the text of the policy in the editor.
    """
    kept_edit = bench.editing.kept_edit
    texts = outside_texts(bench)
    with trial(bench) as tried:
        if kept_edit is not None:
            tried.editing.keep(kept_edit)
        for name, text in texts.items():
            (tried.session.path / name).write_text(text, encoding="utf-8")
        tried.editing.take_outside(editor_text)
        return tried.judged_state()


def announced(
    bench: Workbench, work: Callable[[Workbench], object]
) -> tuple[SessionState, Mapping[str, str]]:
    """The session as it would be after ``work``: the judged state, and the texts of the files.

    Model calls that ``work`` makes are recorded in the session at once.
    """
    from workbench.session import FILES

    with trial(bench) as tried:
        call_count = len(tried.session.calls)
        try:
            work(tried)
        finally:
            if len(tried.session.calls) > call_count:
                written = (tried.session.path / CALLS).read_text(encoding="utf-8").splitlines()
                for call in written[call_count:]:
                    bench.session.append_call(json.loads(call))
        return tried.judged_state(), {name: tried.session.text(name) for name in FILES}


def keep(bench: Workbench, texts: Mapping[str, str], label: str) -> None:
    """Write the texts of an announced change, as one change that can be undone.

    Raises SessionConflict if another program changed a file meanwhile.
    """
    session = bench.session
    with session.transaction(label):
        for name, text in texts.items():
            if text != session.text(name):
                session.set_text(name, text, label)
