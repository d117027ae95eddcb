"""The checker reports every problem once, at its place, with what to write instead."""

from __future__ import annotations

import pytest

from tests.plain_policies import PolicyError, check
from workbench.model import Kind
from workbench.policy.terms import And, Choice, Compare, Not, Or, Quantified, StringTest, TableEntry, Variable

HEADER = """from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["nurse", "clerk"]
READABLE = {"nurse": {"a", "b"}, "clerk": {"c"}}
PARTIAL = {"nurse": 1}
NAMES = {"/etc", "/root"}


"""
PARAMETERS = (
    "age: int, price: Decimal, role: Role, name: str, tags: frozenset[str], limit: int | None, "
    "flag: bool, day: date, moment: datetime"
)
NAMES = "age, price, role, name, tags, limit, flag, day, moment"


def policy(body: str, before: str = "", contract: str = "") -> str:
    """A policy with one rule of the given body."""
    return (
        f'{HEADER}{before}def forbid_it({PARAMETERS}) -> bool:\n    """R1: No."""\n    {body}\n\n\n'
        f"def allow({PARAMETERS}) -> bool:\n{contract}    return not forbid_it({NAMES})\n"
    )


def problems(source: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        check(source)
    assert caught.value.exit_code == 2
    return [f"{problem.message} {problem.instead}".strip() for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("price < 0.1", 'Float constants are not exact. Write Decimal("0.1").'),
        ("price < Decimal(0.1)", 'Write Decimal("0.1").'),
        ("agee < 18", "`agee` is not known. Did you mean `age`?"),
        ('role == "nurze"', "have no value in common, so they are never equal."),
        ('role in {"nurse", "boss"}', '"boss" is not a value of Literal["nurse", "clerk"].'),
        ("limit < 2", "`limit` may be None here. Guard it: `limit is not None and ...`."),
        ("limit is None and limit < 2", "`limit` may be None here."),
        ("limit is not None or limit < 2", "`limit` may be None here."),
        ("age is None", "`age` is never None."),
        ("age", "`forbid_it` returns bool, but this is an int."),
        ("age and flag", "A condition is expected here, but this is an int."),
        ("age == name", "An int cannot be compared with a str."),
        ("price == age", "Make both of them Decimal or both int."),
        ("name < name", "Values of type str have no order."),
        ("day < moment", "A date cannot be compared with a datetime."),
        ("age * age * age * age * age > 2", "This multiplies more than 4 values."),
        ("age // 0 > 2", "divide ints by a positive int constant"),
        ("age / 2 > 2", "operator that is not part of the dialect"),
        ("age ** 99 > 2", "operator that is not part of the dialect"),
        (
            "PARTIAL[role] > 0",
            "`PARTIAL` has no entry for 'clerk'. Add it, or write PARTIAL.get(key, default).",
        ),
        ("READABLE[name] <= tags", "`READABLE` may have no entry for this key of type str."),
        (r"'\r' in name", 'Write "␍".'),
        (r"name == 'a\u200b'", 'Write "a<U+200B>".'),
        ("len(tags) > 2", "The size of a set is not part of the dialect."),
        ('name in ["a"]', 'is not a set. Write a set: {"a", "b"}.'),
        ("name.lower() == 'a'", "`.lower(...)` is not part of the dialect."),
        ("name.startswith(name)", "A string can only be searched for a constant string."),
        ("any(age for age in tags)", "`age` already has a meaning here."),
        ("any(len for len in tags)", "`len` already has a meaning here."),
        ("any([True])", "`any` takes one test over one set or list."),
        ("eval('1') == 1", "`eval(...)` is not allowed."),
        ("name.__class__ == name", "A str has no fields."),
        ("(lambda: True)()", "Only named functions can be called."),
        ("f'{name}' == name", "An f-string is not part of the dialect."),
        ("Result()", "`Result` belongs to clauses of a contract."),
        ("day < date(2026, 2, 30)", "This is no date: day is out of range for month."),
        ("age < 10000000000000000000000000000000", "This number has more than 30 digits."),
        ("price < Decimal('1E-900')", "is not an exact decimal"),
        ("None == age", "`None` can only be used in `x is None`"),
        ("frozenset() == age", "A set cannot be compared with a single value."),
    ],
)
def test_a_wrong_expression_is_explained_with_what_to_write_instead(expression: str, words: str) -> None:
    messages = problems(policy(f"return {expression}"))
    assert any(words in message for message in messages), messages


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("print(age)\n    return True", "`print(...)` is not allowed."),
        ("import os\n    return True", "An import inside a function is not part of the dialect."),
        ("for x in tags:\n        return True\n    return False", "A loop is not part of the dialect."),
        ("if flag:\n        return True", "can end without returning a value."),
        ("age = 3\n    return True", "`age` is a parameter."),
        ("x = 3\n    x = 4\n    return True", "`x` is assigned twice."),
        ("return True\n    return False", "This is never reached."),
        ("global age\n    return True", "`global` is not part of the dialect."),
        ("_x = 1\n    return True", "begins with an underscore"),
    ],
)
def test_a_wrong_statement_is_explained(body: str, words: str) -> None:
    messages = problems(policy(body))
    assert any(words in message for message in messages), messages


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import os\n", "`import os` is not allowed."),
        ("from os import system\n", "Importing `system` from `os` is not allowed."),
        ("def allow(x: float) -> bool:\n    return True\n", "Floats are not exact: use Decimal."),
        ("def allow(x: set[str]) -> bool:\n    return True\n", "reads its set or list itself."),
        ("A = 1\nA = 2\n\ndef allow(x: int) -> bool:\n    return True\n", "`A` is defined twice."),
        ("A = {'a': 1, 'a': 2}\n", "The key 'a' appears twice in `A`."),
        ("A = {'a': 1, 'b': {'c'}}\n", "`A` mixes sets and single values."),
        ("A = {'a', 1}\n", "The members of a set have one type."),
        ("any = 1\n", "`any` is a word of the dialect."),
        (
            "def allow(x: int) -> bool:\n    Ensures(Result() == (y == 1))\n    return True\n",
            "`y` is not known.",
        ),
        ("x = = 1\n", "This is not valid Python"),
        ("def allow(x: int) -> bool:\n\treturn True\n", "There is a tab here. Indent with four spaces."),
        ("x = 'a\x00b'\n", "There is an invisible character here: U+0000."),
        ("x = 'a\u202eb'\n", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("x = '\\ud800'\n", "half a surrogate pair"),
    ],
)
def test_a_wrong_file_is_explained(source: str, words: str) -> None:
    messages = problems(source)
    assert any(words in message for message in messages), messages


