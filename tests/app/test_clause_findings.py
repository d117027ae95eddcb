"""Requirements without a clause, and tools that no clause demands, are findings by name until accepted."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from workbench.app.workbench import Workbench
from workbench.check.undemanded import undemanded

TOOLS = ("open_box", "copy_page", "lend_map", "burn")
HEAD = '''"""Archive."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal["open_box", "copy_page", "lend_map", "burn"]


def forbid_minors(tool: Tool, age: int) -> bool:
    """R1: Never use lend_map if age is less than 16."""
    return tool == "lend_map" and age < 16


def allow(tool: Tool, age: int) -> bool:
'''
RETURN = "    return not forbid_minors(tool, age)\n"


def policy(*clauses: str) -> str:
    return HEAD + "".join(f"    # R1: .\n    Ensures({clause})\n" for clause in clauses) + RETURN


def found(*clauses: str) -> list[str]:
    return [item.tool for item in undemanded(check(policy(*clauses)))]


@pytest.mark.parametrize(
    ("clauses", "tools"),
    [
        ((), list(TOOLS)),
        (("Result()",), []),
        (('Implies(tool != "burn", Result())',), ["burn"]),
        (('Implies(tool != "burn", Result())', 'Implies(tool == "burn", not Result())'), []),
        (('Implies(tool == "lend_map", Result() == (age >= 16))',), ["open_box", "copy_page", "burn"]),
        (('Implies(tool == "lend_map" and age < 16, not Result())',), list(TOOLS)),
        (('Implies(Result() and tool == "lend_map", age >= 16)',), list(TOOLS)),
        (('Implies(tool in {"burn", "open_box"} and age > 3, Result())',), ["copy_page", "lend_map"]),
        (('Implies(tool == "burn" and age > 3 and age < 4, Result())',), list(TOOLS)),
        (("not Result()",), [""]),
    ],
)
def test_a_tool_is_demanded_if_denying_all_its_calls_breaks_a_clause(
    clauses: tuple[str, ...], tools: list[str]
) -> None:
    assert found(*clauses) == tools


AGES = (0, 15, 16, 99)
CLAUSES = st.tuples(
    st.sets(st.sampled_from(TOOLS), min_size=1),
    st.sampled_from(["age < 16", "age >= 16", "age > 98"]),
    st.sampled_from(["Result()", "not Result()", "Result() == (age < 99)"]),
)


@given(st.lists(CLAUSES, max_size=3))
@settings(max_examples=examples(60))
def test_the_tools_are_those_that_enumeration_finds(clauses: list[tuple[set[str], str, str]]) -> None:
    def holds(tool: str, age: int, result: bool) -> bool:
        decided = {
            "Result()": result,
            "not Result()": not result,
            "Result() == (age < 99)": result == (age < 99),
        }
        applies = {"age < 16": age < 16, "age >= 16": age >= 16, "age > 98": age > 98}
        return all(tool not in tools or not applies[when] or decided[then] for tools, when, then in clauses)

    texts = [
        f"Implies(tool in {{{', '.join(repr(tool) for tool in sorted(tools))}}} and {when}, {then})"
        for tools, when, then in clauses
    ]
    demanded = {tool for tool in TOOLS if any(not holds(tool, age, result=False) for age in AGES)}
    denied = {tool for tool in TOOLS if not any(holds(tool, age, result=True) for age in range(100))}
    expected = [tool for tool in TOOLS if tool not in demanded | denied]
    assert found(*texts) == (expected or ([""] if not demanded else []))


def asked_and_missing(bench: Workbench) -> list[str]:
    """The questions about what the session owes."""
    return [item.question for item in bench.in_force.missing() if item.question]


def test_what_no_clause_demands_of_a_draft_is_asked_until_a_person_accepts_it(tmp_path: Path) -> None:
    shipped = Path(__file__).resolve().parents[2] / "sessions" / "web-shopping-model"
    folder = Path(shutil.copytree(shipped, tmp_path / "shop", ignore=shutil.ignore_patterns(".workbench")))
    with closing(Workbench.open(folder, replay_calls=True)) as bench:
        assert not bench.in_force.missing()
        before, _, _ = bench.session.written.partition("\n\n\ndef contract_")
        bench.session.set_policy(f"{before}\n")
        found = bench.questions.understand().open
        assert {"no-clause", "undemanded"} == {question.kind for question in found}
        assert sorted(asked_and_missing(bench)) == sorted(question.id for question in found)
        for question in found:
            bench.questions.answer(question, "meant")
        assert asked_and_missing(bench) == [] and not bench.questions.understand().open
        undemanded = next(question for question in found if question.kind == "undemanded")
        bench.questions.retract(undemanded.id)
        assert asked_and_missing(bench) == [undemanded.id]
