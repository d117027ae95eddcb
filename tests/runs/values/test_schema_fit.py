"""What a JSON schema demands of a value: what the package jsonschema refuses is never a value that fits."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.examples import examples
from workbench.model import Json
from workbench.runs.values.schema_fit import demands, misfit

MONEY: Json = {"type": "string", "pattern": r"^\d+(\.\d{1,2})?$"}


@pytest.mark.parametrize("text", ["-5.00", " 5.00", "+5", "-0", "5.00\n", "٥", "5.001", "", 5, None])
def test_a_text_that_a_pattern_does_not_match_does_not_fit(text: Json) -> None:
    assert isinstance(MONEY, dict)
    assert misfit(text, MONEY)
    assert not misfit("5.00", MONEY)


def test_a_pattern_that_cannot_be_read_matches_nothing() -> None:
    assert misfit("a", {"pattern": "("})


def test_true_is_not_one() -> None:
    assert misfit(True, {"enum": [1]})
    assert misfit([1, 1.0], {"uniqueItems": True})
    assert not misfit([1, True], {"uniqueItems": True})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 6) | st.sampled_from([0.5, 2.0, "", "a", "5", "a5\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
SMALL = st.integers(0, 3)
KEYWORDS = {
    "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object"]),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "pattern": st.sampled_from(["^a", "5$", r"^\d$", "[ab]"]),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), SMALL
    ),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), SMALL),
    "multipleOf": st.integers(1, 3),
    "uniqueItems": st.booleans(),
}
FLAT = st.fixed_dictionaries({}, optional=KEYWORDS)
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        **KEYWORDS,
        "items": FLAT,
        "allOf": st.lists(FLAT, min_size=1, max_size=2),
        "anyOf": st.lists(FLAT, min_size=1, max_size=2),
    },
)


@settings(max_examples=examples(3000), deadline=None)
@given(SCHEMAS, VALUES)
def test_what_jsonschema_refuses_does_not_fit(schema: dict[str, Json], value: Json) -> None:
    if not Draft202012Validator(schema).is_valid(value):
        assert misfit(value, demands(schema))
