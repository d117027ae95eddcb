"""The text of Python code as a syntax tree, as Python itself reads it."""

from __future__ import annotations

import ast
import re
import warnings

from workbench.runs.values.found_value import Missing

_RECODED = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8\b)", re.IGNORECASE)


def names_an_encoding(text: str) -> bool:
    """Whether the text may be read in another encoding when it runs."""
    return any(_RECODED.match(line) for line in text.split("\n", 2)[:2])


def parsed(text: str) -> ast.Module:
    """The tree of the code; raises Missing if it is not Python, or another text may run."""
    if names_an_encoding(text):
        raise Missing("the code names an encoding of its own, so what runs is not certain")
    try:
        with warnings.catch_warnings():
            # A warning about a bad escape in a logged text does not concern the user of the workbench.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise Missing(f"the code is not Python: line {error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise Missing("the code cannot be parsed: it is nested too deeply") from None
