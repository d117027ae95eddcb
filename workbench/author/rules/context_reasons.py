"""The reasons why an unread sentence is not context: a word of duty, permission or command, or a tool's name.

A question is asked about every sentence that may state a rule. A sentence is context only if it has none of
these words.
"""

from __future__ import annotations

import re

from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.modal_words import (
    ALLOWING,
    DEMANDING_VERBS,
    FORBIDDING,
    MODAL_VERBS,
    NEGATIONS,
    REMOTE_MODAL_VERBS,
    RESTRICTIONS,
    any_of,
)
from workbench.author.rules.words import ARTICLES, split_words, stem, word_set

# Why a sentence is context; a person's answer and a heading are further reasons.
NO_RULE = "no word of duty, permission or command, and no tool's name"
HEADING = "a heading without a word of duty or permission"
LEAD_IN = "it leads in what follows"
TOLD = "a person said so"

_DEONTIC = re.compile(
    rf"\b({any_of(MODAL_VERBS | REMOTE_MODAL_VERBS | DEMANDING_VERBS | NEGATIONS | RESTRICTIONS)}|"
    rf"{any_of(ALLOWING | FORBIDDING)}|ought|needed|had to|(?:is|are|be) to|supposed|expected|"
    r"allow\w*|permi\w+|forb\w+|prohibit\w*|den(?:y|ies|ied)|disallow\w*|restrict\w*|requir\w*|limit\w*|"
    r"unless|until|except\w*|exclu\w+|exempt\w*|apart from|other than|ban|banned|bans|block\w*|refus\w*|"
    r"reject\w*|closed|clear of|off limits|off-limits|reserved|stays? with|left to|always|ensure\w*|"
    r"avoid\w*|refrain\w*|confirm\w*|consent\w*|authori[sz]\w*|entitled|eligible|responsible|oblig\w+|"
    r"dut(?:y|ies)|mandatory|compulsory|necessary|essential|strict\w*|enough|at least|at most|up to|"
    r"maximum|minimum|max|min|exceed\w*|(?:more|less|fewer|older|younger|later|earlier|bigger|larger) "
    r"than|bigger ones|\d+ days?|within|before|after|if|when|whenever|as soon as|as long as|otherwise|"
    r"access|approv\w*|verif\w+|ask|make sure|be sure|have a look|look out|stop|abort|beware|careful\w*|"
    r"keep|protect\w*|secret\w*|disclose|share|shared|harmless|plenty|"
    r"(?:open|free|available|welcome) (?:to|for)|at liberty|"
    r"please|let['’]?s|do not|by hand|done by|the same)\b"
    r"|[$€£]\s?\d|\d\s?(?:dollars?|euros?|pounds?|eur|usd|%)",
    re.I,
)
# A heading that is a question itself: “What the agent may do”, “Support desk: what it may do”.
_ASKING_HEADING = re.compile(r"(?:^|:\s+)(?:who|what|which|how|where)\b", re.I)
# Words that begin a statement: the words after them are no command.
_NO_COMMAND = word_set(
    "i we you he she it they there here what who which whose this that these those my our your his her its "
    "their in on at by for from to with of as since because so and or but then also now some many most all "
    "each every any both several other others everything everybody everyone somebody someone is are was were "
    "has had will"
)
# After a command comes its object.
_COMMAND_GOES_ON = re.compile(
    r"^(?:and\s+|then\s+|also\s+)?(?P<verb>[a-z]+)\s+"
    r"(?:the|an?|any|all|each|every|both|your|our|their|his|her|its|it|them|this|that|these|those|to|only|up|out|"
    r"off|down|back|for|with|on|at|in)\b",
    re.I,
)
# Names of tools that only look something up begin with these.
_LOOKS = frozenset(
    map(stem, word_set("get list search find read look fetch query describe show check estimate"))
)


def may_state_a_rule(text: str, lexicon: Lexicon) -> str:
    """The words because of which a sentence may state a rule; empty if it has none."""
    if deontic := _DEONTIC.search(text):
        return deontic.group()
    return _command(text) or next(iter(named_tools(text, lexicon)), "")


def heads_only(text: str) -> bool:
    """Whether a heading states no rule itself: it has no word of duty, or is a question."""
    return _DEONTIC.search(text) is None or _ASKING_HEADING.search(text) is not None


def _command(text: str) -> str:
    """The verb of a command at the beginning of a text; empty if there is none."""
    match = _COMMAND_GOES_ON.match(text)
    if match is None:
        return ""
    verb = match["verb"].lower()
    noun = verb.endswith(("s", "ed", "ing", "tion", "ment", "er"))
    return "" if noun or verb in _NO_COMMAND | ARTICLES else match["verb"]


def named_tools(text: str, lexicon: Lexicon, *, acting: bool = False) -> tuple[str, ...]:
    """The tools that a text names, by the words of their names or by the objects that only acting tools have.

    With ``acting``, only the tools that do more than look something up.
    """
    action = lexicon.action()
    stems = {stem(word) for word in split_words(text)}
    tools: list[str] = []
    for tool in action.type.values if action is not None else ():
        verb, *object_stems = [stem(word) for word in split_words(tool)] or [""]
        acts = verb not in _LOOKS
        if set(object_stems) <= stems and (verb in stems or (object_stems and acts)) and (acts or not acting):
            tools.append(tool)
    return tuple(tools)
