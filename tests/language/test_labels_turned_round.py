"""A labelled sentence whose one small word is turned round gets no offer of what it meant before.

The edits are such that their effect is known: where just one word turns the sense of a sentence, what the
sentence means with the opposite word is not what it is labelled with.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pytest

from tests.examples import examples
from tests.language.read_back import ROOT, language_of
from workbench.language.normal_form import normal
from workbench.language.suggestion import Suggestions

_FOLDER = ROOT / "benchmarks" / "suggestions"
_HELD_OUT = "ninth_agents_held_out.toml"
"""The set of which nobody may look at what is offered, as a failure would show it."""
_PLAIN = "benchmarks/suggestions/agents/cert-desk"
_NUMBER = r"(?= [€$£]?\d)"
_TURNS: Mapping[str, str] = {
    r"must not|may not|cannot|can't|must never|may never": "may",
    r"(?<=^)(?:do not|don't|never)(?= )": "you may",
    r"(is|are) not to be": r"\1 allowed to be",
    r"must|has to|have to": "need not",
    r"may|can": "must not",
    r"unless": "if",
    r"before": "after",
    r"after": "before",
    r"without(?! \w+ (?:approval|permission|consent))": "with",
    r"(is|are|was|were|has|have)(?:n't| not)(?: yet)?": r"\1",
    r"(?:nobody|no one)": "everybody",
    r"neither (.*?) nor": r"either \1 or",
    r"non-(\w+)": r"\1",
    r"un(paid|signed|approved|verified|confirmed|published|assigned|registered|tested|checked)": r"\1",
    rf"more than{_NUMBER}": "at most",
    rf"(?:over|above){_NUMBER}": "up to",
    rf"(?:less than|under|below){_NUMBER}": "at least",
    rf"(?:at most|no more than|not more than|up to){_NUMBER}": "more than",
    rf"at least{_NUMBER}": "less than",
}
"""What turns the sense of a sentence, with what says the opposite in its place."""
_TURNING = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without|unless|except\w*|until|till|only|but|"
    r"save (?:with|for|by)|"
    r"before|after|need\w*|once|twice|again|others?|else|otherwise|outside|non-\w+|un\w+ed|unsigned|unpaid|"
    r"or (?:more|less)|and up|max\w*|min\w*|forbidden|allowed|refused\w*|always|first|then|free\w*|limit\w*|"
    r"enough|plenty|mistake|discretion|stays?|fuss|review)\b|n't\b",
    re.IGNORECASE,
)
"""Other words with which the effect of an edit is not sure."""


def _turned(sentence: str) -> Iterator[str]:
    """Yield a sentence with its one word turned round; nothing of one with several."""
    for pattern, opposite in _TURNS.items():
        word = re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)
        found = list(word.finditer(sentence))
        if len(found) != 1:
            continue
        start, end = found[0].span()
        if not _TURNING.search(sentence[:start]) and not _TURNING.search(sentence[end:]):
            text = sentence[:start] + found[0].expand(opposite) + sentence[end:]
            yield text[:1].upper() + text[1:]


_UNTRUE = (
    "It is a myth that {}.", "Nobody claims that {}.", "We have given up the idea that {}.",
    "Ignore the old rule that {}.",
    "It would be silly to think that {}.", "It has never been true that {}.", "Do not assume that {}.",
    "People are quite mistaken when they say that {}.",
)  # fmt: skip
"""What says of a sentence that it does not hold, in words that no table of the language knows."""
_TRUE = ("Bear in mind that {}.", "We insist that {}.", "Our rule is that {}.", "Please note that {}.")
_CLAUSES = re.compile(r"[.;:!?—–]|^(?:if|when|while|no|never|do|don't|please)\b", re.IGNORECASE)


def _framed(sentence: str, frame: str) -> str:
    """A sentence of one clause in a frame, or nothing of another."""
    body = sentence.rstrip(" .!")
    if _CLAUSES.search(body):
        return ""
    return frame.format(body if body[1:2].isupper() else body[:1].lower() + body[1:])


@lru_cache
def _labels() -> Mapping[str, list[tuple[str, dict[str, Any]]]]:
    """The turned sentences of each made-up agent, with the labels that they had before."""
    return {
        session: [(text, label) for label in labels for text in _turned(label["sentence"])]
        for session, labels in _rules().items()
    }


@lru_cache
def _rules() -> Mapping[str, list[dict[str, Any]]]:
    """The sentences of each made-up agent that state one rule."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(_FOLDER.glob("*agents*.toml")):
        if path.name == _HELD_OUT:
            continue
        for label in tomllib.loads(path.read_text())["sentences"]:
            if label["meaning"] != "context" and "rest" not in label:
                found.setdefault(label["session"], []).append(label)
    return found


def test_there_are_many_sentences_to_turn_round() -> None:
    assert sum(map(len, _labels().values())) > 200


@pytest.mark.slow
@pytest.mark.parametrize("session", sorted(_labels()))
def test_what_a_sentence_meant_is_not_offered_when_it_is_turned_round(session: str) -> None:
    turned = _labels()[session]
    assert _offered(session, turned[:: max(1, len(turned) // examples(60))]) == []


@pytest.mark.slow
@pytest.mark.parametrize("session", sorted(_rules()))
def test_what_a_sentence_meant_is_not_offered_when_it_is_said_not_to_hold(session: str) -> None:
    framed = [
        (text, label) for number, label in enumerate(_rules()[session])
        if (text := _framed(label["sentence"], _UNTRUE[number % len(_UNTRUE)]))
    ]  # fmt: skip
    assert framed
    assert _offered(session, framed[:: max(1, len(framed) // examples(20))]) == []


def test_what_only_says_that_a_sentence_is_a_rule_changes_no_offer() -> None:
    suggestions = Suggestions(language_of(_PLAIN))
    plain = [one for label in _rules()[_PLAIN] if (one := _framed(label["sentence"], "{}"))][: examples(6)]
    assert plain
    for number, sentence in enumerate(plain):
        framed = _TRUE[number % len(_TRUE)].format(sentence)
        assert [one.text for one in suggestions.of(framed)] == [one.text for one in suggestions.of(sentence)]


def _offered(session: str, texts: Sequence[tuple[str, dict[str, Any]]]) -> list[tuple[str, str]]:
    """The offers for sentences that are what their labels meant before."""
    language = language_of(session)
    suggestions = Suggestions(language)
    offered: list[tuple[str, str]] = []
    for text, label in texts:
        meant = (label["meaning"], *label.get("also", ()))
        before = {normal(tree) for one in meant for tree in language.read(one)}
        around = "\n".join((label.get("heading", ""), *label.get("neighbours", ())))
        offered += [(text, one.text) for one in suggestions.of(text, around) if normal(one.tree) in before]
    return offered
