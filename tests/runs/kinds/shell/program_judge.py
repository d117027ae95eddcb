"""Random lines of programs with what their record leaves out of what they do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.runs.kinds.shell.program_lines import random_line
from tests.runs.kinds.shell.program_oracle import effects_of, hidden_effects
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.kinds.shell.program_tables import TABLES
from workbench.runs.values.found_value import Missing

_OWN = frozenset({"bash"})
_STARTED = frozenset(name for table in TABLES.values() for name in table.starts) | _OWN


@dataclass(frozen=True, slots=True)
class Judged:
    """A line: its program, whether its record tells all programs and files, and what it hides."""

    text: str
    program: str
    decided: bool
    hidden: list[str]


def judged(
    rng: random.Random, programs: Sequence[str], count: int, root: Path, history: Path | None = None
) -> list[Judged]:
    """So many random lines of the programs, run and judged."""
    made = [(name, random_line(rng, name)) for name in (programs[n % len(programs)] for n in range(count))]
    return judged_lines(made, root, history)


def judged_lines(made: Sequence[tuple[str, str]], root: Path, history: Path | None = None) -> list[Judged]:
    """Lines, each with its program, run and judged."""
    reader = KINDS["command"].reader({"folder": "/w", "home": "/home/me"})
    lines: list[Judged] = []
    for (name, text), effects in zip(
        made, effects_of([text for _, text in made], root, history), strict=True
    ):
        try:
            parts = reader.parts(text)
        except Missing:
            lines.append(Judged(text, name, decided=False, hidden=[]))
            continue
        decided = not any(isinstance(parts[part], Missing) for part in ("programs", "reads", "writes"))
        lines.append(Judged(text, name, decided, hidden_effects(parts, effects, _STARTED)))
    return lines
