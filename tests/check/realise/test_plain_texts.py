"""The texts for what an input leaves open: each is a key of its own in every normal form."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.check.realise.json_values import PlainValues
from workbench.runs.values.normal_texts import NORMALS, normal_text

# Names that differ only by a number at their end, or by signs that a normal form drops.
NAMES = st.lists(
    st.one_of(
        st.sampled_from(["booking_id", "BookingId", "line", "line1", "line12", "$.a.b", "é", "7"]), st.text()
    ),
    max_size=14,
)


@settings(max_examples=examples(80), deadline=None)
@given(NAMES)
def test_a_plain_text_is_no_others_in_any_normal_form(names: list[str]) -> None:
    plain = PlainValues()
    texts = [plain.text(name) for name in names]

    for normal in NORMALS:
        assert len({normal_text(text, normal) for text in texts}) == len(texts)
