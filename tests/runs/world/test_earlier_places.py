"""The source of a value: the user's words, the application, fields of results; spellings of a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.model import Json, Provenance, RecordedCall
from workbench.runs.values.found_value import Missing
from workbench.runs.values.value_spellings import Written, spellings, stands_in
from workbench.runs.world import earlier_places
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.earlier_places import Searched

IBAN = "DE89370400440532013000"


def call(
    index: int,
    tool: str,
    result: Json = "ok",
    *,
    message: str = "Pay them.",
    known_from: int = 0,
    failed: bool = False,
    **arguments: Json,
) -> RecordedCall:
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    texts = {"all_user": message} if message else {}
    return RecordedCall(
        "r",
        index,
        tool,
        arguments,
        texts,
        {"account": "acc-17"},
        result=text,
        known_from=known_from,
        failed=failed,
    )


def origin_at(
    calls: Sequence[RecordedCall], place: int, *, exact: bool = False
) -> tuple[tuple[str, Provenance], ...] | str:
    """The places of the value that a call is to, or why they are not known."""
    call = calls[place]
    value = (call.arguments or {})["to"]
    assert isinstance(value, str)
    try:
        run, failures = Earlier(calls, place), DeclaredFailures(())
        return tuple(Searched(value, call, failures, exact).places(run, ("all_user",)))
    except Missing as missing:
        return str(missing)


def found(*calls: RecordedCall, exact: bool = False) -> tuple[tuple[str, Provenance], ...] | str:
    """The places of the value that the last call is to, or why they are not known."""
    return origin_at(calls, len(calls) - 1, exact=exact)


def places(*calls: RecordedCall, exact: bool = False) -> set[str]:
    named = found(*calls, exact=exact)
    assert not isinstance(named, str), named
    return {place for place, _ in named}


def missing(*calls: RecordedCall) -> str:
    why = found(*calls)
    assert isinstance(why, str), why
    return why


PAY = call(1, "pay", None, to=IBAN)


def test_fields_of_results_are_told_from_the_texts_in_them() -> None:
    supplier = call(0, "get_supplier", {"supplier": {"iban": IBAN, "name": "Ann"}})
    mail = call(0, "get_mail", {"mails": [{"body": f"Please use {IBAN} from today."}]})
    page = call(0, "read_file", f"IBAN: {IBAN}")
    assert places(supplier, PAY) == {"get_supplier.supplier.iban"}
    assert places(mail, PAY) == {"get_mail.mails.body:text"}
    assert places(page, PAY) == {"read_file:text"}
    assert places(call(0, "list", {"accounts": {IBAN: {"open": True}}}), PAY) == {"list.accounts:key"}
    assert places(call(0, "other", {"id": "7"}), PAY) == set()


def test_the_name_of_a_field_forges_no_place() -> None:
    forgeries: list[Json] = [{"supplier.iban": IBAN}, {"supplier": {"x": 1}, "supplier.iban:key": [IBAN]}]
    for forged in forgeries:
        assert "list.supplier.iban" not in places(call(0, "list", forged), PAY)
    assert places(call(0, "list", {"notes:text": {"x": IBAN}}), PAY) == {'list["notes:text"].x'}


def test_the_user_and_the_application_are_sources() -> None:
    assert places(call(0, "pay", None, to="ann", message="Send it to Ann.")) == {"user"}
    assert places(call(0, "pay", None, to="acc-17")) == {"application"}


@pytest.mark.parametrize(
    "written", ["DE89 3704 0044 0532 0130 00", "de89-3704-0044-0532-0130-00", IBAN.lower()]
)
def test_spellings_are_one_value_unless_exact(written: str) -> None:
    supplier = call(0, "get_supplier", {"iban": written})
    assert places(supplier, PAY) == {"get_supplier.iban"}
    assert places(call(0, "get_mail", {"body": f"to {written}, soon"}), PAY) == {"get_mail.body:text"}
    assert places(supplier, PAY, exact=True) == set()


def test_what_may_hold_the_value_and_is_not_known_leaves_the_source_unknown() -> None:
    unrecorded = call(0, "get_mail", None)
    assert "not recorded" in missing(unrecorded, PAY)
    assert "all that the user said" in missing(call(0, "pay", None, to="x", message=""))
    later = call(0, "get_mail", {"body": IBAN}, known_from=2)
    assert "not recorded" in missing(later, PAY)  # a guard did not know whether it came
    assert places(replace(later, step=3), replace(PAY, step=3)) == set()  # the agent had not seen it


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [
        ("1,234.50", 1234.5, True),
        ("1.234,50", "1234.5", True),
        ("1 234", "1234", True),
        ("1,234", 1234, True),
        ("1.234", 1234, False),
        ("HTTPS://Shop.Example:443/a/", "https://shop.example/a", True),
        ("https://shop.example/a", "https://shop.example/A", False),
        ("https://shop.example@evil.example/", "https://evil.example/", False),
        ("www.shop.example/a", "http://shop.example/a", True),
        ("shop.example", "ann@shop.example", False),
        ("shop.example", "evil-shop.example", False),
        ("ann", "anna", False),
        ("12", "012", True),
        ("€100", "100", True),
        ("€100", "100 €", True),
        ("€100", "$100", False),
        ("50 %", 50, True),
        ("50 %", "$50", False),
        ("-123456", "123456", False),
        ("2024-11-2", "2024-1-12", False),
        ("1 12 2024", "11 2 2024", False),
        ("2024-01-12", "20240112", True),
        ("x1/y2z3", "x1y2z3", False),
        (10**29 + 1, 10**29 + 2, False),
        ("", "", False),
    ],
)
def test_spellings(first: str | float, other: str | float, same: bool) -> None:
    assert (not spellings(first).isdisjoint(spellings(other))) is same


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from([",", "'", " "]))
def test_groups_of_digits_are_no_part_of_a_number(number: object, group: str) -> None:
    assert not spellings(f"{number:,}".replace(",", group)).isdisjoint(spellings(str(number)))


@given(st.text("abcABC019 .-", min_size=1, max_size=30), st.text("xyz7 ", max_size=10))
def test_a_value_stands_in_a_text_that_has_it_between_blanks(value: str, around: str) -> None:
    if spellings(value):
        assert stands_in(value, f"{around} “{value}” {around}")


@given(st.integers(0, 10**8) | st.integers(10**28, 10**28 + 9), st.integers(0, 10**30))
@example(10**28 + 1, 10**28 + 2)
def test_different_numbers_are_never_one_value(first: int, other: int) -> None:
    assert spellings(first).isdisjoint(spellings(other)) is (first != other)
    assert stands_in(str(first), f"number {other}.") is (first == other)


_WRITTEN = st.one_of(
    st.text("abAB01İß .-/:,", max_size=12),
    st.sampled_from(
        [IBAN, "de89 3704 0044 0532 0130 00", "Shop.example", "https://www.shop.example/a", "1,250.00"]
    ),
    st.integers(-20, 2000),
    st.decimals(-2, 2000, places=1).map(float),
)


@given(
    _WRITTEN,
    st.lists(st.one_of(_WRITTEN, st.tuples(_WRITTEN, _WRITTEN).map("say {0[0]} {0[1]}.".format)), max_size=5),
)
def test_what_may_not_stand_in_a_document_stands_nowhere_in_it(
    value: str | float, leaves: list[str | int | float]
) -> None:
    is_there = any(
        not spellings(value).isdisjoint(spellings(leaf)) or (isinstance(leaf, str) and stands_in(value, leaf))
        for leaf in leaves
    )
    assert Written(leaves).may_hold(value) or not is_there


def test_a_document_tells_soon_what_is_not_in_it() -> None:
    document = Written([f"Please use {IBAN}", 12, "see shop.example/b"])
    assert not any(
        document.may_hold(value) for value in ("DE89370400440532013001", 13, "shop.example/a", "ann")
    )


# --- failed calls -------------------------------------------------------------------

REPEATED: Json = {"message": f"no supplier with {IBAN}"}


def test_a_failed_result_that_repeats_a_value_is_no_source_of_it() -> None:
    asked = call(0, "get_supplier", {"iban": IBAN}, failed=True)
    assert "call 0, which failed" in missing(asked, call(1, "pay", to=IBAN))


def test_a_value_from_elsewhere_keeps_its_places_only() -> None:
    failed = call(0, "get_supplier", REPEATED, failed=True)
    known = call(1, "get_supplier", {"iban": IBAN})
    assert places(failed, known, call(2, "pay", to=IBAN)) == {"get_supplier.iban"}
    said = call(1, "pay", message=f"Pay {IBAN}.", to=IBAN)
    assert places(call(0, "get_supplier", {"iban": IBAN}, message=f"Pay {IBAN}.", failed=True), said) == {
        "user"
    }


def test_a_failure_that_was_not_known_yet_is_an_unknown_result() -> None:
    """Of two calls made at once, the failed one may still give the value: what is known later is not used."""
    late = call(0, "get_supplier", {"iban": IBAN}, failed=True, known_from=2)
    assert "not recorded" in missing(late, call(1, "pay", to=IBAN))


def test_a_failed_result_without_the_value_changes_nothing() -> None:
    assert places(call(0, "get_supplier", "timeout", failed=True), call(1, "pay", to=IBAN)) == set()


@given(st.randoms(use_true_random=False))
def test_a_call_knows_no_later_result_whatever_was_asked_before(random: Random) -> None:
    """Moments of one run are asked about in any order; each is as in a run that was never asked about."""
    run = [
        replace(
            call(number, random.choice(("a", "b")), random.choice(("x1", "y2", "none", f"to {IBAN}"))),
            arguments={"to": random.choice(("x1", "y2", IBAN))},
            known_from=random.choice((0, 0, number + 1, number + random.randint(1, 20))),
            ran=random.random() < 0.9,
            step=0,
        )
        for number in range(40)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earlier_places, "_BLOCK", 8)
        for moment in random.sample(range(40), 12):
            asked = origin_at(run, moment)
            patch.setattr(earlier_places, "_BLOCK", 1000)
            alone = origin_at(list(run), moment)
            patch.setattr(earlier_places, "_BLOCK", 8)
            assert asked == alone


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("write to *A*, please", True), ("_A_", True), ("see _A_ now", True),
        ("[mail](mailto:A?subject=x)", True),
        ("A/B", True), ("a/A", True), ("A- x", True), ("mailto:A", True), ("A.", True), ("A。", True),
        ("xA", False), ("x_A", False), ("x.A", False), ("x+A", False), ("Ax", False), ("A.evil.io", False),
        ("A-x.io", False),
    ],
)  # fmt: skip
def test_an_address_stands_in_a_text_that_emphasises_or_links_it_but_in_no_other_address(
    text: str, stands: bool
) -> None:
    address = "archive-2@good.com"
    assert stands_in(address, text.replace("A", address)) is stands
