"""Why an agent spec cannot be used: a reading by which no text can be read."""

from __future__ import annotations

from dataclasses import replace

from workbench.model import AgentSpec, WorkbenchError

NAME = "agent.toml"


def agent_trouble(spec: AgentSpec, text: str) -> str:
    """The first reading that cannot be prepared, with its line in the agent file; empty if there is none.

    Reading the file finds what has the wrong form; only preparing a reading finds an option that its method
    does not take.
    """
    from workbench.files.strict_reading import line_of
    from workbench.runs.extract.text_readings import check_readings

    for reading in spec.readings:
        try:
            check_readings(replace(spec, readings=(reading,)))
        except WorkbenchError as error:
            return f"{NAME}:{line_of(text, ('readings', reading.name, 'extract'))}: {error}"
    return ""
