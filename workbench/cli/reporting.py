"""The command ``report``: a session as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.open_session import reading
from workbench.cli.output import note, progress, write_lines
from workbench.cli.parameters import SessionPath


def report(
    session: SessionPath,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one HTML file.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write Markdown.")
    ] = None,
) -> int:
    """Write a session as one page for an audit.

    Without a file it writes Markdown to standard output. Exits as 'workbench check' does.
    """
    from workbench.app.page import render_html, render_markdown

    with reading(session) as bench:
        progress("Checking the session")
        page = bench.page()
    for file, render in ((html, render_html), (markdown, render_markdown)):
        if file is not None:
            file.write_text(render(page), encoding="utf-8")
            note(f"Wrote {file}.")
    if html is None and markdown is None:
        write_lines(render_markdown(page).splitlines())
    return page.report.exit_code
