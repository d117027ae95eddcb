"""Representatives of strings: every string has one that gives the same result in every test."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engines.nagini.lowering.string_regions import Atoms, LoweringLimit, representatives

WORDS = st.text("ab", min_size=1, max_size=3)


@st.composite
def all_atoms(draw: st.DrawFn) -> Atoms:
    def some(size: int) -> frozenset[str]:
        return draw(st.frozensets(WORDS, max_size=size))

    lengths = draw(st.frozensets(st.integers(0, 12), max_size=2))
    return Atoms(
        draw(st.frozensets(st.text("ab", max_size=3), max_size=3)), some(2), some(2), some(2), lengths
    )


@given(all_atoms(), st.integers(1, 3), st.text("abc", max_size=14))
def test_every_string_has_a_region(atoms: Atoms, copies: int, text: str) -> None:
    texts_by_region = representatives(atoms, copies)
    assert text in atoms.constants or atoms.signature(text) in texts_by_region


@given(all_atoms(), st.integers(1, 3))
def test_representatives_have_their_signature_and_are_no_constants(atoms: Atoms, copies: int) -> None:
    for signature, words in representatives(atoms, copies).items():
        assert 1 <= len(words) == len(set(words)) <= copies
        assert all(atoms.signature(word) == signature for word in words)
        assert not atoms.constants & set(words)


@given(all_atoms(), st.integers(2, 3))
def test_a_region_short_of_copies_lists_all_its_strings(atoms: Atoms, copies: int) -> None:
    every = ["".join(word) for size in range(5) for word in product("abcd", repeat=size)]
    for signature, words in representatives(atoms, copies).items():
        if len(words) < copies:
            members = {w for w in every if w not in atoms.constants and atoms.signature(w) == signature}
            assert members <= set(words)


def test_long_lengths_are_stretched_instead_of_counted() -> None:
    atoms = Atoms(prefixes=frozenset({"lab."}), infixes=frozenset({"x"}), lengths=frozenset({10_000, 20_000}))
    texts_by_region = representatives(atoms, 2)
    assert len(texts_by_region) == 2 * 2 * 3
    assert all(len(words) == 2 for signature, words in texts_by_region.items() if any(signature[2:]))


def test_too_many_kinds_of_string_are_refused_with_a_sentence() -> None:
    atoms = Atoms(infixes=frozenset("abcdefghijkl"))
    with pytest.raises(LoweringLimit, match="use fewer"):
        representatives(atoms, 1)
