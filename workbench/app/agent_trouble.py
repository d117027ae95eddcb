"""Why an agent spec cannot be used: an extraction that no call can be read by."""

from __future__ import annotations

import re

from workbench.model import AgentSpec, WorkbenchError

NAME = "agent.toml"


def agent_trouble(spec: AgentSpec, text: str) -> str:
    """The first argument that cannot be extracted, with its line in the agent file; empty if there is none.

    Reading the file finds what has the wrong form; only preparing an extraction finds a method that does not
    exist, or an option that the method does not take.
    """
    from workbench.runs.extract.extractor import Extractor

    for argument in spec.arguments:
        try:
            Extractor((argument,), spec)
        except WorkbenchError as error:
            return f"{NAME}:{_line(argument.name, text)}: {error}"
    return ""


def _line(argument: str, text: str) -> int:
    """The line of the argument's extraction, else of the argument, else the first one."""
    name = re.escape(argument)
    quoted = rf"""(?:{name}|"{name}"|'{name}')"""
    for table in (rf"\[\s*arguments\.{quoted}\.extract\s*\]", rf"\[\s*arguments\.{quoted}\s*\]"):
        found = re.search(rf"^[ \t]*{table}", text, re.M)
        if found is not None:
            return text.count("\n", 0, found.start()) + 1
    return 1
