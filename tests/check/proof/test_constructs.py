"""Every construct of the dialect lowers, proves a true clause and refutes a false one.

If the preview finds no counterexample, the verifier's own model gives one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.plain_policies import check
from workbench.check.proof.counterexamples import CounterexampleSearch, from_model
from workbench.check.proof.prover import Prover
from workbench.engines.compiled.compile import CompiledPolicy
from workbench.engines.nagini.lowering.lower import Lowered
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.smt.confirm import Runner
from workbench.model import ClauseProof, Counterexample, Engine, ProofStatus

HEAD = """
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["physician", "nursing"]
ALLOWED = {"lab.name", "lab.result"}
READABLE = {"physician": {"lab.result", "lab.name"}, "nursing": {"lab.name"}}
LIMIT = {"physician": Decimal("100.00"), "nursing": Decimal("50.50")}
TITLE = {"physician": "Dr", "nursing": "Nurse"}
SAFE = {3, 4, 5, 9}
PREFIXES = {"lab.", "note."}
OFFERED = {"trial": {"lab.name"}, "paid": {"lab.name", "lab.result"}}
CAP = {"trial": Decimal("10.00"), "paid": Decimal("99.50")}
OPEN = {"physician": True, "nursing": False}


"""


@dataclass(frozen=True)
class Construct:
    """A construct: the condition that the rule forbids, a true clause about it, and a false one."""

    name: str
    forbidden: str
    true: str
    false: str


CONSTRUCTS = [
    Construct("bool", "flag", "Implies(flag, not Result())", "Result() == flag"),
    Construct(
        "product",
        "age * amount > 2000",
        "Implies(0 <= age <= 20 and 0 <= amount <= 100, Result())",
        "Implies(age * amount > 1999, not Result())",
    ),
    Construct("int", "age < 18", "Implies(age <= 17, not Result())", "Implies(age <= 18, not Result())"),
    Construct(
        "chain", "10 < age <= 20", "Implies(age == 20, not Result())", "Implies(age == 10, not Result())"
    ),
    Construct(
        "floor division",
        "age // 7 == -2",
        "Implies(age == -8, not Result())",
        "Implies(age == -7, not Result())",
    ),
    Construct(
        "remainder", "age % 7 == 6", "Implies(age == -1, not Result())", "Implies(age == 1, not Result())"
    ),
    Construct(
        "int set", "age in SAFE", "Implies(2 < age < 6, not Result())", "Implies(2 < age < 7, not Result())"
    ),
    Construct(
        "decimal",
        'amount * Decimal("1.1") > Decimal("110")',
        'Implies(amount >= Decimal("100.01"), not Result())',
        'Implies(amount >= Decimal("100.00"), not Result())',
    ),
    Construct(
        "sum",
        'amount + amount > Decimal("0.2")',
        'Implies(amount <= Decimal("0.1"), Result())',
        'Implies(amount < Decimal("0.12"), Result())',
    ),
    Construct("enum", 'role == "nursing"', 'Implies(role != "physician", not Result())', 'role != "nursing"'),
    Construct(
        "string", 'name == "x"', 'Implies(not Result(), name == "x")', 'Implies(name != "y", Result())'
    ),
    Construct(
        "prefix",
        'prefixed.startswith("lab.")',
        'Implies(prefixed.startswith("lab.r"), not Result())',
        'Implies(prefixed.startswith("la"), not Result())',
    ),
    Construct(
        "suffix",
        'suffixed.endswith(".id")',
        'Implies(suffixed == "lab.id", not Result())',
        'Implies(suffixed.endswith("id"), not Result())',
    ),
    Construct(
        "contains",
        '"secret" in holding',
        'Implies(holding.startswith("secret"), not Result())',
        'Implies("secre" in holding, not Result())',
    ),
    Construct(
        "length",
        "len(long) > 8",
        'Implies(long.startswith("patient.") and long != "patient.", not Result())',
        'Implies(long.startswith("patient."), not Result())',
    ),
    Construct("two strings", "name == other", "Implies(Result(), name != other)", "Result()"),
    Construct(
        "member",
        "name not in ALLOWED",
        'Implies(name == "x", not Result())',
        'Implies(name == "lab.name", not Result())',
    ),
    Construct(
        "any",
        "any(column not in ALLOWED for column in columns)",
        'Implies("x" in columns, not Result())',
        'Implies("lab.name" in columns, not Result())',
    ),
    Construct(
        "all",
        'not all(column.startswith("lab.") for column in prefixes)',
        'Implies(Result() and "x" in prefixes, age == 1)',
        'Implies("x" in prefixes, Result())',
    ),
    Construct(
        "any, filtered",
        'any(column == "x" for column in columns if flag)',
        'Implies("x" in columns and flag, not Result())',
        'Implies("x" in columns, not Result())',
    ),
    Construct(
        "any of a constant set",
        "any(column in columns for column in ALLOWED)",
        'Implies("lab.name" in columns, not Result())',
        'Implies("x" in columns, not Result())',
    ),
    Construct(
        "any prefix of a constant set",
        "any(tagged.startswith(prefix) for prefix in PREFIXES)",
        'Implies(tagged == "note.id", not Result())',
        'Implies(tagged.startswith("note"), not Result())',
    ),
    Construct(
        "all of a constant set",
        "all(column in columns for column in ALLOWED)",
        'Implies("lab.name" in columns and "lab.result" in columns, not Result())',
        'Implies("lab.name" in columns, not Result())',
    ),
    Construct(
        "any of a table's entry",
        "any(column in columns for column in READABLE[role])",
        'Implies(role == "nursing" and "lab.name" in columns, not Result())',
        'Implies(role == "nursing" and "lab.result" in columns, not Result())',
    ),
    Construct(
        "all of a table's entry",
        "all(column in columns for column in READABLE[role])",
        'Implies(role == "nursing" and "lab.name" in columns, not Result())',
        'Implies("lab.name" in columns, not Result())',
    ),
    Construct(
        "argument set",
        "name in columns",
        "Implies(Result(), name not in columns)",
        "Implies(Result(), name in columns)",
    ),
    Construct(
        "subset",
        "not left <= right",
        'Implies("q" in left and Result(), "q" in right)',
        'Implies("q" in right and Result(), "q" in left)',
    ),
    Construct(
        "equal sets",
        "left != right",
        'Implies("q" in left and Result(), "q" in right)',
        'Implies("q" in right and "q" in left, Result())',
    ),
    Construct(
        "table of sets",
        "not columns <= READABLE[role]",
        'Implies(role == "nursing" and "lab.result" in columns, not Result())',
        'Implies(role == "physician" and "lab.result" in columns, not Result())',
    ),
    Construct(
        "table of decimals",
        "amount > LIMIT[role]",
        'Implies(role == "nursing" and amount == Decimal("50.51"), not Result())',
        'Implies(role == "physician" and amount == Decimal("50.51"), not Result())',
    ),
    Construct(
        "table of strings",
        "name == TITLE[role]",
        'Implies(role == "nursing" and name == "Dr", Result())',
        'Implies(role == "nursing" and name == "Nurse", Result())',
    ),
    Construct(
        "table of bools",
        "not OPEN[role]",
        'Implies(role == "nursing", not Result())',
        'Implies(role == "physician", not Result())',
    ),
    Construct(
        "table of sets, with get",
        "any(column not in OFFERED.get(plan, frozenset()) for column in columns)",
        'Implies(plan == "none" and "lab.name" in columns, not Result())',
        'Implies(plan == "trial" and "lab.name" in columns, not Result())',
    ),
    Construct(
        "table of decimals, with get",
        'amount > CAP.get(plan, Decimal("0.50"))',
        'Implies(plan == "none" and amount == Decimal("0.51"), not Result())',
        'Implies(plan == "trial" and amount == Decimal("0.51"), not Result())',
    ),
    Construct(
        "optional",
        "limit is None or limit < 3",
        "Implies(limit is None, not Result())",
        "Implies(limit is not None, Result())",
    ),
    Construct(
        "missing equals missing",
        "note == nick",
        "Implies(note is None and nick is None, not Result())",
        "Implies(note is None, not Result())",
    ),
    Construct(
        "date",
        "day < date(2026, 1, 31)",
        "Implies(day == date(2026, 1, 30), not Result())",
        "Implies(day == date(2026, 1, 31), not Result())",
    ),
    Construct(
        "time",
        "at >= time(17, 0)",
        "Implies(at == time(17, 0), not Result())",
        "Implies(at >= time(16, 59), not Result())",
    ),
    Construct(
        "datetime",
        "moment > datetime(2026, 1, 31, 9, 0)",
        "Implies(moment == datetime(2026, 1, 31, 9, 0), Result())",
        "Implies(moment >= datetime(2026, 1, 31, 9, 0), Result())",
    ),
    Construct(
        "choice",
        "(age if flag else -age) > 3",
        "Implies(flag and age == 4, not Result())",
        "Implies(age == 4, not Result())",
    ),
    Construct(
        "counter",
        "earlier + 1 > 3",
        "Implies(earlier == 3, not Result())",
        "Implies(earlier == 2, not Result())",
    ),
]
TYPES = {
    "case": "int",
    "flag": "bool",
    "age": "int",
    "amount": "Decimal",
    "role": "Role",
    "name": "str",
    "other": "str",
    "plan": "str",
    "tagged": "str",
    "prefixed": "str",
    "suffixed": "str",
    "holding": "str",
    "long": "str",
    "columns": "frozenset[str]",
    "prefixes": "frozenset[str]",
    "left": "frozenset[str]",
    "right": "frozenset[str]",
    "limit": "int | None",
    "note": "str | None",
    "nick": "str | None",
    "day": "date",
    "at": "time",
    "moment": "datetime",
    "earlier": "int",
}


def all_in_one() -> str:
    """One policy with a rule per construct, distinguished by an argument, and two clauses for each."""
    parameters = ", ".join(f"{name}: {kind}" for name, kind in TYPES.items())
    rules, clauses, calls = "", "", list[str]()
    for number, construct in enumerate(CONSTRUCTS):
        rules += (
            f'def forbid_{number}({parameters}) -> bool:\n    """R{number}: {construct.name}."""\n'
            f"    return case == {number} and ({construct.forbidden})\n\n\n"
        )
        calls.append(f"forbid_{number}({', '.join(TYPES)})")
        for clause in (construct.true, construct.false):
            clauses += (
                f"    # R{number}: {construct.name}\n    Ensures(Implies(case == {number}, {clause}))\n"
            )
    return f"{HEAD}{rules}def allow({parameters}) -> bool:\n{clauses}    return not ({' or '.join(calls)})\n"


@pytest.fixture(scope="module")
def verdicts(prover: Prover) -> dict[str, ClauseProof]:
    proof = prover.prove(check(all_in_one()), time_limit=120)
    return {verdict.clause: verdict for verdict in proof.clauses}


@pytest.mark.nagini
@pytest.mark.parametrize("construct", CONSTRUCTS, ids=[construct.name for construct in CONSTRUCTS])
def test_construct_proves_a_true_clause_and_refutes_a_false_one(
    verdicts: dict[str, ClauseProof], construct: Construct
) -> None:
    number = CONSTRUCTS.index(construct)
    true, false = verdicts[f"C{2 * number + 1}"], verdicts[f"C{2 * number + 2}"]
    assert true.status is ProofStatus.PROVED, (construct.name, true.why, true.counterexample)
    assert false.status is ProofStatus.REFUTED, (construct.name, false.why)
    assert false.counterexample is not None
    assert false.counterexample.confirmed


class Modelled:
    """Reads models as ``from_model`` does and stores them."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def __call__(
        self, policy: CompiledPolicy, lowered: Lowered, clause: str, text: str
    ) -> Counterexample | None:
        self.texts[clause] = text
        return from_model(policy, lowered, clause, text)


