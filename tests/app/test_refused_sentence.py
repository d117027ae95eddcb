"""A rule that the dialect refuses is refused in the words of sentences, with what to say in its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench
from workbench.model import WorkbenchError

TRAVEL = Path(__file__).parents[2] / "sessions" / "travel-desk"


@pytest.fixture(scope="module")
def travel() -> Iterator[Workbench]:
    with closing(Workbench.open_to_read(TRAVEL)) as bench:
        yield bench


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("the trip's cost centre is “x”", "The trip may not exist: say “the trip exists and …”"),
        (
            "there is a line for which the left of the cost centre for the line's cost centre is more than 5",
            "The cost centre may not exist: say “the cost centre … exists and …”",
        ),
        ("what the user has said contains the iban", "say that it “was named by the user”"),
        ("the iban contains “\\n”", "Say “a line break”"),
        ("the iban lies inside “/x”", "give the field its kind in agent.toml"),
        ("the number of origins of the iban is 2", "by something or by nothing"),
        ("the number of origins of the iban is 2", "declare it as a list in agent.toml"),
    ],
)
def test_a_sentence_is_refused_in_words_of_the_language(travel: Workbench, condition: str, said: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        travel.sentences.preview(f"The agent must not pay an invoice if {condition}.")
    assert said in str(refused.value)
    assert "`" not in str(refused.value)


UNREAD = "The agent must not pay an invoice if the iban is stolen."
REFUSED = "The agent must not pay an invoice if the trip's cost centre is “x”."


def test_every_sentence_that_cannot_be_taken_is_told_with_its_own_words(travel: Workbench) -> None:
    requested = travel.rewordings.all()[0].requirement.text
    texts = (UNREAD, REFUSED, "That a thing is old means that it is so.", REFUSED.replace("x", "y"))
    for say in (
        lambda: travel.sentences.preview(texts),
        lambda: travel.rewordings.preview([Reworded(requested, texts)]),
    ):
        with pytest.raises(WorkbenchError) as refused:
            say()
        told = [str(one) for one in refused.value.problems]
        assert len(told) == 4
        assert sum("The trip may not exist" in one for one in told) == 2
        assert all(any(text in one for one in told) for text in (REFUSED, REFUSED.replace("x", "y")))
        assert not any("`" in one or "contract_" in one or "line " in one for one in told)


@pytest.mark.parametrize(
    ("condition", "value"),
    [("the iban is stolen", "stolen"), ("the iban begins with DE and the total is 5", "DE")],
)
def test_a_value_without_quotation_marks_is_told_with_them(
    travel: Workbench, condition: str, value: str
) -> None:
    with pytest.raises(WorkbenchError, match=f"A value is written in quotation marks: “{value}”"):
        travel.sentences.preview(f"The agent must not pay an invoice if {condition}.")
    with pytest.raises(WorkbenchError) as other:
        travel.sentences.preview("The agent must not pay an invoice which smells.")
    assert "quotation marks" not in str(other.value)
