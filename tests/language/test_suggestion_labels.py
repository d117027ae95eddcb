"""The sentences that suggestions are measured by: what each means is a sentence of its session's language."""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter

import pytest

from tests.language.read_back import ROOT, SESSIONS, language_of

FOLDER = ROOT / "benchmarks" / "suggestions"
HELD_OUT = tuple(
    FOLDER / f"{one}agents_held_out.toml"
    for one in ("", "further_", "third_", "fourth_", "fifth_", "sixth_", "seventh_", "eighth_", "ninth_")
)
LABELS = tomllib.loads((FOLDER / "labels.toml").read_text())["sentences"]
LABELLED = sorted({one["session"] for one in LABELS})
OF_AGENTS = [
    one
    for path in (FOLDER / "agents_in_sight.toml", FOLDER / "further_agents_in_sight.toml", *HELD_OUT)
    for one in tomllib.loads(path.read_text())["sentences"]
]
POLARITY_HELD_OUT = FOLDER / "polarity_held_out.toml"
OF_SMALL_WORDS = [
    {"origin": "request", **one}
    for path in (FOLDER / "polarity.toml", POLARITY_HELD_OUT)
    for one in tomllib.loads(path.read_text())["sentences"]
]
EVERY = LABELS + OF_AGENTS + OF_SMALL_WORDS
EVERY_SESSION = sorted({one["session"] for one in EVERY})
LEAST_RULES = 150
LEAST_CONTEXT = 20
LEAST_SESSIONS = 7
LEAST_AGENTS = 8
LEAST_OF_AGENTS = 160


@pytest.mark.parametrize("session", EVERY_SESSION)
def test_every_meaning_is_one_sentence_of_its_session(session: str) -> None:
    language = language_of(session)
    meanings = {
        text
        for one in EVERY
        if one["session"] == session
        for text in (one["meaning"], *one.get("also", ()), *one.get("rest", ()))
    }
    readings = {text: len(language.read(text)) for text in meanings - {"context"}}
    assert [text for text, count in readings.items() if count != 1] == []


@pytest.mark.parametrize("session", EVERY_SESSION)
def test_the_sentences_of_a_request_stand_in_it(session: str) -> None:
    request = _plain((ROOT / session / "request.md").read_text())
    own = [one["sentence"] for one in EVERY if one["session"] == session and one["origin"] == "request"]
    assert [sentence for sentence in own if _plain(sentence) not in request] == []


def test_there_are_as_many_as_were_asked_for() -> None:
    assert set(LABELLED) <= set(SESSIONS)
    assert len(LABELLED) >= LEAST_SESSIONS
    context = Counter(one["meaning"] == "context" for one in LABELS)
    assert context[False] >= LEAST_RULES
    assert context[True] >= LEAST_CONTEXT
    assert max(Counter((one["session"], one["sentence"]) for one in LABELS).values()) == 1


def test_the_agents_held_out_are_others_and_their_labels_are_frozen() -> None:
    agents = Counter(one["session"] for one in OF_AGENTS if one["meaning"] != "context")
    held_out = {one["session"] for path in HELD_OUT for one in tomllib.loads(path.read_text())["sentences"]}
    assert len(agents) >= LEAST_AGENTS
    assert 0 < len(held_out) < len(agents)
    assert agents.total() >= LEAST_OF_AGENTS
    assert not set(agents) & set(LABELLED)
    for path in (*HELD_OUT, POLARITY_HELD_OUT):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in (FOLDER / "README.md").read_text()


def _plain(text: str) -> str:
    """The words, without what marks bold type and the ends of lines."""
    return " ".join(text.replace("**", "").split())
