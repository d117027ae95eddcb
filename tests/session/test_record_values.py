"""Records, lists and durations in ``cases.toml``: exact in both directions, and read strictly."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import HEADER, RECORD_TYPES, arguments_for, record_classes
from workbench.files.file_error import FileError
from workbench.model import Case, RecordValue, Verdict
from workbench.session.session_files import read_cases, write_cases

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
PARAMETERS = ", ".join(f"{name}: {kind}" for name, kind in RECORD_TYPES.items())
TERMS = check(f"{HEADER}{record_classes()}\n\ndef allow({PARAMETERS}) -> bool:\n    return True\n")
TYPES = {argument.name: argument.type for argument in TERMS.arguments}
CASES = st.lists(arguments_for(TERMS), min_size=1, max_size=2).map(
    lambda vectors: tuple(
        Case(f"case-{number}", vector, Verdict.ALLOW, "A reason.") for number, vector in enumerate(vectors)
    )
)


@settings(deadline=None, max_examples=examples(40), suppress_health_check=_SLOW)
@given(CASES, CASES)
def test_records_survive_the_round_trip_through_cases_toml(
    before: tuple[Case, ...], after: tuple[Case, ...]
) -> None:
    text = write_cases(before)
    assert read_cases(text, TYPES) == before
    assert repr(read_cases(text, TYPES)) == repr(read_cases(write_cases(read_cases(text, TYPES)), TYPES))
    assert write_cases(before, text) == text
    assert read_cases(write_cases(after, text), TYPES) == after


ITEM = '{label = "a", role = "user", amount = 1, price = 2, ready = true, type = {none = true}, tags = ["b"]}'


def test_a_record_is_read_as_its_type_says() -> None:
    found = read_cases(_case(f"items = [{ITEM}]"), TYPES)[0].arguments["items"]
    assert isinstance(found, tuple)
    item = found[0]
    assert isinstance(item, RecordValue)
    assert (item.type, item.price, dict(item.fields)["type"]) == ("Item", Decimal(2), None)
    less = ITEM.replace("amount = 1, ", "")
    (item,) = cast("tuple[RecordValue]", read_cases(_case(f"items = [{less}]"), TYPES)[0].arguments["items"])
    assert "amount" not in dict(item.fields), "the agent's records have fields that a policy does not read"
    assert read_cases(_case('wait = "P1DT2H"'), TYPES)[0].arguments["wait"] == timedelta(hours=26)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"items = {ITEM}", 'the argument "items" must be a list.'),
        (
            f"items = [{ITEM.replace('amount = 1', 'amount = 1.5')}]",
            'has the element 1, which has the key "amount", which must be a whole number.',
        ),
        (f"items = [{ITEM.replace('true,', '{none = true},')}]", "which must be true or false."),
        ('items = ["a"]', "which must be a table."),
        ("order = 3", "must be a table."),
        ('words = [1, "a"]', "has the element 1, which must be a string."),
        ('codes = ["a"]', "must be a list of whole numbers."),
        ("codes = [true]", "must be a list of whole numbers."),
        ('wait = "1 day"', 'must be a duration, as "P1DT2H".'),
        ("wait = 3", 'must be a duration, as "P1DT2H".'),
        ("delay = 3", 'must be a duration, as "P1DT2H" or { none = true }.'),
    ],
)
def test_what_is_no_such_value_is_refused_with_its_place(line: str, said: str) -> None:
    with pytest.raises(FileError) as caught:
        read_cases(_case(line), TYPES)
    assert said in str(caught.value)
    assert "cases.toml:7" in str(caught.value)
    cases = read_cases(_case(line).replace('"allow"', '"cannot-evaluate"'), TYPES)
    assert read_cases(write_cases(cases), TYPES) == cases


def _case(line: str) -> str:
    head = '[[case]]\nid = "a"\nexpected = "allow"\norigin = "human"\nreason = "A reason."'
    return f"{head}\n[case.arguments]\n{line}\n"
