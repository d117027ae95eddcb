"""What tools do, by the words of their names and descriptions, and which of them do the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from workbench.clarify.written.acts import ALIKE, IRREGULAR, SCALES, act
from workbench.clarify.written.attacked import Attacked, words_of
from workbench.clarify.written.book import Book
from workbench.dialect.call_fields import CallType
from workbench.runs.extract.tool_effects import ToolEffect, effect_of
from workbench.runs.values.name_words import RECIPIENTS

_FROM = frozenset(("source", "src", "from", "old", "origin"))
TO = frozenset(("destination", "dest", "dst", "to", "new", "output", "link", "into", "name"))
LINKS = frozenset(("link", "symlink", "hardlink", "alias", "shortcut", "mount", "junction", "bind"))
WHERE_IT_RUNS = frozenset(("cwd", "pwd", "workdir", "working"))
WRITING = act("writing")
READING = act("reading")
DELETING = act("deleting")
SEARCHING = act("searching")
SHARING = act("sharing")
GIVING_OUT = act("giving_out")
MOVING = act("moving")
COPYING = act("copying")
CHANGING = act("changing")
"""What a tool does that leaves files otherwise than they were."""
ALTERING = act("altering")
"""What a tool does that leaves a thing otherwise than it was."""
SENDING = act("sending")
_DOWNLOADING = act("downloading")
_FETCHING = act("fetching")
_POSTING = act("posting")
_QUERYING = act("querying")
ANY = frozenset[str]()
ADDRESSEES = RECIPIENTS - {"email", "member"} | {"forward", "redirect"}
"""Words of fields to whose address something goes, whatever the tool is called."""
type Ways = Sequence[tuple[str, frozenset[str], Sequence[tuple[frozenset[str], frozenset[str]]], str]]
WAYS: Ways = (
    ("path", DELETING, ((DELETING, frozenset()), (MOVING, _FROM)), "takes it away too"),
    ("path", MOVING, ((MOVING, _FROM), (DELETING, frozenset())), "takes it away too"),
    ("path", WRITING, ((WRITING, frozenset()), (COPYING | MOVING, TO)), "writes there too"),
    ("path", COPYING, ((WRITING, frozenset()), (COPYING | MOVING, TO)), "writes there too"),
    (
        "path",
        READING | SHARING | SEARCHING,
        ((READING | SHARING, frozenset()), (COPYING | MOVING, _FROM)),
        "gives out what is in it too",
    ),
    (
        "mail_address",
        SENDING,
        ((SENDING | SHARING, frozenset()), (ANY, ADDRESSEES)),
        "gives that address something too",
    ),
    ("url", _POSTING, ((_POSTING, frozenset()),), "sends there too"),
    ("url", _DOWNLOADING | _FETCHING, ((_DOWNLOADING | _FETCHING, frozenset()),), "loads from there too"),
    ("sql", _QUERYING, ((_QUERYING, frozenset()),), "runs it too"),
)
"""What tools do with a value of a kind, by the words of their names, and tools that do it too.

