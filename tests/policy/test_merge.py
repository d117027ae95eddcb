"""Merging keeps a person's edits and takes the changes of the draft."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.examples import examples
from tests.policy.policy_strategies import policies
from tests.runs.world.airline_agent import POLICY
from workbench.policy.check import PolicyError, check
from workbench.policy.merge import MergeConflict, merge
from workbench.policy.render import format_policy
from workbench.session import Session

BASE = '''"""Ages."""

from nagini_contracts.contracts import Ensures, Implies, Result

LIMIT = 18


# Children first.
def forbid_young(age: int) -> bool:
    """R1: Too young."""
    return age < LIMIT


def allow(age: int) -> bool:
    # R1: No minors.
    Ensures(Implies(age < 18, not Result()))
    return not forbid_young(age)
'''


@pytest.mark.parametrize("gap", ["", "\n"])
def test_constants_that_stand_together_stay_together(gap: str) -> None:
    base = format_policy(BASE.replace("LIMIT = 18\n", f"LIMIT = 18\n{gap}OTHER = 20\n"))
    merged = merge(base, base, base.replace("Too young", "Far too young")).text
    assert merged == base.replace("Too young", "Far too young")


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(policies())
def test_what_is_untouched_takes_theirs_and_what_is_unchanged_keeps_ours(source: str) -> None:
    changed = source.replace("LIMIT = 18", "LIMIT = 21")
    for ours, theirs in ((source, changed), (changed, source)):
        merged = merge(source, ours, theirs)
        assert merged.conflicts == ()
        assert merge(source, merged.text, merged.text).text == merged.text
        terms = check(merged.text)
        assert terms.constants["LIMIT"] == 21
        expected = check(changed)
        assert [rule.body for rule in terms.rules] == [rule.body for rule in expected.rules]
        assert [clause.term for clause in terms.clauses] == [clause.term for clause in expected.clauses]
        assert terms.default_allow is expected.default_allow


def test_an_edited_rule_survives_a_new_draft_of_the_rest() -> None:
    ours = BASE.replace("return age < LIMIT", "return age <= LIMIT").replace("# Children first.", "# Mine.")
    theirs = BASE.replace("LIMIT = 18", "LIMIT = 21").replace("age < 18", "age < 21")
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == ()
    assert "age <= LIMIT" in merged.text and "LIMIT = 21" in merged.text and "Implies(age < 21" in merged.text
    assert "# Mine.\ndef forbid_young" in merged.text


def test_a_part_that_both_changed_stays_and_is_reported() -> None:
    ours, theirs = BASE.replace("LIMIT = 18", "LIMIT = 16"), BASE.replace("LIMIT = 18", "LIMIT = 21")
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == (MergeConflict("LIMIT", "LIMIT = 16", "LIMIT = 21"),)
    assert check(merged.text).constants["LIMIT"] == 16


def test_rules_added_on_both_sides_are_both_named_in_the_decision() -> None:
    def with_rule(name: str, limit: int) -> str:
        rule = f'def {name}(age: int) -> bool:\n    """R2: No."""\n    return age > {limit}\n\n\ndef allow'
        decision = f"not (forbid_young(age) or {name}(age))"
        return BASE.replace("def allow", rule).replace("not forbid_young(age)", decision)

    merged = merge(BASE, with_rule("forbid_old", 90), with_rule("forbid_very_old", 120))
    assert merged.conflicts == ()
    assert {rule.name for rule in check(merged.text).rules} == {
        "forbid_young",
        "forbid_old",
        "forbid_very_old",
    }


def test_a_default_that_the_person_closed_stays_closed() -> None:
    closed = BASE.replace("return not forbid_young(age)", "return not forbid_young(age) and False")
    merged = merge(BASE, closed, BASE.replace("LIMIT = 18", "LIMIT = 21"))
    assert merged.conflicts == ()
    assert merged.text.endswith("and False\n")
    assert not check(merged.text).default_allow


def test_a_definition_that_the_person_removed_stays_removed() -> None:
    ours = BASE.replace("    # R1: No minors.\n    Ensures(Implies(age < 18, not Result()))\n", "")
    merged = merge(BASE, ours, BASE.replace("LIMIT = 18", "LIMIT = 21"))
    assert check(merged.text).clauses == ()
    assert "nagini" not in merged.text


def test_an_edited_clause_that_theirs_drops_is_a_conflict() -> None:
    ours = BASE.replace("age < 18", "age < 17")
    theirs = BASE.replace("    # R1: No minors.\n    Ensures(Implies(age < 18, not Result()))\n", "")
    merged = merge(BASE, ours, theirs)
    assert [(conflict.name, conflict.theirs) for conflict in merged.conflicts] == [("allow: R1", None)]
    assert "age < 17" in merged.text


def test_a_text_that_does_not_parse_is_said_so() -> None:
    with pytest.raises(PolicyError, match="not valid Python"):
        merge(BASE, BASE + "\ndef (", BASE)


def test_merging_a_file_with_itself_only_formats_it() -> None:
    assert merge(BASE, BASE, BASE).text == format_policy(BASE)


def test_merging_what_nobody_changed_changes_nothing() -> None:
    for session in ("hospital-access", "web-shopping"):
        text = Session.open(Path(__file__).parents[2] / "sessions" / session, read_only=True).policy
        assert merge(text, text, text).text == text


def test_records_of_ours_stand_before_the_functions() -> None:
    drafted = """
from nagini_contracts.contracts import Ensures, Result


def permit_all() -> bool:
    return True


def allow(action: str) -> bool:
    Ensures(Result())
    return permit_all()
"""
    merged = merge("", POLICY, drafted, guessed=True)
    assert set(check(merged.text).records) == set(check(POLICY).records)
