"""Defects of policies of calls that the written histories have to find; see ``test_written_histories``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

import pytest

from workbench.app import clause_findings, rewording, said_cases, term_answers
from workbench.language import own_clauses
from workbench.language.language import Language
from workbench.language.own_clauses import OwnClause


def _rule_without_clause(patch: pytest.MonkeyPatch) -> None:
    in_step = own_clauses.in_step

    def forgetful(
        language: Language, source: str, before: Mapping[str, OwnClause], new: Collection[str] = ()
    ) -> str:
        text = in_step(language, source, before, new)
        for name in new:
            text = re.sub(rf"(?ms)^def {own_clauses.OF_RULE}{name}\(.*?(?=^def |\Z)", "", text)
        return text

    patch.setattr(own_clauses, "in_step", forgetful)


def _answer_without_effect(patch: pytest.MonkeyPatch) -> None:
    def nothing(_language: object, source: str, _effect: object, **_: object) -> tuple[str, frozenset[str]]:
        return source, frozenset()

    patch.setattr(term_answers, "with_effect", nothing)


def _old_rule_stays(patch: pytest.MonkeyPatch) -> None:
    def kept(source: str, *_: object) -> str:
        return source

    patch.setattr(rewording, "_without", kept)


def _lost_sentence_untold(patch: pytest.MonkeyPatch) -> None:
    def nothing(_requirements: object) -> tuple[()]:
        return ()

    patch.setattr(clause_findings, "_citations", nothing)


def _cases_stay(patch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> None:
        return

    patch.setattr(said_cases, "set_cases_of", nothing)


WRITTEN_DEFECTS: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a kept sentence is a rule without a clause": _rule_without_clause,
    "an answer is stored and changes no rule": _answer_without_effect,
    "a sentence that is said again keeps its old rule": _old_rule_stays,
    "a rule of a sentence that is gone is not told": _lost_sentence_untold,
    "the cases of a sentence stay when it is said otherwise": _cases_stay,
}
