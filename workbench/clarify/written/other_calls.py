"""What holds for the tools of which no clause demands that any call is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.check.undemanded import undemanded
from workbench.clarify.written.asked import MEANT, OTHER_CALLS, Asked, Effect, identity
from workbench.clarify.written.book import Book
from workbench.language.default_sentence import default_meant
from workbench.language.grammar import DEFAULT_SENTENCES
from workbench.language.trees import TRUE, Tree
from workbench.model import Doubt
from workbench.policy.rule_names import DEFAULT
from workbench.question_wording import question_about

ALLOW, DENY = "allow", "deny"


def other_calls(book: Book) -> Iterator[Asked]:
    """Yield a question about the tools without a rule, and one about those that are only forbidden things."""
    spoken: dict[bool, list[str]] = {}
    is_open = book.language.policy.default_allow
    about = {name for rule in book.rules for name in rule.classes}
    by_tool = {call.tool: name for name, call in book.language.types.calls.items()}
    for one in undemanded(book.terms):
        if one.tool in by_tool:
            spoken.setdefault(by_tool[one.tool] in about or "Call" in about, []).append(one.tool)
    is_said = _is_said(book, is_open=is_open)
    for is_spoken, tools in spoken.items():
        names = tuple(by_tool[tool] for tool in tools)
        always: Tree = ("call", "permit", TRUE, *(("name", name) for name in names))
        never: Tree = ("call", "forbid", TRUE, *(("name", name) for name in names))
        id_ = identity(OTHER_CALLS, is_spoken, is_open, *sorted(tools))
        if is_said and id_ not in book.answered:
            continue
        doubt = Doubt(
            id=id_,
            kind=f"{OTHER_CALLS}-{'forbidden' if is_spoken else 'unsaid'}",
            values=(ALLOW, DENY, MEANT) if is_open else (DENY, ALLOW, MEANT),
            default=MEANT,
            free_text=True,
            facts={"tools": ", ".join(tools), "default": "allowed" if is_open else "denied"},
            value_facts={ALLOW: {"meaning": book.sentence(always)}, DENY: {"meaning": book.sentence(never)}},
        )
        yield Asked(
            question_about(doubt),
            {ALLOW: Effect(open_tools=tuple(tools)), DENY: Effect(closed_tools=tuple(tools))},
            (DEFAULT,),
        )


def _is_said(book: Book, *, is_open: bool) -> bool:
    """Whether the request says itself what holds of the calls of which no sentence speaks."""
    default = DEFAULT_SENTENCES[not is_open]
    return any(default_meant(one.text) == default for one in book.requirements)
