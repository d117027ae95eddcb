"""Likeness of words: the certainty that each use of an unknown word needs."""

from __future__ import annotations

import pytest

from workbench.likeness import corrected, did_you_mean, edit_distance, edit_distances

COLUMNS = ("Diagnosis", "diagnoses", "dosage", "patient")


@pytest.mark.parametrize(
    ("word", "hint", "correction"),
    [
        ("DIAGNOSIS", "", "Diagnosis"),
        ("diagnosys", "diagnoses", "Diagnosis"),
        ("doses", "dosage", None),
        ("patio", "patient", None),
        ("ward", "", None),
    ],
)
def test_a_hint_needs_less_likeness_than_a_slip(word: str, hint: str, correction: str | None) -> None:
    assert did_you_mean(word, COLUMNS, "{}") == hint
    assert corrected(word, COLUMNS) == correction


def test_a_distance_beyond_the_cutoff_is_just_beyond_it() -> None:
    assert edit_distance("ward", "wards") == 1
    assert edit_distance("ward", "patient", 2) == 3
    assert edit_distances("ward", ("patient", "wards", "ward"), 2) == [(2, 0), (1, 1)]
