"""What tools do, by the words of their names and descriptions, and which of them do the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.clarify.written.attacked import Attacked, words_of
from workbench.clarify.written.book import Book
from workbench.dialect.call_fields import CallType
from workbench.runs.extract.tool_effects import ToolEffect, effect_of
from workbench.runs.values.name_words import RECIPIENTS

_FROM = frozenset(("source", "src", "from", "old", "origin"))
TO = frozenset(("destination", "dest", "dst", "to", "new", "output", "link", "into", "name"))
LINKS = frozenset(("link", "symlink", "hardlink", "alias", "shortcut", "mount", "junction", "bind"))
WHERE_IT_RUNS = frozenset(("cwd", "pwd", "workdir", "working"))
WRITING = frozenset((
    "write", "create", "save", "edit", "append", "put", "update", "modify", "patch", "upload", "replace",
    "overwrite",
))  # fmt: skip
READING = frozenset(("read", "open", "view", "cat", "show", "get", "load", "fetch", "attach", "print"))
DELETING = frozenset(
    ("delete", "remove", "erase", "unlink", "trash", "purge", "discard", "rm", "wipe", "drop")
)
SEARCHING = frozenset(("search", "grep", "find", "scan"))
SHARING = frozenset((
    "access", "attach", "email", "export", "expose", "forward", "mail", "print", "publish", "reveal", "see",
    "send", "share", "upload", "visible",
))  # fmt: skip
GIVING_OUT = frozenset(("print", "export", "share", "show", "display", "download", "send", "forward"))
MOVING = frozenset(("move", "rename", "mv"))
COPYING = frozenset(("copy", "cp", "duplicate", "clone"))
CHANGING = WRITING | DELETING | MOVING | COPYING
"""What a tool does that leaves files otherwise than they were."""
ALTERING = CHANGING | {
    "add",
    "adjust",
    "amend",
    "assign",
    "change",
    "commit",
    "increase",
    "insert",
    "merge",
    "push",
    "raise",
    "reassign",
    "reopen",
    "replace",
    "set",
    "swap",
    "switch",
    "upgrade",
    "correct",
}
"""What a tool does that leaves a thing otherwise than it was."""
SENDING = frozenset(
    ("send", "forward", "reply", "share", "post", "invite", "mail", "email", "message", "notify", "publish")
)
_DOWNLOADING = frozenset(("download", "save"))
_FETCHING = frozenset(("fetch", "open", "browse", "visit", "navigate", "get", "load"))
_POSTING = frozenset(("post", "submit", "upload", "put", "send"))
_QUERYING = frozenset(("query", "sql", "execute", "run", "report", "select", "export"))
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
        ((WRITING | DELETING, frozenset()), (COPYING | MOVING, TO)),
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
ACTS = (
    frozenset((
        "pay", "transfer", "refund", "wire", "remit", "send", "donate", "charge", "issue", "payout",
        "reimburse", "compensate", "reward",
    )),
    frozenset(("book", "reserve", "order", "buy", "purchase", "rent")),
    frozenset(("sell", "ship", "deliver", "dispatch")),
    DELETING | MOVING, WRITING | COPYING, READING | SHARING | SENDING,
)  # fmt: skip
"""Words of tools for acts that come to the same, for a sentence which names one of them."""
_UNDOING = frozenset((
    "cancel", "close", "delete", "disable", "reject", "release", "remove", "reset", "restore", "return",
    "revoke", "stop", "undo", "withdraw",
    *(f"un{each}" for each in (
        "approve", "archive", "assign", "ban", "block", "delete", "follow", "freeze", "hide", "link", "mute",
        "pin", "publish", "register", "schedule", "share", "star", "subscribe", "suspend", "tag",
    )),
))  # fmt: skip
"""Words for undoing; what is unlocked is opened."""
KNOWN = frozenset[str]().union(LINKS, SEARCHING, *(does for _, _, ways, _ in WAYS for does, _ in ways))


def undoing(words: Iterable[str]) -> frozenset[str]:
    """The words of a tool's name that undo what another one does."""
    return _UNDOING.intersection(words)


def words_of_acts(book: Book, other: CallType) -> frozenset[str]:
    """The words for what a tool does: of its name, or of its description where that does not say it."""
    words = frozenset(words_of(other.tool))
    tool = next(tool for tool in book.agent.tools if tool.name == other.tool)
    if words & KNOWN or effect_of(tool).reads:
        return words
    described = words_of(tool.description.partition(".")[0])
    return words.union(described, *({one.removesuffix("s"), one.removesuffix("es")} for one in described))


def effect_of_tool(attacked: Attacked, name: str) -> ToolEffect:
    """What the tool of a name does, as far as its name and description say it."""
    return next(effect_of(tool) for tool in attacked.book.agent.tools if tool.name == name)


def acts_alike(attacked: Attacked, other: CallType) -> bool:
    """Whether two tools both read, or neither of them surely does."""
    reads = [effect_of_tool(attacked, name).reads for name in (attacked.tool, other.tool)]
    return reads[0] is reads[1] or (reads[0] and {*words_of(other.tool)} & GIVING_OUT != set())
