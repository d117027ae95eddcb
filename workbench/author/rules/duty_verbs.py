"""Verbs that state a prohibition or permission, if the agent has an action of the same name."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.author.rules.normal_spelling import normalised
from workbench.author.rules.sentences import sentence_tokens
from workbench.author.rules.words import split_words, stem, word_set

_VERBS = frozenset(
    map(
        stem,
        word_set(
            "denied banned blocked rejected refused excluded accepted permitted allowed forbidden prohibited "
            "disallowed prevented stopped deny block refuse reject forbid prohibit disallow allow permit "
            "stop prevent abort"
        ),
    )
)
_SAYING = frozenset(["IS_FORBIDDEN", "IS_ALLOWED", "IS_ONLY_ALLOWED", "FORBIDDEN_TO"])
_COMMANDING = frozenset(["DENY", "ALLOW"])


def acting_duty_verb(text: str, actions: Iterable[str]) -> tuple[str, str] | None:
    """The verb of prohibition or permission that is in an action's name, with that action; else None.

    “Users are blocked” states a prohibition, or means the effect of ``block_user``.
    """
    acting = {stem(word): action for action in reversed([*actions]) for word in split_words(action)}
    if not _VERBS & set(acting):
        return None
    tokens = sentence_tokens(normalised(text))
    for place, token in enumerate(tokens):
        before = [earlier_token.type for earlier_token in tokens[max(0, place - 2) : place]]
        said_of = before[-1:] == ["COPULA"] or before == ["MUST", "BE"]
        if token.type in _SAYING or (token.type in _COMMANDING and not place) or said_of:
            for word in token.split():
                if stem(word) in _VERBS & set(acting):
                    return word, acting[stem(word)]
    return None
