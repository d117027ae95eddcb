"""What holds for tools of which no call is demanded, or of which a person is asked in vain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.check.undemanded import undemanded
from workbench.clarify.written.asked import MEANT, OTHER_CALLS, Asked, Effect, identity
from workbench.clarify.written.book import Book
from workbench.language.trees import TRUE, Tree
from workbench.model import TOOL_ARGUMENT, Doubt
from workbench.policy.rule_names import ASK, DEFAULT, PERMIT
from workbench.policy.terms import And, Compare, Comparison, Constant, Rule, Term, Variable
from workbench.question_wording import question_about

ALLOW, DENY = "allow", "deny"


def other_calls(book: Book) -> Iterator[Asked]:
    """Yield a question about tools without a rule, with prohibitions alone, and asked about in vain.

    These are tools of which a person is to be asked, and no sentence permits the calls: each is denied.
    """
    spoken: dict[str, list[str]] = {}
    about = {name for rule in book.rules for name in rule.classes}
    by_tool = {call.tool: name for name, call in book.language.types.calls.items()}
    for one in undemanded(book.terms):
        if one.tool in by_tool:
            is_spoken = by_tool[one.tool] in about or "Call" in about
            spoken.setdefault("forbidden" if is_spoken else "unsaid", []).append(one.tool)
    if in_vain := [tool for tool in _asked_in_vain(book) if tool in by_tool]:
        spoken["asked"] = in_vain
        spoken["forbidden"] = [tool for tool in spoken.get("forbidden", ()) if tool not in in_vain]
    for what, tools in spoken.items():
        if tools:
            yield _question(book, what, tools, tuple(by_tool[tool] for tool in tools))


def _question(book: Book, what: str, tools: Sequence[str], classes: Sequence[str]) -> Asked:
    is_open, in_vain, is_spoken = book.language.policy.default_allow, what == "asked", what == "forbidden"
    always: Tree = ("call", "permit", TRUE, *(("name", name) for name in classes))
    never: Tree = ("call", "forbid", TRUE, *(("name", name) for name in classes))
    doubt = Doubt(
        id=identity(OTHER_CALLS, what if in_vain else is_spoken, is_open, *sorted(tools)),
        kind=f"{OTHER_CALLS}-{'asked' if in_vain else 'forbidden' if is_spoken else 'unsaid'}",
        values=(ALLOW, DENY, MEANT),
        default=MEANT,
        free_text=True,
        facts={"tools": ", ".join(tools), "default": "allowed" if is_open else "denied"},
        value_facts={ALLOW: {"meaning": book.sentence(always)}, DENY: {"meaning": book.sentence(never)}},
    )
    return Asked(
        question_about(doubt),
        {ALLOW: Effect(open_tools=tuple(tools)), DENY: Effect(closed_tools=tuple(tools))},
        (DEFAULT,),
    )


def _asked_in_vain(book: Book) -> Iterator[str]:
    """The tools of which a person is asked about some calls, and no rule permits any of these."""
    asking = [rule for rule in book.terms.rules if rule.name.startswith(ASK)]
    act = next((one for one in book.terms.arguments if one.name == TOOL_ARGUMENT), None)
    if book.language.policy.default_allow or not asking or act is None:
        return
    permits = [rule for rule in book.terms.rules if rule.name.startswith(PERMIT)]
    for tool in act.type.values:
        is_tool = Compare(Comparison.EQ, Variable(act.name, act.type), Constant(tool))
        asked = [rule for rule in asking if book.holds(And((is_tool, rule.body)))]
        if asked and not any(_may_be_permitted(book, is_tool, rule, permits) for rule in asked):
            yield tool


def _may_be_permitted(book: Book, is_tool: Term, rule: Rule, permits: Sequence[Rule]) -> bool:
    return any(book.holds(And((is_tool, rule.body, one.body))) is not False for one in permits)
