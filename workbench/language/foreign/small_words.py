"""Closed tables of small words that say how the words around them stand to each other."""

from __future__ import annotations

from workbench.language.vocabulary import words_named
from workbench.language.words import MONTHS

PEOPLE = words_named("people")
CONSENT = words_named("consent")
ENDS_OF_CLAUSE = frozenset((",", ";", ":", "—", "–"))
GOING_ON = ENDS_OF_CLAUSE | {"and", "so", "or"}
WHICH_PEOPLE = (("in",), ("from",), ("of",), ("with",), ("who",))
MONTH_NAMES = frozenset(map(str.casefold, MONTHS))
NAMED_TIMES = frozenset(("noon", "midday", "midnight"))
DURING = (("in",), ("within",), ("per",), ("every",))
BEHIND = words_named("copulas") | {"are", "at", "tops"}
JOINTS = frozenset((",", "and", "or", "nor"))
IN_ROWS = JOINTS | {"no", "a", "an", "the", "to"}
DEFINITE = (("the",), ("a",), ("each",), ("every",))
GO_BY = words_named("go_by")
LATELY = frozenset(("last", "past", "next", "previous", "coming"))
AWAY = GO_BY | {
    "ago",
    "ahead",
    "before",
    "after",
    "prior",
    "earlier",
    "later",
    "old",
    "older",
    "must",
    "have",
}
PER = frozenset(("a", "an", "per", "each", "every"))
HAVING = words_named("having")
PREDICATIVE = frozenset(("required", "needed", "necessary", "mandatory", "compulsory", "obligatory"))
KEEPING = frozenset(("keep", "keeps"))
HELD = frozenset(("the", "their", "its", "his", "her"))
DOING = frozenset(("do", "don't", "does", "doesn't"))
PRONOUNS = frozenset(("it", "they", "he", "she", "this", "that", "these", "those", "one", "you", "we"))
MODALS = frozenset(("may", "can", "must", "should", "shall"))
CLAUSES = frozenset((",", ";", ":", "—", "–", ".", "and", "but"))
BORDERS = frozenset((",", ";", ":", "and", "or", "but", "if", "when", "unless", "must", "may", "should"))
"""What ends the clause of a word."""
PREPOSITIONS = (("of",), ("to",), ("for",), ("from",), ("in",), ("with",), ("by",), ("at",), ("on",))
CONTRASTS = (("not", "the"), ("not", "a"), ("not", "an"), ("not", "one"), ("not", "those"))
SOME = (("a",), ("an",), ("any",), ("no",))
ALL = frozenset(("every", "all", "any", "each", "no"))
EVERYBODY = ALL | frozenset(("everybody", "everyone", "anybody", "anyone", "everything", "anything"))
NEEDLESS = words_named("needless")
STAYING = words_named("staying")
PLACES = frozenset(("in", "inside", "here", "there", "where", "at"))
STATES_KEPT = words_named("states_kept")
DEMANDING = frozenset(("must", "should", "shall", "has", "have", "to", "always", "be", "is", "are"))
ARTICLES = frozenset(("a", "an", "the", "no", "any", "each", "every"))
LEADING = frozenset(
    ("after", "once", "except", "unless", "apart", "without", "if", "when", "outside", "before", "until")
)
"""The first words of what stands before a comma, and is said of what follows."""
VERBS = frozenset(("is", "are", "may", "must", "can", "gets", "needs", "goes"))
NAMELESS = frozenset(("it", "they", "nobody", "nothing", "he", "she"))
BEGINNING = frozenset(("the", "a", "an", "no", "nobody", "nothing", "it"))
DENIALS = words_named("denials")
RELATIVE = frozenset(("that", "which", "who", "whose"))
PRESENT = frozenset(("is", "are", "isn't", "aren't"))
COPULA = (("is",), ("are",), ("be",), ("remains",), ("remain",))
PAST = frozenset(("was", "were", "wasn't", "weren't", "has", "have", "had", "hasn't", "haven't", "hadn't"))
TELLING = frozenset(("after", "once", "if", "when", "whenever", *RELATIVE))
OF_MAIN_CLAUSE = frozenset(
    ("it's", "then", "nothing", "nobody", "no", "may", "must", "can", "cannot", "should")
)
LIMITING = frozenset(("no", "not", "at"))
CAPS = frozenset(
    ("max", "max.", "maximum", "maximally", "cap", "capped", "ceiling", "limit", "limited", "tops")
)
LIMITING_BUT = frozenset(("not", "no", "never", "at", "only"))
COPULAS = words_named("copulas")
RUN = words_named("run")
EXCEPTING = frozenset(("unless", "except", "apart", "but", "save", "barring", "exception"))
ENDS = ENDS_OF_CLAUSE | {"then"}
"""What ends a condition that an "if" begins."""
