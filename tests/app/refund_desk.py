"""The support desk of ``examples/refunds``: a session of which each sentence is said in the language."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from workbench.app.new_session import new_session
from workbench.app.rewording import read_form

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "refunds"


def refund_desk(folder: Path, *, left_open: int = 0) -> Path:
    """The session in a folder, with an answer to each question but the first ``left_open``."""
    log, request = EXAMPLE / "runs.jsonl", EXAMPLE / "request.md"
    made = new_session(folder, request, agent=EXAMPLE / "tools.json", logs=[log], author="written")
    with closing(made.workbench) as bench:
        made.draft()
        bench.rewordings.keep(read_form((EXAMPLE / "sentences.txt").read_text(encoding="utf-8")))
        for question in bench.questions.understand().open[left_open:]:
            bench.questions.answer(question, question.default)
    return folder
