"""Words that reverse or restrict a sentence: a reading without one of them may be the contrary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.author.rules.modal_words import (
    ALLOWING,
    CONDITION_PHRASES,
    CONDITIONS,
    DEMANDING_VERBS,
    FORBIDDING,
    MODAL_VERBS,
    NEGATIONS,
    REMOTE_MODAL_VERBS,
    RESTRICTIONS,
    any_of,
)

_NEGATIONS = (
    rf"{any_of(NEGATIONS | FORBIDDING)}|non|un(?=-)|lack\w*|minus|"
    r"forb\w+|prohibit\w*|disallow\w*|den(?:y|ies|ied)|refus\w+|reject\w*|block\w*|ban(?:s|ned)?|barred|exclu\w+|"
    r"exempt\w*|stop|abort|avoid\w*|refrain\w*|taboo|off[\s-]limits|closed|restrict\w*|prevent\w*|declin\w+|"
    r"fails?|failed|against|contrary|opposite|illegal|invalid|false|fake|former|ex|alleged|pseudo"
)
_DUTIES = (
    rf"{any_of(MODAL_VERBS | REMOTE_MODAL_VERBS | DEMANDING_VERBS | ALLOWING | RESTRICTIONS)}|"
    r"will|would|ought|needed|supposed|expected|allow\w*|permi\w+|requir\w*|just|alone|always|limit\w*|"
    r"reserved|accept\w*|mandatory|compulsory|necessary|essential|obliged|entitled|eligible|confirm\w*|consent\w*|approv\w*|"
    r"verif\w+|ask\w*|ensure\w*|had to"
)
_CONDITIONS = (
    rf"{any_of(CONDITIONS | CONDITION_PHRASES)}|"
    r"except\w*|when\w*|where\w*|till|before\w*|after\w*|since|during|provided|as (?:soon|far) as|other than|"
    r"apart from|instead|but|otherwise|else|however|"
    r"although|though|who|whose|whom|that|which|with|for|by|from|via|through|because|depending|according|"
    r"subject to|regardless|even|then|than|"
    r"such|so|whatever|like|unlike|about|among|between|outside|inside|within|per"
)
_QUANTITIES = (
    r"at (?:least|most)|at the (?:latest|earliest)|up to|more|less|fewer|most|least|over|under|above|"
    r"below|beyond|older|younger|earlier|later|bigger|larger|smaller|higher|lower|exceed\w*|max\w*|min|minimum|exactly|"
    r"about|around|roughly|nearly|almost|half|twice|double|triple|thrice|single|many|much|few|several|some|any|"
    r"each|every|all|both|either|another|others?|same|different|own|enough|total\w*|altogether|together|"
    r"combined|first|last|second|third|next|previous\w*|further|again|also|too|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|dozen|hundred|thousand|million|percent|partial\w*|whole|entire|rest|remaining|new|newest|"
    r"\d\S*|[$€£%]"
)
_TIMES = (
    r"times?|seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|daily|weekly|hourly|monthly|yearly|"
    r"annual\w*|today|tomorrow|yesterday|tonight|now|ago|old|recent\w*|already|yet|still|soon|immediate\w*|"
    r"mornings?|afternoons?|evenings?|nights?|noon|midnight|weekends?|weekdays?|\w+days?|holidays?|session\w*|"
    r"conversations?|runs?|rarely|seldom|hardly|barely|scarcely|often|sometimes|usually|mostly|normally|"
    r"generally|occasionally|frequently|repeatedly|temporar\w+|permanent\w*|maybe|perhaps|probabl\w+|possibly|"
    r"likely|apparently|preferabl\w+|ideally"
)
_ANY = "|".join((_NEGATIONS, _DUTIES, _CONDITIONS, _QUANTITIES, _TIMES))
TURNING = re.compile(
    rf"(?<![\w-])(?:{_ANY})(?![\w-])|[()\[\]]|\bnon-",
    re.I,
)
"""Any word that negates, permits, demands, conditions, excepts, compares, counts or dates."""
_NARROWS = re.compile(
    rf"(?<![\w-])(?:{_CONDITIONS}|without|only|at (?:least|most)|more|less|fewer|over|under|above|below)"
    r"(?![\w-])|[(),:;]",
    re.I,
)
_COUNTS = re.compile(r"(?:\d[\d.,]*|[$€£%]|\b(?:no|more|less|fewer|any|many))\s*$", re.I)
_BEGINS_WITH_CONDITION = re.compile(
    r"^\W*(?:please\s+)?(?:if|unless|when\w*|until|before|after|once|while|for)\b", re.I
)


def turns(text: str) -> bool:
    """Whether a text contains a word that reverses or restricts it."""
    return TURNING.search(text) is not None


def turning_spans(text: str) -> Iterator[tuple[int, int]]:
    """The places of all words that reverse or restrict a text."""
    return (match.span() for match in TURNING.finditer(text))


def can_be_left_out(text: str, start: int, word: str) -> bool:
    """Whether a sentence without a word cannot mean the contrary.

    It can if the word reverses the sentence, belongs to a condition, an exception or a restriction, or is the
    noun of a count.
    """
    before = text[:start]
    return not (
        turns(word)
        or _NARROWS.search(before) is not None
        or _COUNTS.search(before) is not None
        or _BEGINS_WITH_CONDITION.search(text) is not None
    )
