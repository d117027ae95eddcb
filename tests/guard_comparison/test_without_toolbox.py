"""Examples without a toolbox run without given functions, and decide as the examples that call them."""

from __future__ import annotations

from pathlib import Path

import pytest
from guard_comparison.setup import function_at
from guard_comparison.without_toolbox import without_toolbox, written_out

from tests.guardagent.given_functions import shouted
from workbench.guardagent.guard_agent import run_code
from workbench.guardagent.prompts import GuardAgentTask
from workbench.guardagent.toolbox import Toolbox
from workbench.model import WorkbenchError
from workbench.session.session import Session

ROOT = Path(__file__).resolve().parents[2]
GUARDING = GuardAgentTask("r", "a", "in", "out")


def test_the_shipped_examples_decide_the_same_without_a_toolbox() -> None:
    toolbox = Toolbox.standard()
    demonstrations = [
        Session.open(ROOT / "sessions" / name, read_only=True).demonstrations[-1]
        for name in ("hospital-access", "web-shopping")  # one calls check_access, one check_rule
    ]
    for demonstration, alone in zip(demonstrations, without_toolbox(demonstrations, toolbox), strict=True):
        with_it = run_code(demonstration.code, GUARDING, toolbox)
        assert with_it.label is not None
        assert alone.code != demonstration.code
        assert run_code(alone.code, GUARDING, Toolbox.empty()).decision == with_it.decision


def test_an_example_that_calls_nothing_of_the_toolbox_stays_as_it_is() -> None:
    for code in ("label = 0", "label = (", "label = len('x') - 1"):
        assert written_out(code, Toolbox.standard()) == code


def test_the_functions_of_a_session_come_along_with_all_that_they_call() -> None:
    inner = "def inner(text: str) -> str:\n    return text.lower()\n\n"
    source = inner + "def quiet(text: str) -> bool:\n    return inner(text) == text\n"
    toolbox = Toolbox.empty().with_written(source, "functions.py")
    alone = written_out("label = 0 if quiet('Loud') else 1", toolbox)
    assert run_code(alone, GUARDING, Toolbox.empty()).label == 1


def test_a_function_that_guardrail_code_cannot_hold_is_said_by_name() -> None:
    with pytest.raises(WorkbenchError, match="shouted"):
        written_out("label = len(shouted('x'))", Toolbox.empty().with_function(shouted))


def test_a_function_for_the_toolbox_is_named_with_its_module() -> None:
    assert Toolbox.empty().with_function(function_at("workbench.likeness:edit_distance")).functions
    with pytest.raises(WorkbenchError, match="no function"):
        function_at("no.such.module:f")
