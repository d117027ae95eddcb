"""Text from values, terms and whole policies has the same meaning as its source."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, constants_of, policies
from workbench.clean_text import clean
from workbench.policy.evaluate import evaluate
from workbench.policy.literals import literal
from workbench.policy.render import format_policy
from workbench.policy.term_text import render_term
from workbench.policy.terms import PolicyTerms

_MANY = settings(
    max_examples=examples(50),
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def _bodies(terms: PolicyTerms) -> list[object]:
    return [
        *(rule.body for rule in terms.rules),
        *(clause.term for clause in (*terms.preconditions, *terms.clauses)),
        [(rule.name, rule.parameters, rule.message, rule.requirements) for rule in terms.rules],
        [(clause.requirements, clause.comment) for clause in terms.clauses],
    ]


@_MANY
@given(st.booleans().flatmap(lambda records: policies(records=records)))
def test_formatting_keeps_every_term_and_is_its_own_fixed_point(source: str) -> None:
    terms, formatted = check(source), format_policy(source)
    assert _bodies(check(formatted)) == _bodies(terms)
    assert format_policy(formatted) == formatted
    long = [line for line in formatted.split("\n") if len(line) > 100]
    assert not [line for line in long if not re.match(r'\s*(def |""")', line)]


@_MANY
@given(st.data())
def test_a_rendered_rule_means_what_the_rule_means(data: st.DataObject) -> None:
    terms = check(data.draw(policies(contract=False, records=data.draw(st.booleans()))))
    source = terms.file.text
    for rule in terms.rules:
        start = source.index(f"def {rule.name}(")
        end = source.index("\ndef ", start)
        head = source[start : source.index("\n", start)]
        body = f'{head}\n    """R1: Rendered."""\n    return {render_term(rule.body)}\n\n'
        source = source[:start] + body + source[end:]
    again = check(source)
    arguments = data.draw(arguments_for(terms))
    for old, new in zip(terms.rules, again.rules, strict=True):
        assert evaluate(again, new.body, arguments) == evaluate(terms, old.body, arguments)
        assert render_term(new.body) == render_term(old.body)


@given(st.frozensets(st.text().map(clean)) | st.text().map(clean) | st.integers(-(10**29), 10**29))
def test_a_literal_reads_back_as_its_value(value: frozenset[str] | str | int) -> None:
    text = literal(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        return
    source = f"A = {text}\n\n\ndef allow(x: int) -> bool:\n    return True\n"
    terms = check(source)
    constant = frozenset(terms.sets["A"].values) if isinstance(value, frozenset) else terms.constants["A"]
    assert constant == value


def test_literals_are_deterministic_and_plain() -> None:
    assert literal(frozenset({"b", "a"})) == '{"a", "b"}'
    assert literal(frozenset()) == "frozenset()"
    assert literal(Decimal("1.50")) == 'Decimal("1.50")'
    assert literal(Decimal("1E+3")) == 'Decimal("1000")'
    assert literal(datetime(2026, 1, 31, 9, 0, tzinfo=UTC)) == "datetime(2026, 1, 31, 9, 0)"
    assert literal('say "\u202e"\n') == '"say \\"\\u202e\\"\\n"'


def test_a_product_that_is_too_long_breaks_at_its_sign() -> None:
    long = f"    return sum(x for x in bill if x > 0) * (1 if asker in {{{'"a", ' * 20}'b'}} else 2)"
    lines = format_policy(f"def weigh(bill, asker):\n{long}\n").split("\n")
    assert "        sum(x for x in bill if x > 0)" in lines
    assert any(line.startswith("        * (") for line in lines)
    assert max(map(len, lines)) <= 100


def test_comments_stay_above_what_they_stood_beside() -> None:
    source = "A = 1  # beside\n# above\nB = 2\n\n\n"
    source += "def allow(x: int) -> bool:\n    # inside\n    return True\n# end\n"
    assert format_policy(source) == (
        "# beside\nA = 1\n# above\nB = 2\n\n\n"
        "def allow(x: int) -> bool:\n    # inside\n    return True\n# end\n"
    )


def test_the_constants_of_a_policy_are_found_wherever_they_stand() -> None:
    terms = check("A = {1}\n\n\ndef allow(x: int) -> bool:\n    return True\n")
    assert constants_of(replace(terms)) == (1,)
