"""The sentences that suggestions are measured by: what each means is a sentence of its session's language."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest

from tests.language.read_back import ROOT, SESSIONS, language_of

LABELS = tomllib.loads((ROOT / "benchmarks" / "suggestions" / "labels.toml").read_text())["sentences"]
LABELLED = sorted({one["session"] for one in LABELS})
LEAST_RULES = 150
LEAST_CONTEXT = 20
LEAST_SESSIONS = 7


@pytest.mark.parametrize("session", LABELLED)
def test_every_meaning_is_one_sentence_of_its_session(session: str) -> None:
    language = language_of(session)
    meanings = {
        text
        for one in LABELS
        if one["session"] == session
        for text in (one["meaning"], *one.get("also", ()), *one.get("rest", ()))
    }
    readings = {text: len(language.read(text)) for text in meanings - {"context"}}
    assert [text for text, count in readings.items() if count != 1] == []


@pytest.mark.parametrize("session", LABELLED)
def test_the_sentences_of_a_request_stand_in_it(session: str) -> None:
    request = _plain((ROOT / session / "request.md").read_text())
    own = [one["sentence"] for one in LABELS if one["session"] == session and one["origin"] == "request"]
    assert [sentence for sentence in own if _plain(sentence) not in request] == []


def test_there_are_as_many_as_were_asked_for() -> None:
    assert set(LABELLED) <= set(SESSIONS)
    assert len(LABELLED) >= LEAST_SESSIONS
    context = Counter(one["meaning"] == "context" for one in LABELS)
    assert context[False] >= LEAST_RULES
    assert context[True] >= LEAST_CONTEXT
    assert max(Counter((one["session"], one["sentence"]) for one in LABELS).values()) == 1


def _plain(text: str) -> str:
    """The words, without what marks bold type and the ends of lines."""
    return " ".join(text.replace("**", "").split())
