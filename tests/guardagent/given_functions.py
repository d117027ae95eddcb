"""A function for a toolbox that no guardrail code could hold."""

from __future__ import annotations

import re


def shouted(text: str) -> str:
    """The words of a text that are in capitals."""
    return " ".join(re.findall(r"[A-Z]+", text))