FAR = """
from datetime import date
from decimal import Decimal
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_it(kind: int, age: int, amount: Decimal, day: date, name: str, columns: frozenset[str]) -> bool:
    \"\"\"R1: It.\"\"\"
    return kind < 0


def allow(kind: int, age: int, amount: Decimal, day: date, name: str, columns: frozenset[str]) -> bool:
    # R1: far from every plain value
    Ensures(Implies(age * 3 == 23757 and kind > 4711, not Result()))
    # R1
    Ensures(Implies(amount > Decimal("812.34") and amount < Decimal("812.36") and kind > 4711, not Result()))
    # R1
    Ensures(Implies(day == date(2031, 5, 17) and kind > 4711, not Result()))
    # R1
    Ensures(Implies(name.startswith("lab.") and name.endswith(".x") and kind > 4711, not Result()))
    # R1
    Ensures(Implies(all(c in {"a", "b"} for c in columns) and "b" in columns and kind > 4711, not Result()))
    return not (forbid_it(kind, age, amount, day, name, columns))
"""


@pytest.mark.nagini
def test_a_clause_for_which_the_preview_finds_no_input_is_refuted_by_nagini_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The preview is replaced by one that finds nothing, and so is the search for plain values."""

    def nothing(*_: object) -> CounterexampleSearch:
        return CounterexampleSearch(None)

    def no_example(*_: object) -> None:
        return None

    modelled = Modelled()
    monkeypatch.setattr("workbench.check.proof.prover.from_preview", nothing)
    monkeypatch.setattr("workbench.check.proof.prover.search", no_example)
    monkeypatch.setattr("workbench.check.proof.prover.from_model", modelled)
    prover = Prover(cache=VerdictCache(tmp_path), share=True)
    terms = check(FAR)
    try:
        proof = prover.prove(terms, time_limit=120)
    finally:
        prover.close()
    runner = Runner(terms)
    for clause, clause_proof in zip(terms.clauses, proof.clauses, strict=True):
        assert clause_proof.status is ProofStatus.REFUTED, (clause.source, clause_proof.why)
        assert clause_proof.engine is Engine.NAGINI
        assert clause_proof.counterexample is not None
        assert clause_proof.counterexample.confirmed
        assert runner.breaks(clause, clause_proof.counterexample.arguments)
        kind = clause_proof.counterexample.arguments["kind"]
        assert isinstance(kind, int)
        assert kind > 4711
        assert f"kind -> {kind}" in modelled.texts[clause.id]
