"""What a theorem may say, and what is told to a person whose theorem says something else."""

from __future__ import annotations

import pytest

from tests.dialect.desk import HEAD, types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallTheorem
from workbench.policy.problems import PolicyError

RULE = 'def forbid_it(call: PayInvoice, run: Run) -> bool:\n    """R1: No."""\n    return call.total > 5\n'


def theorem(text: str, head: str = '"""R2: It holds."""') -> CallTheorem:
    source = f"{HEAD}{RULE}\n\ndef theorem_it(run: Run) -> bool:\n    {head}\n    return {text}\n"
    (found,) = check_calls(source, types()).theorems
    return found


def problem(text: str, head: str = '"""R2: It holds."""') -> str:
    with pytest.raises(PolicyError) as raised:
        theorem(text, head)
    return str(raised.value.problems[0])


def test_a_theorem_has_its_sentence_and_the_sentences_that_it_cites() -> None:
    found = theorem("all(c.total > 0 for c in run.calls(PayInvoice))")
    assert (found.sentence, found.requirements) == ("It holds.", ("R2",))
    assert found.tools == ("pay_invoice",)


def test_a_theorem_is_no_fact() -> None:
    source = (
        f"{HEAD}{RULE}\n\ndef theorem_it(run: Run) -> bool:\n"
        '    """It holds."""\n    return all(c.total > 0 for c in run.calls(PayInvoice))\n\n\n'
        'def forbid_other(call: PayInvoice, run: Run) -> bool:\n    """No."""\n    return theorem_it(run)\n'
    )
    with pytest.raises(PolicyError):
        check_calls(source, types())


def test_what_is_gathered_over_calls_is_shared_with_rules_where_they_can_say_it() -> None:
    found = theorem("sum(c.total for c in run.calls(PayInvoice) if c.succeeded) <= 5")
    assert found.parts[0].before is not None
    found = theorem("all(run.before(c).trip(c.trip_id) is None for c in run.calls(BookRoom))")
    assert found.parts[0].before is None


def test_the_number_of_calls_is_a_count() -> None:
    found = theorem("len(run.calls(BookRoom)) <= 2")
    assert found.parts[0].operation == "count"
    assert found.parts[0].before is not None


def test_two_classes_are_read_each_for_itself() -> None:
    found = theorem("all(c.trip_id != '' for c in run.calls(BookRoom, PayInvoice))")
    assert [one.tool for one in found.parts[0].tools] == ["book_room", "pay_invoice"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("all(c.total > 0 for c in run.calls(PayInvoic))", "`PayInvoic` is not a class of calls."),
        ("all(c.total > 0 for c in run.calls())", "`run.calls` takes the classes of calls."),
        ("True", "says nothing about the calls of its run"),
        ("run.calls(PayInvoice)", "`run.calls(...)` has elements, not a value."),
        ("all(c.total for c in run.calls(PayInvoice))", "`all` tests a condition"),
        ("sum(c.iban for c in run.calls(PayInvoice)) == 1", "`sum` is not of a str"),
        ("max(c.total for c in run.calls(PayInvoice)) < 1", "needs a default"),
        (
            "all(c.total > 0 for c in run.calls(PayInvoice)) and run.trip('a') is None",
            "has no one value for a whole run",
        ),
        (
            "all(any(d.total > 0 for d in run.calls(PayInvoice)) for c in run.calls(PayInvoice))",
            "is about the run before it, `run.before(c)`",
        ),
        (
            "all(run.trip(c.trip_id) is None for c in run.calls(BookRoom))",
            "is about the run before it, `run.before(c)`",
        ),
        ("all(c.price > 0 for c in run.calls(PayInvoice))", "price"),
        (
            "all(c.total + d.total > 0 for c in run.calls(PayInvoice) for d in run.calls(PayInvoice))",
            "one call",
        ),
    ],
)
def test_what_is_no_theorem_is_told(text: str, words: str) -> None:
    assert words in problem(text)


def test_a_theorem_without_a_sentence_or_of_another_form_is_told() -> None:
    assert "has no sentence" in problem("all(c.total > 0 for c in run.calls(PayInvoice))", '""""""')
    source = f'{HEAD}{RULE}\n\ndef theorem_it(call: PayInvoice) -> bool:\n    """No."""\n    return True\n'
    with pytest.raises(PolicyError, match="takes a whole run"):
        check_calls(source, types())
