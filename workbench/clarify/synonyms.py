"""Lists of everyday verbs and nouns with the same sense: “borrow” and lend, “meeting” and event."""

from __future__ import annotations

from workbench.author.rules.words import stem, word_set

_SENSES = (
    "send mail email message text write notify forward contact post publish announce tell inform go",
    "delete remove erase drop wipe discard",
    "cancel revoke withdraw",
    "create make add schedule plan arrange open file start raise submit",
    "book reserve",
    "update change modify edit alter adjust",
    "get look read fetch view see show find check lookup retrieve open inspect access display",
    "search find browse look query",
    "list show see view browse look read get",
    "order buy purchase",
    "lend borrow loan",
    "refund reimburse repay",
    "issue give grant make pay",
    "pay transfer send wire move remit go",
    "charge bill demand collect",
    "block lock freeze suspend disable",
    "unblock unlock enable",
    "deploy ship release roll install",
    "restart reboot bounce",
    "run execute start launch use",
    "share give pass disclose send go",
    "scale resize set",
    "assign allocate give",
    "upload put store save",
    "download fetch get",
    "renew extend prolong",
    "invite ask add",
    "hire employ recruit",
    "close end shut finish",
    "approve accept confirm",
    "print output",
    "translate convert",
    "rate review score",
)
_NOUNS = (
    "event meeting appointment",
    "email mail message",
    "sms text",
    "taxi cab ride",
    "order purchase",
    "file document",
    "picture image photo",
    "ticket issue",
    "flight trip",
    "payment transfer",
)
"""Nouns with the same sense for the object of a tool."""
_BY_SENSE = tuple(frozenset(map(stem, words.split())) for words in _SENSES)
_SAME_NOUNS = tuple(frozenset(map(stem, words.split())) for words in _NOUNS)
_ANY_SENSE = frozenset(map(stem, word_set("be happen occur make do get perform")))
"""Verbs that say of the object of any action that the action is done: “refunds may happen”."""


def in_any_sense(verb: str) -> bool:
    """Whether a verb says of any object that its action is done: “refunds may happen”."""
    return stem(verb) in _ANY_SENSE


def of_same_sense(verb: str, other: str) -> bool:
    """Whether two verbs have the same sense by the lists."""
    return any(stem(verb) in sense and stem(other) in sense for sense in _BY_SENSE)


def names_the_same(word: str, other: str) -> bool:
    """Whether two words name the same thing by the lists: “meetings” and events."""
    return stem(word) == stem(other) or any({stem(word), stem(other)} <= nouns for nouns in _SAME_NOUNS)


def with_same_nouns(stems: frozenset[str]) -> frozenset[str]:
    """The stems of words, and of all nouns that name the same as one of them."""
    return stems.union(*(nouns for nouns in _SAME_NOUNS if nouns & stems))
