"""Clauses follow the rules that differ: of these tools alone as of the whole policy."""

from __future__ import annotations

import pytest

from tests.language.read_back import SESSIONS, language_of
from workbench.language import own_clauses
from workbench.language.kept_sentence import with_sentence
from workbench.language.own_clauses import in_step
from workbench.language.trees import FALSE, TRUE, Tree


def _whole(before: str, after: str, **_: bool) -> tuple[str, str]:
    return before, after


@pytest.mark.parametrize("session", SESSIONS)
def test_clauses_of_a_new_rule_follow_in_the_part_as_in_the_whole(
    session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = language_of(session)
    before = in_step(language, language.source, language.source)
    for form, condition in (("forbid", TRUE), ("permit", TRUE), ("forbid", FALSE)):
        for name in language.types.calls:
            tree: Tree = ("call", form, condition, ("name", name))
            kept = with_sentence(language, tree, "R99: A new rule.", before)
            by_part = in_step(language, kept.policy, before, [kept.name])
            with monkeypatch.context() as patch:
                patch.setattr(own_clauses, "differing_parts", _whole)
                assert by_part == in_step(language, kept.policy, before, [kept.name])
            assert kept.name in by_part
