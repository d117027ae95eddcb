"""What the tables of programs say, compared with what the real programs do: nothing that they do is hidden.

``benchmarks/program_words.py`` runs many more lines.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.runs.kinds.shell.program_judge import judged
from tests.runs.kinds.shell.program_lines import programs_here
from tests.runs.kinds.shell.program_oracle import can_trace

LINES = 500


@pytest.mark.skipif(not can_trace(), reason="programs cannot be traced here")
def test_no_effect_of_a_program_is_hidden(tmp_path: Path) -> None:
    rng = random.Random(1)
    lines = judged(rng, programs_here(), LINES, tmp_path)
    assert [f"{line.text}: {line.hidden}" for line in lines if line.hidden] == []
    assert sum(line.decided for line in lines) >= len(lines) // 2
