"""Rules that a person chose for a sentence are stored as text, and read back as the same rules."""

from __future__ import annotations

import pytest

from workbench.author.rules.chosen_rules import chosen_norms, is_rules, rule_line
from workbench.author.rules.norms import Effect, Norm
from workbench.model import Argument, ArgumentType, Kind, WorkbenchError
from workbench.policy.terms import Compare, Comparison, Constant, ConstantSet, Member, Variable

ARROW = "read => write"
TOOL = Argument("tool", ArgumentType(Kind.ENUM, ("read", ARROW)))
NOTE = Argument("note", ArgumentType(Kind.STR))


@pytest.mark.parametrize("effect", Effect)
def test_a_rule_whose_texts_look_like_the_end_of_its_scope_is_read_as_it_was_stored(effect: Effect) -> None:
    scope = Member(Variable("tool", TOOL.type), ConstantSet((ARROW,)))
    condition = Compare(Comparison.NE, Variable("note", NOTE.type), Constant("a => b"))
    line = rule_line(Norm("", effect, scope, condition, "", complete=True))
    assert line == f'{effect.value}: tool in {{"{ARROW}"}} => note != "a => b"'
    assert is_rules(line)
    (norm,) = chosen_norms(line, "R1", "Say so.", (TOOL, NOTE))
    assert (norm.effect, norm.scope, norm.condition) == (effect, scope, condition)
    assert (norm.requirement, norm.message, norm.complete) == ("R1", "Say so.", True)


@pytest.mark.parametrize(
    "answer", ["", "require: True", "require:  => True", "require: True => ", "only: a => b"]
)
def test_any_other_answer_is_no_rule(answer: str) -> None:
    assert not is_rules(answer)


@pytest.mark.parametrize("scope", [r'tool == "\d"', "(" * 100_000, "-" * 100_000 + "1"])
def test_a_scope_that_python_warns_of_or_cannot_hold_prints_nothing_and_fails_nothing(
    scope: str, recwarn: pytest.WarningsRecorder
) -> None:
    assert is_rules(f"forbid: {scope} => True")
    with pytest.raises(WorkbenchError):
        chosen_norms(f"forbid: {scope} => True", "R1", "Say so.", (TOOL, NOTE))
    assert not recwarn.list
