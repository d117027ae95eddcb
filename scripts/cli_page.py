"""Write ``docs/reference/cli.md`` from the commands' own help, so that the two cannot disagree.

Run by ``make docs``; a test compares the page with the output of this script.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from functools import cache
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
BEGIN = "<!-- written by make docs: begin -->"
END = "<!-- written by make docs: end -->"
WIDTH = "96"


@cache
def help_of(*words: str) -> str:
    """The output of ``workbench WORDS --help`` on a terminal of a fixed width."""
    from workbench.cli import main

    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    help_output = io.StringIO()
    try:
        with contextlib.redirect_stdout(help_output):
            main([*words, "--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return help_output.getvalue().rstrip()


def commands(*group: str) -> tuple[tuple[str, ...], ...]:
    """The commands in the order of the help, each followed by its subcommands."""
    listed = help_of(*group).partition("\nOptions:\n")[2].partition("\nExit codes:")[0]
    command_paths: list[tuple[str, ...]] = []
    for name in re.findall(r"^  ([a-z][a-z-]*)  ", listed, re.MULTILINE):
        command_paths += [(*group, name), *commands(*group, name)]
    return tuple(command_paths)


def page(text: str) -> str:
    """The page with its generated part replaced by the commands' present help."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    parts = [
        f"## workbench {' '.join(command)}\n\n```text\n{help_of(*command)}\n```\n" for command in commands()
    ]
    return f"{head}{BEGIN}\n\n" + "\n".join(parts) + f"\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
    sys.exit(0)
