"""Theorems in the evidence: the preview's verdict, what is assumed, and the run that breaks one."""

from __future__ import annotations

from dataclasses import replace

from workbench.app.session_state import SessionState
from workbench.check.evidence import Evidence
from workbench.model import Engine, ProofStatus, RecordedCall, Run, TheoremVerdict
from workbench.tui.views.evidence.view import matrix_rows
from workbench.tui.widgets.lines import laid_out, text_of

HELD = TheoremVerdict(
    "theorem_paid",
    "In no run is [b]more[/b] than 5 paid.",
    (),
    3,
    ProofStatus.PROVED,
    Engine.CVC5,
    "",
    ("time does not go back",),
)


def shown(*theorems: TheoremVerdict) -> str:
    evidence = Evidence((), (), (), (), theorems=theorems)
    rows = laid_out(matrix_rows(SessionState(name="desk"), evidence, None), 90)
    return "\n".join(text_of(row.line) for row in rows)


def test_a_theorem_that_holds_is_shown_as_previewed_with_what_it_assumes() -> None:
    text = shown(HELD)
    assert "◇ run  In no run is [b]more[/b] than 5 paid." in text
    assert "holds for all runs by the preview" in text
    assert "assumes time does not go back" in text


def test_the_run_that_breaks_a_theorem_is_shown() -> None:
    run = Run("breaking", (RecordedCall("breaking", 0, "pay_invoice", {"total": 6}),), "realised")
    text = shown(replace(HELD, status=ProofStatus.REFUTED, breaking=run))
    assert "✗ run" in text
    assert "refuted: the guard lets a run through" in text
    assert "pay_invoice(total=6)" in text


def test_an_unknown_theorem_says_what_that_means_and_a_proved_one_what_it_rests_on() -> None:
    unknown = replace(HELD, status=ProofStatus.UNKNOWN, why="a step is not proved", searched=4)
    words = " ".join(shown(unknown).split())
    assert "unknown by the preview: a step is not proved" in words
    assert "neither proved nor refuted: no run of up to 4 calls breaks it" in words
    assert "with theorem_other, [b] >= 0" in shown(
        replace(HELD, lemmas=("theorem_other",), found=("[b] >= 0",))
    )
