"""Likeness of words, and the hint for an unknown one."""

from __future__ import annotations

import pytest

from workbench.likeness import did_you_mean, edit_distance, edit_distances

COLUMNS = ("Diagnosis", "diagnoses", "dosage", "patient")


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("DIAGNOSIS", ""),
        ("diagnosys", "diagnoses"),
        ("doses", "dosage"),
        ("patio", "patient"),
        ("ward", ""),
    ],
)
def test_a_hint_is_the_nearest_of_similar_words(word: str, hint: str) -> None:
    assert did_you_mean(word, COLUMNS, "{}") == hint


def test_a_distance_beyond_the_cutoff_is_just_beyond_it() -> None:
    assert edit_distance("ward", "wards") == 1
    assert edit_distance("ward", "patient", 2) == 3
    assert edit_distances("ward", ("patient", "wards", "ward"), 2) == [(2, 0), (1, 1)]