Of a tool with several fields of the kind those count that have one of the words. Such a field tells it of
any tool that does not only read.
"""
STRONGER: Ways = (
    (
        "path",
        READING | SHARING | SEARCHING,
        ((WRITING | DELETING, frozenset()),),
        "does more to such a file than read it",
    ),
    (
        "path",
        WRITING,
        ((DELETING, frozenset()), (MOVING, _FROM)),
        "does more to such a file than write it",
    ),
)
"""What tools do, and tools that do more with the same value."""


def forms_of(word: str) -> Iterator[str]:
    """Yield a word for an act as sentences and states have it: “closes”, “closed”, “closing”."""
    bare = word[:-1] + "i" if word.endswith("y") and word[-2:-1] not in "aeo" else word.removesuffix("e")
    yield from (word, f"{word}s", f"{word}es", f"{bare}es", f"{bare}ed", f"{word.removesuffix('e')}ing")
    yield from (f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")
    yield from filter(None, [IRREGULAR.get(word)])


_BASES = {
    form: word
    for row in ALIKE
    for word in sorted(row[0] | row[1], key=len, reverse=True)
    for form in forms_of(word)
}
_ACTS_OF_NAMES = frozenset[str]().union(*(names for names, _ in ALIKE))


_ROWS_OF_NAMES: dict[str, set[int]] = {}
_ROWS_OF_VALUES: dict[str, set[int]] = {}
for _at, (_names, _values) in enumerate(ALIKE):
    for _word in _names | _values:
        _ROWS_OF_VALUES.setdefault(_word, set()).add(_at)
    for _word in _names:
        _ROWS_OF_NAMES.setdefault(_word, set()).add(_at)


def base_of(word: str) -> str:
    """The word for an act of which a word is a form; another word as it is."""
    return _BASES.get(word, word)


def names_act(word: str) -> bool:
    """Whether a word of the name of a tool is for an act."""
    return word in _ACTS_OF_NAMES


def same_act(words: Iterable[str], others: Iterable[str], *, of_values: bool = False) -> bool:
    """Whether words have one for an act that comes to the same as one of others."""
    rows = _ROWS_OF_VALUES if of_values else _ROWS_OF_NAMES
    own = {row for word in words for row in rows.get(base_of(word), ())}
    return any(row in own for word in others for row in rows.get(base_of(word), ()))


def is_more(value: str, closed: Collection[str]) -> bool:
    """Whether a value of a choice has a word further up on a scale than one of some closed values."""
    own, theirs = _word_of_scale(value), {*map(_word_of_scale, closed)}
    return any(
        own in scale and any(each in scale and scale.index(each) < scale.index(own) for each in theirs)
        for scale in SCALES
    )


def _word_of_scale(value: str) -> str:
    return re.sub(r"[^a-z0-9]", "", value.casefold())


_UNDOING = act("undoing")
"""Words for undoing; what is unlocked is opened."""
KNOWN = frozenset[str]().union(LINKS, SEARCHING, *(does for _, _, ways, _ in WAYS for does, _ in ways))


def undoing(words: Iterable[str]) -> frozenset[str]:
    """The words of a tool's name that undo what another one does."""
    return _UNDOING.intersection(words)


_THINGS = frozenset(("scan", "print", "post", "mail", "email", "message", "copy", "link", "alias", "mount"))
"""Words for things to which the first word of a tool's name says what is done."""


def words_of_acts(book: Book, other: CallType) -> frozenset[str]:
    """The words for what a tool does: of its name, or of its description where that does not say it."""
    first, *rest = words_of(other.tool) or ("",)
    words = frozenset((first, *rest)) - (_THINGS - {first} if first in KNOWN else frozenset())
    tool = book.tools[other.tool]
    if words & KNOWN or effect_of(tool).reads:
        return words
    described = words_of(tool.description.partition(".")[0])
    return words.union(described, *({one.removesuffix("s"), one.removesuffix("es")} for one in described))


def act_of(tool: str) -> str:
    """The first word for an act in the name of a tool; else its first word."""
    words = words_of(tool) or ("",)
    return next((word for word in words if names_act(base_of(word))), words[0])


def effect_of_tool(attacked: Attacked, name: str) -> ToolEffect:
    """What the tool of a name does, as far as its name and description say it."""
    return effect_of(attacked.book.tools[name])


def open_tools(attacked: Attacked) -> Iterator[CallType]:
    """Yield the tools that do not only read, and of which no rule speaks."""
    spoken = attacked.book.rules_by_class
    for name, other in attacked.book.language.types.calls.items():
        if not spoken.get(name) and not effect_of_tool(attacked, other.tool).reads:
            yield other


def acts_alike(attacked: Attacked, other: CallType) -> bool:
    """Whether two tools both read, or neither of them surely does."""
    reads = [effect_of_tool(attacked, name).reads for name in (attacked.tool, other.tool)]
    return reads[0] is reads[1] or (reads[0] and {*words_of(other.tool)} & GIVING_OUT != set())
