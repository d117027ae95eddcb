"""Merging keeps a person's edits and takes the changes of the draft."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.policy.merge import MergeConflict, merge
from workbench.policy.problems import PolicyError
from workbench.policy.render import format_policy

BASE = '''"""Ages."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Book

DEFAULT = "allow"
LIMIT = 18


# Children first.
def forbid_young(call: Book) -> bool:
    """R1: Too young."""
    return call.age < LIMIT


def contract_young(call: Book) -> None:
    # R1: No minors.
    Ensures(Implies(call.age < 18, not Result()))
'''
CONTRACT = BASE[BASE.index("\n\ndef contract_young") :]
NAMES = ("forbid_a", "forbid_b", "forbid_c", "forbid_d")

type Bounds = Mapping[str, int | None]


@pytest.mark.parametrize("gap", ["", "\n"])
def test_constants_that_stand_together_stay_together(gap: str) -> None:
    base = format_policy(BASE.replace("LIMIT = 18\n", f"LIMIT = 18\n{gap}OTHER = 20\n"))
    merged = merge(base, base, base.replace("Too young", "Far too young")).text
    assert merged == base.replace("Too young", "Far too young")


def policy(bounds: Bounds) -> str:
    """A policy with a rule for each bound."""
    rules = (
        f"def {name}(call: Book) -> bool:\n    return call.age < {bound}\n"
        for name, bound in bounds.items()
        if bound is not None
    )
    return '"""Ages."""\n\nfrom agent import Book\n\nDEFAULT = "allow"\n\n\n' + "\n\n".join(rules)


def bounds_of(text: str) -> dict[str, int]:
    """The bound of each rule of a policy."""
    found = re.findall(r"def (\w+)\(call: Book\) -> bool:\n    return call.age < (\d+)", text)
    return {name: int(bound) for name, bound in found}


BOUNDS = st.fixed_dictionaries(dict.fromkeys(NAMES, st.one_of(st.none(), st.integers(1, 3))))


@settings(max_examples=examples(200))
@given(BOUNDS, BOUNDS, BOUNDS)
def test_each_rule_is_the_persons_where_she_edited_it_and_else_the_drafts(
    base: Bounds, ours: Bounds, theirs: Bounds
) -> None:
    merged = merge(policy(base), policy(ours), policy(theirs))
    whole = {name: theirs[name] if ours[name] == base[name] else ours[name] for name in NAMES}
    assert bounds_of(merged.text) == {name: bound for name, bound in whole.items() if bound is not None}
    both = {name for name in NAMES if ours[name] not in (base[name], theirs[name])}
    assert {one.name for one in merged.conflicts} == {name for name in both if theirs[name] != base[name]}
    assert merge(policy(base), merged.text, merged.text).text == merged.text


def test_an_edited_rule_survives_a_new_draft_of_the_rest() -> None:
    ours = BASE.replace("call.age < LIMIT", "call.age <= LIMIT").replace("# Children first.", "# Mine.")
    theirs = BASE.replace("LIMIT = 18", "LIMIT = 21").replace("age < 18", "age < 21")
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == ()
    assert "age <= LIMIT" in merged.text and "LIMIT = 21" in merged.text and "age < 21" in merged.text
    assert "# Mine.\ndef forbid_young" in merged.text


def test_a_part_that_both_changed_stays_and_is_reported() -> None:
    ours, theirs = BASE.replace("LIMIT = 18", "LIMIT = 16"), BASE.replace("LIMIT = 18", "LIMIT = 21")
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == (MergeConflict("LIMIT", "LIMIT = 16", "LIMIT = 21"),)
    assert "LIMIT = 16" in merged.text


def test_a_default_that_the_person_closed_stays_closed() -> None:
    closed = BASE.replace('DEFAULT = "allow"', 'DEFAULT = "deny"')
    merged = merge(BASE, closed, BASE.replace("LIMIT = 18", "LIMIT = 21"))
    assert merged.conflicts == ()
    assert 'DEFAULT = "deny"' in merged.text and "LIMIT = 21" in merged.text


def test_a_contract_that_the_person_removed_stays_removed_with_its_imports() -> None:
    merged = merge(BASE, BASE.replace(CONTRACT, ""), BASE.replace("LIMIT = 18", "LIMIT = 21"))
    assert "Ensures" not in merged.text and "nagini" not in merged.text


def test_an_edited_contract_that_theirs_drops_is_a_conflict() -> None:
    merged = merge(BASE, BASE.replace("age < 18", "age < 17"), BASE.replace(CONTRACT, ""))
    assert [(conflict.name, conflict.theirs) for conflict in merged.conflicts] == [("contract_young", None)]
    assert "age < 17" in merged.text


def test_what_a_function_of_the_result_uses_stays() -> None:
    ours = BASE.replace("call.age < LIMIT", "call.age <= LIMIT")
    theirs = BASE.replace("LIMIT = 18\n", "").replace("call.age < LIMIT", "call.age < 18")
    merged = merge(BASE, ours, theirs)
    assert "LIMIT = 18" in merged.text and "call.age <= LIMIT" in merged.text


def test_a_text_that_does_not_parse_is_said_so() -> None:
    with pytest.raises(PolicyError, match="not valid Python"):
        merge(BASE, BASE + "\ndef (", BASE)


def test_merging_a_file_with_itself_only_formats_it() -> None:
    assert merge(BASE, BASE, BASE).text == format_policy(BASE)


def test_merging_what_nobody_changed_changes_nothing() -> None:
    for session in ("hospital-access", "web-shopping"):
        path = Path(__file__).parents[2] / "sessions" / session / "policy.py"
        text = path.read_text(encoding="utf-8")
        assert merge(text, text, text).text == format_policy(text)
