"""The commands about the policy file: its lines, its versions, undo and redo, the last change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from workbench.clean_text import counted, one_line
from workbench.cli.diff_text import change_lines
from workbench.cli.plain_mode.item_text import policy_lines
from workbench.cli.plain_mode.plain_command import Command
from workbench.cli.question_text import whole_change_lines
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState
    from workbench.cli.plain_mode.conversation import Conversation


def _policy(talk: Conversation, words: str) -> None:
    count = len(talk.text.splitlines())
    first, last = _lines(words, count) if words.strip() else (1, max(count, 1))
    talk.lines.listing(policy_lines(talk.state, first, last))


def _lines(text: str, count: int) -> tuple[int, int]:
    """The first and last line of a range such as ``3-5``, or of one line."""
    first, dash, last = (part.strip() for part in text.partition("-"))
    last = last if dash else first
    if first.isascii() and first.isdigit() and last.isascii() and last.isdigit():
        range_ = int(first[:9]), int(last[:9])
        if 0 < range_[0] <= range_[1] <= count:
            return range_
    raise WorkbenchError(f"Give a line or a range such as 3-5; the policy has {counted(count, 'line')}.")


def _replace(talk: Conversation, words: str) -> None:
    place, _, text = words.partition(" ")
    lines = talk.text.splitlines()
    first, last = _lines(place, len(lines))
    _put(talk, [*lines[: first - 1], text, *lines[last:]])


def _insert(talk: Conversation, words: str) -> None:
    place, _, text = words.partition(" ")
    lines = talk.text.splitlines()
    first, _ = _lines(place, len(lines) + 1)
    _put(talk, [*lines[: first - 1], text, *lines[first - 1 :]])


def _delete(talk: Conversation, words: str) -> None:
    lines = talk.text.splitlines()
    first, last = _lines(words, len(lines))
    _put(talk, [*lines[: first - 1], *lines[last:]])


def _put(talk: Conversation, lines: list[str]) -> None:
    """Store a changed policy; a text outside the dialect is kept next to the file until it is mended."""
    text = "\n".join(lines) + "\n"
    editing = talk.bench.editing
    if not talk.bench.policy.problems(text):
        talk.act(partial(editing.store, text), "Stored.")
        return
    talk.change(partial(editing.keep, text))
    talk.lines.say("Kept, not stored: the policy is not in the dialect yet.")
    talk.tell(str(problem) for problem in talk.state.problems)


def _changed(talk: Conversation, words: str) -> None:
    del words
    if talk.last is None:
        talk.lines.say("Nothing was changed yet.")
        return
    before, after = talk.last
    talk.lines.listing(whole_change_lines(before, after, _aloud(talk, before), _aloud(talk, after)))


def _aloud(talk: Conversation, state: SessionState) -> dict[str, str]:
    """The rules of a state as sentences, by their names."""
    if state.terms is None:
        return {}
    return {
        rule_aloud.name: rule_aloud.sentence for rule_aloud in talk.bench.rules.aloud(state.terms.file.text)
    }


def _compare(talk: Conversation, words: str) -> None:
    if not words.strip():
        raise WorkbenchError("Say 'compare N' with the number of a version; 'versions' lists them.")
    old = talk.bench.policy.version(words.strip())
    policy_change = talk.find(lambda _: talk.bench.policy.diff(old, talk.text, talk.logs))
    talk.lines.listing(change_lines(policy_change) if policy_change is not None else ())


def _versions(talk: Conversation, words: str) -> None:
    del words
    lines = [
        f"{version.number}. {one_line(version.label)}{', the present one' if version.current else ''}"
        for version in reversed(talk.state.versions)
    ]
    talk.lines.listing(lines or ["Nothing was changed yet."])


def _restore(talk: Conversation, words: str) -> None:
    number = words.strip()
    if number not in {str(version.number) for version in talk.state.versions}:
        raise WorkbenchError("Give the number of a version; 'versions' lists them.")
    work = partial(talk.bench.policy.restore, int(number))
    talk.act(work, f"The policy is that of version {number} again.", "It is the same policy.")


def _accept(talk: Conversation, words: str) -> None:
    result, _ = talk.change(partial(talk.bench.accept, words.split()))
    talk.lines.say(one_line(result.sentence))


def _undo(talk: Conversation, words: str) -> None:
    del words
    talk.act(talk.bench.editing.undo, "Undone.", "Nothing to undo.")


def _redo(talk: Conversation, words: str) -> None:
    del words
    talk.act(talk.bench.session.redo, "Done again.", "Nothing to redo.")


COMMANDS = (
    Command("policy", "[FROM-TO]", "the policy with line numbers and messages", _policy, menu=True),
    Command("replace", "FROM-TO TEXT", "put a line in place of lines of the policy", _replace),
    Command("insert", "N TEXT", "put a line before line N of the policy", _insert),
    Command("delete", "FROM-TO", "take lines out of the policy", _delete),
    Command("changed", "", "all that the last change did: rules, clauses, cases, calls", _changed, menu=True),
    Command("versions", "", "the changes so far", _versions),
    Command("compare", "VERSION", "what the policy decides otherwise than a version of it", _compare),
    Command("restore", "N", "go back to the policy of version N", _restore),
    Command("accept", "[NAME ...]", "let guards enforce this version; NAME is accepted anyway", _accept),
    Command("undo", "", "take the last change back", _undo),
    Command("redo", "", "make the undone change again", _redo),
)
