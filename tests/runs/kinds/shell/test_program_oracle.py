"""What the tables of programs say, compared with what the real programs do: nothing that they do is hidden.

``benchmarks/program_words.py`` runs many more lines.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.runs.kinds.shell.program_judge import judged, judged_lines
from tests.runs.kinds.shell.program_lines import programs_here
from tests.runs.kinds.shell.program_oracle import can_trace

LINES, PARTS = 800, 2
UNUSUAL = Path(__file__).parent / "unusual_lines.txt"
"""Ways to start a program, or to read or write a file, that few know."""


@pytest.mark.skipif(not can_trace(), reason="programs cannot be traced here")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_effect_of_a_program_is_hidden(part: int, tmp_path: Path) -> None:
    lines = judged(random.Random(part), programs_here(), LINES // PARTS, tmp_path)
    assert [f"{line.text}: {line.hidden}" for line in lines if line.hidden] == []
    assert sum(line.decided for line in lines) >= len(lines) // 2


@pytest.mark.skipif(not can_trace(), reason="programs cannot be traced here")
def test_no_effect_of_an_unusual_line_is_hidden(tmp_path: Path) -> None:
    lines = [(text.split()[0], text) for text in UNUSUAL.read_text("utf-8").splitlines()]
    hidden = [line for line in judged_lines(lines, tmp_path) if line.hidden]
    assert [f"{line.text}: {line.hidden}" for line in hidden] == []
