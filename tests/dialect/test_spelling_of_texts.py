"""Texts whose case, or blanks at the ends, do not count: a rule finds them in every such spelling."""

from __future__ import annotations

import pytest

from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, FieldNote, Json, RecordedCall, Tool
from workbench.policy.problems import PolicyError
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

POLICY = '''"""Notes."""

from agent import TagNote

CITIES = {"New York", "Rome"}
DEFAULT = "allow"


def forbid_it(call: TagNote) -> bool:
    """R1: No."""
    return CONDITION
'''


def _spec(form: str) -> AgentSpec:
    text: Json = {"type": "string"}
    properties: Json = {"city": text, "tags": {"type": "array", "items": text}}
    schema: dict[str, Json] = {"type": "object", "properties": properties, "required": ["city", "tags"]}
    notes = {"city": FieldNote(normal=form), "tags[]": FieldNote(normal=form)}
    return AgentSpec("notes", tools=(Tool("tag_note", parameters=schema, fields=notes),))


@pytest.mark.parametrize(
    ("form", "condition", "city", "denied"),
    [
        ("caseless", 'call.city == "New York"', "NEW YORK", True),
        ("caseless", 'call.city == "New York"', "new york ", False),
        ("caseless", 'call.city == "NewYork"', "New York", False),
        ("trimmed", '"New York " == call.city', " New York", True),
        ("trimmed", 'call.city == "New York"', "new york", False),
        ("plain", 'call.city == "New York"', "new york ", True),
        ("plain", "call.city not in CITIES", "rome", False),
        ("plain", "call.city not in CITIES", "Oslo", True),
        ("caseless", "call.city in CITIES", "ROME", True),
        ("plain", 'call.city.startswith("New ")', "NEW YORK", True),
        ("plain", 'call.city.startswith("New ")', "Newark", False),
        ("trimmed", '"W Y" in call.city', "NEW YORK", True),
        ("caseless", '"w y" in call.city', "NEW YORK", True),
        ("plain", '"City" in call.tags', "Oslo", True),
        ("trimmed", '"City" in call.tags', "Oslo", False),
    ],
)
def test_a_text_is_found_in_every_spelling_that_its_form_takes_for_the_same(
    form: str, condition: str, city: str, denied: bool
) -> None:
    spec = _spec(form)
    lowered = lowered_policy(POLICY.replace("CONDITION", condition), spec)
    run = (RecordedCall("r", 0, "tag_note", {"city": city, "tags": ["CITY", " b"]}),)
    found = Extractor(lowered.arguments, spec).extract(run[0], Earlier(run, 0))
    assert (decision_on(compile_policy(lowered.terms), found).verdict.value == "deny") is denied


def test_an_element_in_another_spelling_is_a_mistake_that_says_what_to_write() -> None:
    with pytest.raises(PolicyError, match='Write "city"'):
        lowered_policy(
            POLICY.replace("CONDITION", 'any(tag == "City" for tag in call.tags)'), _spec("caseless")
        )
