"""A compound sentence is split into its statements, and no other sentence is split."""

from __future__ import annotations

import pytest

from workbench.author.rules.statements import Way, ways

TAKEN_APART: list[tuple[str, Way]] = [
    ("Neither clerks nor guests may send mail.", ("clerks may not send mail", "guests may not send mail")),
    ("Clerks can neither read nor send mail.", ("Clerks may not read or send mail",)),
    ("Files in .env may neither be read nor written.", ("Files in .env may not be read or written",)),
    (
        "Clerks may read anything, but send nothing.",
        ("Clerks may read anything", "Clerks may not send anything"),
    ),
    ("Clerks may read mail, but nothing else.", ("Clerks may only read mail",)),
    (
        "Managers, but not clerks, may pay 1,000 EUR.",
        ("Managers may pay 1,000 EUR", "clerks may not pay 1,000 EUR"),
    ),
    (
        "Only clerks may send mail, and only if it is signed.",
        ("Only clerks may send mail", "clerks may send mail only if it is signed"),
    ),
    (
        "Mail may be sent by clerks, but only after the user confirmed.",
        ("Mail may be sent by clerks", "Mail may be sent only if the user confirmed"),
    ),
    (
        "Clerks may read mail, and only their own.",
        ("Clerks may read mail", "Clerks may read only their own mail"),
    ),
    ("Clerks may read mail, guests may not.", ("Clerks may read mail", "guests may not read mail")),
    ("Clerks cannot send mail; managers can.", ("Clerks may not send mail", "managers may send mail")),
    (
        "Clerks may read mail, while guests may not.",
        ("Clerks may read mail", "guests may not read mail"),
    ),
    (
        "Clerks may not read mail and guests may not send it out.",
        ("Clerks may not read mail and guests may not send it out",),
    ),
    (
        "Nobody may send mail and only clerks may read mail.",
        ("Nobody may send mail", "only clerks may read mail"),
    ),
]


@pytest.mark.parametrize(("sentence", "way"), TAKEN_APART)
def test_the_statements_of_a_compound_sentence(sentence: str, way: Way) -> None:
    assert ways(sentence) == (way,)


@pytest.mark.parametrize(
    "sentence",
    [
        "Clerks may send “mail, but not letters”",
        "Clerks may send mail (signed, but not sealed)",
        "Clerks may read and send mail",
        "Clerks may send mail if it is signed but not sealed",
        "Clerks may read mail while guests may not",
        "Clerks may send mail and it is not allowed to read it",
    ],
)
def test_a_joint_in_a_quotation_in_brackets_or_in_a_condition_parts_nothing(sentence: str) -> None:
    assert ways(sentence) == ((sentence,),)


@pytest.mark.parametrize(
    ("sentence", "second"),
    [
        (
            "Clerks may read mail but not salaries.",
            ["Clerks may not salaries", "Clerks may not salaries mail", "Clerks may not read salaries"],
        ),
        ("Mail may be sent, but not abroad.", ["Mail may not be abroad", "Mail may not be sent abroad"]),
        ("Clerks may read mail, guests also files.", ["guests may files", "guests may read files"]),
        ("Clerks may send mail, and never to guests.", ["never send to guests", "never to guests"]),
        (
            "A may read files and B and C may not send mail.",
            ["B and C may not send mail", "C may not send mail"],
        ),
    ],
)
def test_what_is_left_out_is_completed_in_every_way(sentence: str, second: list[str]) -> None:
    assert [way[-1] for way in ways(sentence)] == second


@pytest.mark.parametrize("tail", ["if it is signed", "unless it is sealed", "until 18:00"])
def test_a_condition_at_the_end_belongs_to_the_last_part_or_to_both(tail: str) -> None:
    last = f"Clerks may not send mail {tail}"
    assert ways(f"Clerks may not read mail and may not send mail {tail}.") == (
        ("Clerks may not read mail", last),
        (f"Clerks may not read mail {tail}", last),
    )
