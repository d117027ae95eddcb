"""What is found of the rules of a policy is kept over its edits, and is what is found anew."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.clarify.written.test_questions_beside_other_rules import CODE, CODE_OTHERS, CODE_RULES, rules_of
from workbench.clarify.written import Book, asked_of
from workbench.files.kept_texts import KeptText, KeptTexts

_EDITS = 6
_RULES = (*CODE_RULES.values(), *CODE_OTHERS.values())


def _asked(book: Book) -> list[object]:
    return [(one.question, dict(one.effects), one.about, one.calls) for one in asked_of(book)]


def test_questions_after_each_of_some_edits_are_those_of_a_search_from_scratch() -> None:
    chance, kept = random.Random(5), KeptText(KeptTexts("what is found after edits"), "")
    rules = chance.sample(_RULES, 4)
    for _ in range(_EDITS):
        assert _asked(replace(rules_of(CODE, *rules), kept=kept)) == _asked(rules_of(CODE, *rules))
        rules[chance.randrange(len(rules))] = chance.choice([one for one in _RULES if one not in rules])
