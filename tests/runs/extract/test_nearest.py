"""The reading ``nearest``: the value of the example that a text is most like."""

from __future__ import annotations

import pytest

from tests.runs.extract.read_texts import read_text
from workbench.model import ArgumentType, Extracted, Json, Kind, WorkbenchError

EXAMPLES: dict[str, Json] = {
    "pay": ["Pay the bill of the plumber", "Send 20 to Ann"],
    "read": ["Show my last payments", "What did I spend in May?"],
}


def nearest(text: str, **options: Json) -> Extracted:
    return read_text(
        text, ArgumentType(Kind.ENUM, ("pay", "read")), "nearest", **{"examples": EXAMPLES, **options}
    )


def test_the_nearest_example_gives_its_value_with_its_likeness_as_confidence() -> None:
    extracted = nearest("pay the bill of the painter")
    assert extracted.value == "pay"
    (place,) = extracted.provenance
    assert 0.6 <= place.confidence < 1
    assert nearest("SEND 20  to ann").provenance[0].confidence == 1.0


def test_a_text_that_is_near_to_nothing_or_to_two_values_is_missing() -> None:
    assert "no example is near enough" in str(nearest("Colourless green ideas sleep").missing)
    both: dict[str, Json] = {"pay": ["pay ann"], "read": ["say ann"]}
    assert "another value" in str(nearest("day ann", examples=both).missing)
    assert nearest("day ann", examples=both, margin=0.0).value == "pay"
    assert nearest("pay the bill of the painter", confidence=0.99).missing is not None
    assert nearest("x" * 30_000).missing is not None


def test_examples_are_needed() -> None:
    with pytest.raises(WorkbenchError, match="examples"):
        nearest("x", examples={})