def test_names_that_look_alike_are_refused_with_the_character() -> None:
    messages = problems("def allow(\u0430ge: int, \uff41: int) -> bool:\n    return True\n")
    assert messages[0].startswith("The name `\u0430ge` contains U+0430 (CYRILLIC SMALL LETTER A).")
    assert "which Python reads as `a`" in messages[1]


def test_all_problems_are_reported_in_order_with_their_places() -> None:
    with pytest.raises(PolicyError) as caught:
        rule = "def forbid_it(x: int) -> bool:\n    return nott(x)\n"
        allow = "def allow(x: int) -> bool:\n    return not forbid_it(x)\n"
        check(f"A = 0.5\n\n\n{rule}\n\n{allow}")
    places = [(problem.line, problem.column) for problem in caught.value.problems]
    assert places == [(1, 5), (5, 12)]
    assert str(caught.value) == (
        'line 1:5: Float constants are not exact. Write Decimal("0.5"). (1 more problem)'
    )


def test_columns_count_characters_and_not_bytes() -> None:
    with pytest.raises(PolicyError) as caught:
        check(policy('return name == "\u00e9\u00e9\u00e9" or nope'))
    assert caught.value.problems[0].column == len('    return name == "eee" or ') + 1


def test_a_mistake_in_a_definition_is_not_reported_again_where_it_is_used() -> None:
    assert len(problems(policy("x = agee\n    return x < 2 or x > 3"))) == 1


@pytest.mark.parametrize(
    "expression",
    [
        "limit is not None and limit < 2",
        "limit is None or limit < 2",
        "not (limit is None or not limit < 2)",
        "limit < 2 if limit is not None else flag",
        "limit == 2 and limit < 3",
        "limit != age",
        "any(limit < 3 for tag in tags if limit is not None)",
        "flag == (age > 3)",
        "18 <= age < 65",
        "price * 2 < 100",
        "tags <= READABLE[role]",
        "any(name.startswith(prefix) for prefix in NAMES)",
        "moment < datetime(2026, 1, 31, 9, 0)",
    ],
)
def test_guarded_optionals_and_mixed_constants_pass(expression: str) -> None:
    assert len(check(policy(f"return {expression}")).rules) == 1


