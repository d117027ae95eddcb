# ruff: noqa: E501 (a rewording is easier to read on one line than broken in two)
"""Sentences in other forms as the forms of the grammar: the same words, differently arranged.

Every rewording keeps the meaning. What it cannot rearrange stays as it is, and is then asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from workbench.author.rules.words import split_words, stem

NUMBER_WORDS = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"],
        [*range(1, 11), 12],
        strict=True,
    )
)
_BOUND = r"(?:at most|at least|no more than|not more than|more than|less than|fewer than|up to|within|exactly|a maximum of|over|above|under|below)"
_MOMENT = r"(?:\d{1,2}:\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|noon|midnight|\d{4}-\d{2}-\d{2}|\d+)"
_SPAN = r"(?:day|week|month|year|hour|minute|task|run|session|conversation|trace|chat)"
_WINDOW = rf"(?:(?:per|an?|each|every|within an?|within one|in an?|in one|in any)\s+{_SPAN}|daily|weekly|monthly|hourly)"
# What is counted by number: a noun that is no measure, perhaps with words before it.
_MEASURE = r"(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?|hours?|minutes?|seconds?|days?|weeks?|months?|years?|times?|instances?|percent|[KMGT]i?B|bytes?|characters?|words?|lines?)"
_COUNTED = rf"(?!{_MEASURE}\b)((?:[a-z][\w-]*\s+){{0,2}}?(?!{_MEASURE}\b)[a-z][\w-]*)"
_MONEY = r"(?:[$€£]\s?\d[\d.,]*|\d[\d.,]*\s?(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?))"
_PREPOSITION = r"(?:by|for|to|in|on|during|between|with|from|within|at|under|inside|before|after|if|when)"
_ASK = r"(?:always\s+)?(?:ask|get|obtain|request|require|seek)\s+(?:the\s+\w+\s+(?:for\s+)?|for\s+)?(?:their\s+|his\s+|an?\s+)?"


def _ordinal(found: re.Match[str]) -> str:
    """“A fourth X on the same day is not allowed” as “more than 3 X per day are forbidden”."""
    before = ["second", "third", "fourth", "fifth", "sixth"].index(found[1].lower()) + 1
    return f"more than {before} {found[2]} per {found[3]} are forbidden"


# (what is looked for, what it becomes), applied in this order, each at most once.
_FORMS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\be-mail", "email"),
    (r"\b(is|are|was|were|has|have|does|do|did)n['’]t\b", r"\1 not"),
    (r"\b(?:who|that|which)\s+(?:do|does|did)\s+not\s+have\b", "without"),
    (r"(\d)\s*%", r"\1 percent"),
    (r",?\s+(?:at\s+any\s+time|anytime)$", ""),
    (r"\b(is|are)\s+(only\s+)?possible\b", r"\1 \2allowed"),
    (r"\b(is|are)\s+(?:only\s+(?:allowed|permitted)|(?:allowed|permitted)\s+only)\s+((?:between|before|after|within|up\s+to)\s+\d.*)$", r"\1 only allowed if it is \2"),
    (r"\b(is|are)\s+(?:fine|ok|okay|acceptable)\b", r"\1 allowed"),
    (r"^it(?:['’]s|\s+is)\s+not\s+(?:fine|ok|okay|acceptable)\s+to\b", "never"),
    (r"\b(may|can)\b(?!\s*not\b)(.+?)\s+(?:freely|without\s+(?:any\s+)?restrictions?)$", r"\1\2"),
    (rf"^(.*\b(?:not|never|no|nobody|forbidden|prohibited)\b.*?),?\s+except\s+(?={_PREPOSITION}\s)(?!if\b|when\b|by\b|for\b)", r"\1 unless it is "),
    (r"^((?:(?!\b(?:may|can|must|shall|should|not|never|only)\b).)+?)\s+(?:needs?|requires?|must\s+have|ha(?:s|ve)\s+to\s+have)\s+(?!not\b|to\b|be\b|no\b)(.+?)\s+(?:for|to|before)\s+(\w+ing\b.*|(?!the\b|an?\b|be\b|have\b)(?<=to\s)\w+.*)$", r"\1 may \3 only with \2"),
    (r"^it(?:['’]s|\s+is)\s+(?:fine|ok|okay|acceptable|allowed|permitted)\s+to\b", "users may"),
    (rf"^the\s+(daily|weekly|monthly|hourly)\s+(?:limit|maximum)\s+is\s+(?=\d+\s+{_COUNTED}$)(.+)$", r"at most \2 \1"),
    (rf"^the\s+(?:limit|maximum)\s+is\s+(?=\d+\s+{_COUNTED}\s+{_WINDOW}$)(.+)$", r"at most \1"),
    # How many of a thing: as many times as it is done.
    (rf"^(?:(?:no|not) more than|at most|up to|only)\s+(\d+)\s+{_COUNTED}\s+({_WINDOW})$", r"\2 are forbidden more than \1 instances \3"),
    (rf"^(?:no|not) more than\s+(\d+)\s+{_COUNTED}\s+(?:may|can)\s+be\s+(?!made\b|performed\b|done\b)(\w+)\s+({_WINDOW})$", r"\2 may not be \3 more than \1 instances \4"),
    (rf"^(at most|up to|only)\s+(\d+)\s+{_COUNTED}\s+((?:may|can)\s+be\s+(?!made\b|performed\b|done\b)\w+)\s+({_WINDOW})$", r"\3 \4 \1 \2 instances \5"),
    (rf"\b((?:no |not )?more than|at most|up to|only)\s+(\d+)\s+{_COUNTED}\s+({_WINDOW})(?=\s*[,.]|\s+(?:is|are|if|unless|except|when)\b|$)", r"\3 \1 \2 instances \4"),
    (r"\b(may|can|(?:is|are)\s+(?:allowed|permitted)\s+to)\s+(do|use)\s+everything$", r"\1 \2 anything"),
    (r"\bup to and including\b", "at most"),
    (r"^(.*\b(?:not|never|no|cannot|forbidden|prohibited)\b.*?),?\s+(?:under any circumstances?|in any case|at all|whatsoever)$", r"\1"),
    (r"\b(is|are)\s+neither\s+((?:(?!\bnor\b).)+?)\s+nor\s+(.+?)(?=\s+(?:may|can|must|cannot)\b|,|$)", r"\1 not \2 and \1 not \3"),
    (r"\b(to|for|by|from|with)\s+both\s+(?=.+\band\b)", r"\1 "),
    (r"\bonly\s+once\s+(?=(?:the|a|an|it|they|he|she|all)\b)", "only if "),
    (r"\bonly\s+after\s+(?=(?:the\s+)?(?:user|customer|patient|manager|owner|admin)s?\s+(?:has\s+|have\s+)?\w+ed\b)", "only if "),
    (r"^only\s+(?:after|if|when|once)\s+(.+?)\s+(may|can)\s+(.+?)\s+be\s+(\w+)$", r"\3 \2 be \4 only if \1"),
    (r"\b(is|are)\s+(?:granted|given|issued|paid out)\s+only\b", r"\1 allowed only"),
    (r"\b(?:is|are)\s+reserved\s+(?:to|for)\b", "is only allowed for"),
    (r"\b(?:is|are)\s+(?:forbidden|prohibited|not\s+(?:allowed|permitted))\s+(?:for|to)\s+(?:everyone|everybody|anyone|all)\s+(?:except|but|other\s+than)(?:\s+for)?\s+", "is only allowed for "),
    (r"\b((?:is|are)\s+(?:strictly\s+)?(?:forbidden|prohibited|not\s+(?:allowed|permitted)|never\s+allowed))\s+((?:on|at|during|between|before|after|outside|with|without)\s+.+)$", r"\1 if it is \2"),
    (rf"\boutside\s+(?:of\s+)?(?:the\s+hours\s+)?(?:of\s+|from\s+|between\s+)?({_MOMENT})\s+(?:to|and|until|till)\s+({_MOMENT})", r"not between \1 and \2"),
    (rf"\b(?:from|during)\s+({_MOMENT})\s+(?:to|until|till)\s+({_MOMENT})", r"between \1 and \2"),
    (rf"^(between\s+{_MOMENT}\s+and\s+{_MOMENT}|(?:after|before)\s+{_MOMENT})(?:,\s*|\s+(?=(?:only|no|nobody|never|do|the|users)\b))(.+)$", r"if it is \1, \2"),
    (r"\ba limit of\b", "at most"),
    (r"\blater\s+than\s+(?=\d[\d,]*\s+\w+\s+after\b)", "more than "),
    # “Trips … at most 5 passengers each”: a call is about one of them.
    (r"\b((?:at most|at least|no more than|more than|exactly)\s+\d+\s+[a-z][\w -]*?)\s+(?:each|apiece)$", r"\1"),
    (r",\s*not even\b[^,]*$", ""),
    (r",?\s+or\s+if\s+(?:it|they|he|she)\s+(?=is|are|has|have)", " or "),
    (r"^nothing\s+(.*?)\s*\b(may|can|must|should)\s+(?!not\b|only\b)", r"no thing \1 \2 "),
    (r"^(.+?)\s+(?:is|are)\s+(?:only\s+for\s+(\w[^,]*)|for\s+(\w[^,]*?)\s+only)$", r"\1 is only allowed for \2\3"),
    (r"^(?:no|not)\s+more\s+than\s+(\d+)\s+(.+?)\s+(?:may|can)\s+be\s+(?:made|performed|done)\s+((?:per|a|each|every)\s+\w+)$", r"more than \1 \2 \3 are forbidden"),
    (r"^(?:once|after)\s+(?:an?|the|any)\s+(\w+)\s+(?:was|were|has\s+been|have\s+been)\s+(\w+),\s*", r"after having \2 a \1, "),
    (r"\bonly\b((?:(?!\bonly\b).)+?)\s+after\s+(?=(?:the\s+)?(?:user|customer|patient|manager|owner|admin)s?\s+(?:has\s+|have\s+)?\w+ed\b)", r"only\1 if "),
    (r"^on\s+(\w+)\s+(?=(?:only|no|nobody|never|do|the|users)\b)", r"if it is on \1, "),
    # "No refunds." / "No more than 3 X are allowed." / "X are limited to N."
    (r"^no\s+((?:(?!\b(?:may|can|must|shall|should|is|are|more|one|user)\b)[\w-]+\s*){1,8})$", r"\1 is forbidden"),
    (r"^(?:no|not)\s+more\s+than\s+(.+?)\s+(?:is|are)\s+(?:allowed|permitted)\b", r"more than \1 are forbidden"),
    (r"^(?:no|not)\s+more\s+than\s+(.+?)\s+(?:may|can|must|should)\s+be\b", r"more than \1 may not be"),
    (r"^(.+?)\s+(?:is|are|must be)\s+(?:limited|restricted|capped)\s+(?:to|at)\s+(?:at most\s+)?(?=[$€£\d])(.+)$", r"\1 of more than \2 are forbidden"),
    (r"\b(?:may|can)\s+(?:have|contain|include|hold)\s+(?=at most|up to|no more than|at least)", "must have "),
    (r"^(?:at most|up to)\s+(\d+)\s+(.+?)\s+(?:may|can)\s+be\s+(?:made|performed|done)$", r"more than \1 \2 are forbidden"),
    (r"\b(?:must|should|shall|have to)\s+(?:always\s+)?be\s+(?:blocked|denied|refused|rejected|prevented|stopped)\b", "are forbidden"),
    (r"^(?:stop|prevent|abort)\s+(?:any\s+|the\s+|all\s+)?", "block "),
    (r"^it\s+is\s+(?:strictly\s+)?(?:forbidden|prohibited|not\s+(?:allowed|permitted))\s+to\b", "never"),
    (r"\b(is|are)\s+(?:permitted|allowed)\s+to\s+(\w+)\s+only\b", r"may \2 only"),
    # What something must hold for, named first: "To V, X must be P".
    (r"^(?:in\s+order\s+)?to\s+(?!.*\b(?:if|unless|when|except)\b)(.+),\s+([^,]+?\s+(?:must|shall|should|has\s+to|have\s+to|needs?\s+to)\s+be\s+.+)$", r"\2 to \1"),
    # Who has to confirm before what.
    (rf"^{_ASK}(\w+)\s+before\s+(.+)$", r"\2 requires \1"),
    (r"^before\s+(.+),\s+(?:the\s+)?(?:user|customer|agent|assistant)\s+(?:has|have|needs?|must)\s+(?:to\s+)?(\w+)$", r"\1 requires \2"),
    (r"^(.+?)\s+(?:has|have|needs?|must)\s+(?:to\s+)?be\s+(\w+ed)\s+before\s+((?:\w+ing|any)\b.+)$", r"\3 requires \1 \2"),
    (r"^(.+?)\s+(?:always\s+)?(?:needs?|requires?)\s+the\s+(?:user|customer)\s+to\s+(\w+)$", r"\1 requires \2"),
    (r"\balways\s+(needs?|requires?)\b", r"\1"),
    # Who does what is done: "X may only be V-ed by Y", "X must be V-ed by Y", "X may be V-ed by Y only".
    (r"^(.+?)\s+(?:may|can)\s+only\s+be\s+(\w+)\s+by\s+(.+)$", r"only \3 may \2 \1"),
    (r"^(.+?)\s+(?:must|shall|should)\s+(?:only\s+)?be\s+(\w+)\s+by\s+(.+)$", r"only \3 may \2 \1"),
    (rf"^(.+?)\s+(?:may|can)\s+be\s+(\w+)\s+by\s+((?:(?!\b{_PREPOSITION}\b).)+?)\s+only$", r"only \3 may \2 \1"),
    (rf"^((?:(?!\b(?:may|can|must|shall|should)\b).)+?)\s+(?:is|are)\s+(\w+ed)\s+({_PREPOSITION}\s+.+?)\s+only$", r"\1 may be \2 only \3"),
    (r"\b(has|have)\s+access\s+to\s+(.+?)\s+only$", r"\1 access only to \2"),
    (rf"^(.+\b(?:may|can|is allowed|are allowed)\b.*?)\s+(?=((?:{_PREPOSITION})\s+(?:(?!\b{_PREPOSITION}\b).)+?)\s+only$)\2\s+only$", r"\1 only \2"),
    (r"^(\w+ing\b.+?)\s+(?:is|are)\s+(?:open|free)\s+to\s+(?:everyone|everybody|anyone|anybody|all)$", r"\1 is allowed"),
    (r"\b(?:should|shall)\s+not\b", "may not"),
    (r"\b(?:is|are)\s+(?:never|not)\s+to\s+be\b", "may not be"),
    (r"^(?:the\s+)?commands?\s+(?=\")", "commands "),
    (r"^((?:(?!\b(?:may|can|must)\b).)+?)\s+(?:is|are)\s+only\s+(?!allowed|permitted|forbidden)(\w+ed)\s+(?:when|if|while)\s+", r"\1 may be \2 only if "),
    (r"^(?:a|an|the)\s+(second|third|fourth|fifth|sixth)\s+(.+?)\s+(?:(?:on|in|within)\s+the\s+same|in\s+one|per|in\s+a)\s+(\w+)\s+(?:is|are)\s+(?:not\s+(?:allowed|permitted)|forbidden|prohibited)$", _ordinal),
    # An imperative with its restriction: "Transfer X only if C", "Edit files in src/ only".
    (r"^((?:(?!\b(?:may|can|must|shall|should|is|are|not|never|only|no|nobody|has|have|requires?|needs?|allow|permit|deny|block)\b).)+?)\s+only\s+(?:if|when)\s+(.+)$", r"never \1 unless \2"),
    (rf"^((?:(?!\b(?:may|can|must|shall|should|is|are|not|never|only|no|nobody|has|have|requires?|needs?|allow|permit|deny|block|{_PREPOSITION[3:-1]})\b).)+?)\s+({_PREPOSITION}\s+.+?)\s+only$", r"users may \1 only \2"),
    (r"^any\s+(\w+)\s+(?:but|except|other\s+than)\s+(.+?)\s+(may|can)\s+be\s+(\w+)\s+by\s+(.+)$", r"\5 \3 \4 any \1 but \2"),
    (r"^((?:never|do\s+not|don['’]t)\b.+?)\s+any\s+(\w+)\s+(?:but|except|other\s+than)\s+", r"\1 \2 not "),
    (r"\banything\s+(?:but|except|other\s+than)\b", "not"),
)  # fmt: skip
# Forms that supply what is only implied, tried where the sentence as it stands cannot be read.
_IMPLIED: tuple[tuple[str, str], ...] = (
    (rf"^(.+?)\s+(?:must|may|can|should|shall)\s*not\s+(?:exceed|be\s+(?:more|larger|higher|greater)\s+than)\s+({_MONEY})$", r"\1 of more than \2 are forbidden"),
    (rf"^the\s+(?:maximum|max|highest)\s+(?:amount\s+(?:of|for)\s+(?:an?\s+)?)?(.+?)(?:\s+amount)?\s+is\s+({_MONEY})$", r"\1 of more than \2 are forbidden"),
    (r"^(?:(?:an?|any|each|every)\s+)?(?:single|individual)\s+", ""),
)  # fmt: skip
_DUTY_VERB = re.compile(
    r"\b(?:is|are|(?:must|should|shall|(?:has|have|needs?)\s+to)(?:\s+always)?\s+be)\s+(?:(?:always|strictly)\s+)?"
    r"(?P<passive>denied|banned|blocked|rejected|refused|excluded|accepted|permitted|allowed|forbidden|prohibited|"
    r"disallowed|prevented|stopped)\b|^(?:please\s+)?"
    r"(?P<imperative>deny|block|refuse|reject|forbid|prohibit|disallow|allow|permit|stop|prevent|abort)\b",
    re.I,
)
_LIMIT = re.compile(
    rf"\b(?:an?\s+)?(max|min)(?:imum|\.)?(?:\s+of)?\s+(?=[$€£\d]|(?:{'|'.join(NUMBER_WORDS)})\b)", re.I
)
_QUOTES = re.compile(r"(?<=\s)'([^'\"]+)'(?=[\s,.;)]|$)")
_SLASH = re.compile(r"(?<![\w/.\\-])([A-Za-z-]+)/([A-Za-z-]+)(?![\w/.])")
_COMPILED = tuple((re.compile(form, re.I), becomes) for form, becomes in _FORMS)
_SUPPLYING = tuple((re.compile(form, re.I), becomes) for form, becomes in _IMPLIED)


def _limit(found: re.Match[str]) -> str:
    """“max. 5”, “a maximum of 5” as “at most 5”."""
    return "at most " if found[1].lower() == "max" else "at least "


@lru_cache(maxsize=4096)
def normalised(text: str) -> str:
    """The sentence on one line, with one way to write quotation marks, numbers and alternatives."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(".!;").strip()
    text = _SLASH.sub(r"\1 or \2", re.sub(r"\band/or\b", "or", _QUOTES.sub(r'"\1"', text), flags=re.I))
    return _numbers(_LIMIT.sub(_limit, text))


