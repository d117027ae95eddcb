"""Corners of the encoding: strings, sets, decimals, missing values, and planted mistakes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from workbench.engines.smt import encode, search
from workbench.engines.smt import string_encoding as formula_words
from workbench.engines.smt.encode import Encoded, Encoder, instant, number_of, value_of
from workbench.engines.smt.formula import EngineDisagreement, Formula, SolverAnswer
from workbench.engines.smt.preview import preview, witness
from workbench.engines.smt.solved_queries import forget
from workbench.engines.smt.solver import Smt, Solver
from workbench.engines.smt.witnesses import Witnesses
from workbench.model import ArgumentType, Kind, ProofStatus
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    Length,
    Not,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)

HEAD = """
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

"""

WORDS = st.text(max_size=12) | st.sampled_from(
    [
        'a"b',
        "\\u{41}",
        "back\\slash",
        "",
        "é☃",
        "\U0001f600",
        "\n\t\x00",
        "\U0010fffd",
        "\U000e0041",
        "\ue000",
    ]
)


def policy(parameters: str, condition: str, clause: str) -> str:
    names = ", ".join(part.split(":")[0].strip() for part in parameters.split(","))
    return (
        f"{HEAD}def forbid_it({parameters}) -> bool:\n"
        f'    """R1: No."""\n    return {condition}\n\n\n'
        f"def allow({parameters}) -> bool:\n    # R1\n    Ensures({clause})\n"
        f"    return not (forbid_it({names}))\n"
    )


def status(source: str) -> ProofStatus:
    return preview(check(source)).clauses[0].status


TEXT = Variable("text", ArgumentType(Kind.STR))
OPEN = policy("text: str", "False", "Result()")


@settings(max_examples=examples(150), deadline=None)
@given(WORDS)
def test_strings_pass_through_the_solver_unchanged(word: str) -> None:
    formula = Formula(check(OPEN))
    equal = Compare(Comparison.EQ, TEXT, Constant(word))
    with_length = And((equal, Compare(Comparison.EQ, Length(TEXT), Constant(len(word)))))
    for condition in (equal, with_length):
        solved = formula.solve(condition)
        assert solved.arguments == {"text": word}
    wrong = And((equal, Compare(Comparison.EQ, Length(TEXT), Constant(len(word) + 1))))
    assert formula.solve(wrong).status is SolverAnswer.UNSAT


@settings(max_examples=examples(100), deadline=None)
@given(WORDS, st.sampled_from(list(StringTestKind)), st.integers(0, 3))
def test_models_of_string_tests_are_real_strings(word: str, kind: StringTestKind, more: int) -> None:
    formula = Formula(check(OPEN))
    longer = Compare(Comparison.EQ, Length(TEXT), Constant(len(word) + more))
    solved = formula.solve(And((StringTest(kind, TEXT, word), longer)))
    assert solved.arguments is not None
    text = solved.arguments["text"]
    assert isinstance(text, str)
    assert len(text) == len(word) + more
    text.encode("utf-8", "surrogatepass" if any("\ud800" <= c <= "\udfff" for c in word) else "strict")


SETS = "a: frozenset[str], b: frozenset[str]"
MAYBE = "w: str | None, v: str | None"
CORPUS = [
    (SETS, "a <= b", 'Implies("x" in a and "x" not in b, Result())', True),
    (SETS, "a <= b", 'Implies("x" in a, Result())', False),
    (SETS, "a <= b and b <= a", 'Implies("x" in a and "y" in b, Result())', False),
    ("a: frozenset[str]", 'any(x != "p" for x in a)', 'Implies("q" in a, not Result())', True),
    ("a: frozenset[str]", 'all(x != "p" for x in a)', 'Implies("q" in a, not Result())', False),
    ("a: frozenset[str], w: str", "w in a", "Implies(any(x == w for x in a), not Result())", True),
    ("n: Decimal", 'n * 3 > Decimal("0.10")', 'Implies(n >= Decimal("0.04"), not Result())', True),
    ("n: Decimal", 'n * 3 > Decimal("0.10")', 'Implies(n >= Decimal("0.03"), not Result())', False),
    ("n: Decimal", 'n > Decimal("0.125")', 'Implies(n >= Decimal("0.126"), not Result())', True),
    ("n: int", "n // 7 == -1", "Implies(n == -7 or n == -1, not Result())", True),
    ("n: int", "n % 7 == 6", "Implies(n == -1, not Result())", True),
    ("n: int", "n < 18", "Implies(n == 18, Result())", True),
    ("n: int", "n <= 18", "Implies(n == 18, not Result())", True),
    ("n: int | None", "n is None or n > 3", "Implies(n is not None and n >= 4, not Result())", True),
    ("n: int | None", "n is not None and n > 3", "Implies(n is None, not Result())", False),
    (MAYBE, "w == v", "Implies(w is None and v is None, not Result())", True),
    (MAYBE, "w == v", "Implies(w is None, not Result())", False),
    ("w: str", 'w in {"a", "b", "c"}', 'Implies(w == "c", not Result())', True),
    ("w: str", 'w in {"a", "b"}', 'Implies(w in {"a", "b", "c"}, not Result())', False),
    ("w: str", 'w.startswith("ab")', 'Implies(w == "cab", Result())', True),
    ("w: str", '"ab" in w', 'Implies(w == "abc", not Result())', True),
    ("w: str", 'w.endswith("ab")', 'Implies(w == "abc", Result())', True),
    ("w: str", "len(w) > 2", 'Implies(w == "abc", not Result())', True),
    ("n: int", "(1 if n > 3 else 2) == 1", "Implies(n == 4, not Result())", True),
    ("d: date", "d > date(2026, 1, 31)", "Implies(d >= date(2026, 2, 1), not Result())", True),
    ("t: time", "t >= time(9, 0)", "Implies(t > time(8, 59), not Result())", False),
    ("d: datetime", "d > datetime(2026, 1, 1, 9, 0, 30)",
     "Implies(d == datetime(2026, 1, 1, 9, 0, 45), not Result())", True),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "condition", "clause", "expected"), CORPUS)
def test_clauses_are_decided_as_they_mean(
    parameters: str, condition: str, clause: str, expected: bool
) -> None:
    proof_status = status(policy(parameters, condition, clause))
    assert proof_status is (ProofStatus.PROVED if expected else ProofStatus.REFUTED)


def test_an_existential_below_a_universal_is_never_called_proved() -> None:
    # For each element of a another one of b: the small-model argument does not apply.
    inexact = policy(
        "a: frozenset[str], b: frozenset[str]",
        "all(any(x != y for y in b) for x in a) and not (a <= b) and a <= b",
        "Result()",
    )
    clause = preview(check(inexact)).clauses[0]
    assert clause.status is ProofStatus.UNKNOWN
    assert "more elements" in clause.why


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Decimal("-12.30"), Kind.DECIMAL),
        (date(1, 1, 1), Kind.DATE),
        (time(23, 59, 59, 999999), Kind.TIME),
        (datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), Kind.DATETIME),
        (-(10**40), Kind.INT),
    ],
)
def test_numbers_come_back_as_they_went_in(value: Decimal | date | time | int, kind: Kind) -> None:
    number, _ = number_of(value)
    assert value_of(number, ArgumentType(kind)) == value


def test_a_decimal_is_never_found_between_its_places() -> None:
    terms = check(policy("n: Decimal", 'n > Decimal("0.01")', "Result()"))
    number = Variable("n", terms.arguments[0].type)
    above = Compare(Comparison.GT, number, Constant(Decimal("0.01")))
    below = Compare(Comparison.LT, number, Constant(Decimal("0.02")))
    assert witness(terms, And((above, below))) is None


def _of_solver(name: str, other: str) -> tuple[object, str, object]:
    """The mistake of taking one operation of the solver for another."""
    return Solver, name, getattr(Solver, other)


def _swapped_branches(self: Solver, condition: Smt, then: Smt, otherwise: Smt) -> Smt:
    return CHOICE(self, condition, otherwise, then)


def _first_of_range(self: Solver, code: Smt, first: int, last: int) -> Smt:
    del last
    return self.equal(code, self.code_constant(first))


def _seconds_lost(value: datetime) -> int:
    return instant(value.replace(second=0))


def _places_ignored(value: Decimal) -> tuple[int, int]:
    return int(value), 0


def _no_witness(query: Term) -> Witnesses:
    del query
    return Witnesses(0, 0, True)


def _missing_ignored(self: Encoder, left: Encoded, right: Encoded, equal: Smt) -> Smt:
    del self, left, right
    return equal


CHOICE = Solver.choice
PLANTED: list[tuple[object, str, object]] = [
    _of_solver("less", "at_most"),
    _of_solver("at_most", "less"),
    _of_solver("starts_with", "contains"),
    _of_solver("ends_with", "contains"),
    _of_solver("contains", "ends_with"),
    _of_solver("any_of", "all_of"),
    _of_solver("all_of", "any_of"),
    (Solver, "choice", _swapped_branches),
    (Solver, "codes_between", _first_of_range),
    (encode, "instant", _seconds_lost),
    (encode, "scaled", _places_ignored),
    (search, "witnesses", _no_witness),
    (Encoder, "_equal_or_missing", _missing_ignored),
]


def _caught(parameters: str, condition: str, clause: str, expected: bool) -> bool:
    forget()
    try:
        proof_status = status(policy(parameters, condition, clause))
    except EngineDisagreement as error:
        assert error.arguments
        assert [rule.name for terms in error.policies for rule in terms.rules] == ["forbid_it"]
        return True
    return proof_status is not (ProofStatus.PROVED if expected else ProofStatus.REFUTED)


@pytest.mark.parametrize(("where", "name", "wrong"), PLANTED)
def test_a_mistake_planted_in_the_encoding_is_caught_by_the_corpus(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, wrong: object
) -> None:
    monkeypatch.setattr(where, name, wrong)
    caught = any(_caught(*entry) for entry in CORPUS)
    forget()
    assert caught


def test_a_word_that_is_read_back_wrongly_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: formula_words.Texts, term: Smt, decoder: dict[object, str]) -> str:
        del self, term, decoder
        return "wrong"

    monkeypatch.setattr(formula_words.Texts, "read", wrong)
    terms = check(OPEN)
    with pytest.raises(EngineDisagreement):
        Formula(terms).solve(StringTest(StringTestKind.PREFIX, TEXT, "right"))


def test_missing_values_are_found_when_only_they_will_do() -> None:
    terms = check(policy("n: int | None", "n is not None", "Result()"))
    missing = Compare(Comparison.EQ, Variable("n", terms.arguments[0].type), Constant(None))
    assert witness(terms, missing) == {"n": None}
    assert witness(terms, And((missing, Not(missing)))) is None


def ranges_of(words: list[str], chosen: frozenset[str]) -> int:
    """The number of runs of neighbours in a set."""
    held = [word in chosen for word in words]
    return sum(now and not before for before, now in zip([False, *held], held, strict=False))


@given(st.lists(st.frozensets(st.integers(0, 200).map(str), min_size=8), max_size=5))
def test_words_of_the_same_sets_are_neighbours(sets: list[frozenset[str]]) -> None:
    words = formula_words.neighbours(sets)
    assert sorted(words) == sorted(frozenset[str]().union(*sets))
    largest = sorted(dict.fromkeys(sets), key=len, reverse=True)
    for position, chosen in enumerate(largest):
        assert ranges_of(words, chosen) <= 2**position


def test_a_set_of_every_second_column_is_one_range_of_codes() -> None:
    names = [f"column{number}" for number in range(400)]
    solver = Solver(1000)
    codes = formula_words.Codes(solver, (), [frozenset(names), frozenset(names[::2])])
    assert {codes.code(name) for name in names[::2]} == set(range(200))
