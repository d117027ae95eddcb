"""The session as one page, written to a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError
from workbench.tui.messages import Ask, Say, TypeIn

if TYPE_CHECKING:
    from textual.message import Message

    from workbench.app.workbench import Workbench

MARKDOWN = (".md", ".markdown")


def report_wanted(name: str, post: Callable[[Message], object]) -> TypeIn:
    """A prompt for the path of a report; the report is written there, and ``post`` sends a sentence on it."""

    def typed(text: str) -> None:
        if text.strip():
            file = Path(text.strip()).expanduser()
            post(Ask("report", partial(_write, file, post), f"writing {file.name}"))

    return TypeIn("write the report (.html or .md) to ", typed, f"{name}.html", replaces=True)


def _write(file: Path, post: Callable[[Message], object], bench: Workbench) -> Callable[[], object]:
    from workbench.app.page import render_html, render_markdown

    page = bench.page()
    text = render_markdown(page) if file.suffix.lower() in MARKDOWN else render_html(page)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"The report cannot be written to {file}: {error.strerror}.") from error
    return partial(post, Say(f"Wrote {file.resolve()}."))