@lru_cache(maxsize=4096)
def reworded(text: str) -> str:
    """The sentence in a form of the grammar, where another form of it is known."""
    text = normalised(text)
    for form, becomes in _COMPILED:
        text = form.sub(becomes, text, count=1)
    return text


def acting_duty_verb(text: str, actions: Iterable[str]) -> tuple[str, str] | None:
    """The verb that says what is forbidden or allowed, where an action has it in its name, with that action.

    “Users are blocked” says what is forbidden, or what ``block_user`` does.
    """
    found = _DUTY_VERB.search(normalised(text))
    said = "" if found is None else found["passive"] or found["imperative"]
    named = (action for action in actions if said and stem(said) in map(stem, split_words(action)))
    return next(((said, action) for action in named), None)


@lru_cache(maxsize=4096)
def implied(text: str) -> str:
    """The sentence with what it only implies, where such a form is known: “refunds must not exceed 50 EUR”."""
    for form, becomes in _SUPPLYING:
        text = form.sub(becomes, text, count=1)
    return text


def _numbers(text: str) -> str:
    """Number words behind a bound as digits: “at most five”, “no more than once”."""

    def digits(match: re.Match[str]) -> str:
        return f"{match[1]} {NUMBER_WORDS[match[2].lower()]}"

    words = "|".join(NUMBER_WORDS)
    text = re.sub(rf"\b({_BOUND})\s+({words})\b(?!-)", digits, text, flags=re.I)
    text = re.sub(rf"\b({_BOUND})\s+once\b", r"\1 1 times", text, flags=re.I)
    return re.sub(rf"\b({_BOUND})\s+twice\b", r"\1 2 times", text, flags=re.I)
