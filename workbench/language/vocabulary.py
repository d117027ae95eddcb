"""Words by which a sentence that is not of the language is looked at, from ``vocabulary.toml``."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "vocabulary.toml")
_FILE.check_keys("words", "irregular", "opposites", "cues", "everyday", "general", "narrower")
IRREGULAR: Mapping[str, str] = _FILE.table("irregular").text_by_key()
"""Words whose stem no ending tells."""
OPPOSITES: Mapping[str, str] = _FILE.table("opposites").text_by_key()
"""Words that deny another which stands in none of their letters: "failed" what "passed" says."""
CUES: Mapping[str, tuple[str, ...]] = _FILE.table("cues").texts_by_key()
"""The phrases of each cue, in small letters."""
EVERYDAY: Mapping[str, tuple[str, ...]] = _FILE.table("everyday").texts_by_key()
"""Groups of words of everyday business that stand for each other."""

GENERAL_WORDS: Mapping[str, tuple[str, ...]] = _FILE.table("general").texts_by_key()
"""Words that stand for each of the narrower ones under the same name."""
GENERAL: Mapping[str, tuple[str, ...]] = _FILE.table("narrower").texts_by_key()


def words_named(name: str) -> frozenset[str]:
    """The words of one list."""
    return _FILE.table("words").names(name)