def test_an_early_return_guards_what_follows() -> None:
    terms = check(policy("if limit is None:\n        return False\n    return limit < 2"))
    assert isinstance(terms.rules[0].body, Choice)


def test_an_implication_guards_its_consequence() -> None:
    comment = "    # R1, R2: Small\n    # limits.\n"
    contract = comment + "    Ensures(Implies(limit is not None, Implies(limit < 2, not Result())))\n"
    clause = check(policy("return False", contract=contract)).clauses[0]
    assert (clause.id, clause.requirements, clause.comment) == ("C1", ("R1", "R2"), "Small limits.")
    assert clause.source == "Implies(limit is not None, Implies(limit < 2, not Result()))"


def test_a_precondition_cannot_speak_of_the_result() -> None:
    messages = problems(policy("return False", contract="    Requires(Result())\n"))
    assert messages == ["A precondition cannot speak of the result. Move it to an Ensures."]


def test_chains_local_names_and_filters_become_plain_terms() -> None:
    terms = check(
        policy("adult = 18 <= age < 65\n    return any(flag for t in tags if t in READABLE[role]) or adult")
    )
    body = terms.rules[0].body
    assert isinstance(body, Or)
    first, adult = body.operands
    assert isinstance(adult, And) and all(isinstance(operand, Compare) for operand in adult.operands)
    assert isinstance(first, Quantified) and isinstance(first.body, And)
    member = first.body.operands[0]
    assert Variable("flag", terms.arguments[6].type) == first.body.operands[1]
    assert getattr(member, "collection", None) == TableEntry(
        "READABLE", Variable("role", terms.arguments[2].type)
    )


@pytest.mark.parametrize(
    ("size", "same"),
    [("> 0", "!="), ("!= 0", "!="), (">= 1", "!="), ("== 0", "=="), ("<= 0", "=="), ("< 1", "==")],
)
def test_a_size_that_asks_whether_a_set_has_a_member_is_that_question(size: str, same: str) -> None:
    counted, asked = (
        check(policy(f"return {test}")) for test in (f"len(tags) {size}", f"tags {same} frozenset()")
    )
    assert counted.rules[0].body == asked.rules[0].body


def test_a_prefix_from_a_constant_set_is_written_out() -> None:
    body = check(policy("return not any(name.startswith(p) for p in NAMES)")).rules[0].body
    assert isinstance(body, Not) and isinstance(body.operand, Or)
    assert {operand.constant for operand in body.operand.operands if isinstance(operand, StringTest)} == {
        "/etc",
        "/root",
    }


def test_decimal_places_are_the_finest_of_the_constants() -> None:
    terms = check(policy('return price < Decimal("0.1250")'))
    assert terms.places == 4
    assert {argument.type.places for argument in terms.arguments if argument.type.kind is Kind.DECIMAL} == {4}


BOMBS = {
    "brackets": "return " + "(" * 5000 + "age" + ")" * 5000,
    "not": "return " + "not " * 50_000 + "flag",
    "sum": "return " + "1 + " * 50_000 + "age > 1",
    "minus": "return " + "-" * 50_000 + "age > 1",
    "index": "return name" + "[0]" * 20_000,
    "doubling": "a0 = age + age\n"
    + "".join(f"    a{i} = a{i - 1} + a{i - 1}\n" for i in range(1, 60))
    + "    return a59 > 1",
    "returns": "".join(f"if age == {i}:\n        return True\n    " for i in range(3000)) + "return False",
    "lines": "return True" + "\n" * 20_000,
    "or": "return " + " or ".join(f"age == {i}" for i in range(15_000)),
}


@pytest.mark.parametrize("name", sorted(BOMBS))
def test_a_bomb_is_one_clear_message(name: str) -> None:
    messages = problems(policy(BOMBS[name]))
    assert len(messages) == 1, messages
    assert len(messages[0]) < 300


def test_a_long_table_is_read() -> None:
    rows = "".join(f'    "k{index}": {{"v{index}"}},\n' for index in range(5000))
    terms = check(f"T = {{\n{rows}}}\n\n\ndef allow(x: int) -> bool:\n    return True\n")
    assert len(terms.tables["T"].entries) == 5000
