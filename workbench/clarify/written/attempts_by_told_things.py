"""Attempts with a tool for things of many sorts, among which its description names that of a rule.

Such a tool takes the thing and what is done with it as texts: the state of a device, the action of a routine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.clarify.written.acts_of_tools import act_of, base_of, forms_of, open_tools
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import Attacked, words_of
from workbench.clarify.written.attempts import if_given
from workbench.clarify.written.attempts_at_other_fields import is_free_text
from workbench.clarify.written.attempts_at_values import closed_values
from workbench.clarify.written.attempts_by_told_effects import (
    ALIKE_NOUNS,
    as_quoted,
    closes_an_act,
    sentences_of,
)
from workbench.clarify.written.said_of_another_tool import Sibling, usual_call
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.language.words import things
from workbench.model import Json, Kind

_OF_THINGS = frozenset((
    "appliance", "component", "device", "entity", "item", "kind", "name", "object", "resource", "service",
    "target", "thing", "what",
))  # fmt: skip
_OF_ACTS = frozenset((
    "action", "command", "do", "mode", "op", "operation", "set", "state", "status", "step", "to", "value",
))  # fmt: skip
"""Words of texts for the thing to which something is done, and for what is done with it."""
_MOST_READ = 400


def by_told_things(attacked: Attacked) -> Iterator[Sibling]:
    """Yield the calls of tools for things of many sorts that do to a rule's thing what the rule closes."""
    if attacked.reading.reads_run or not closes_an_act(attacked):
        return
    for other in open_tools(attacked):
        of_thing, of_act = (_text(other, words) for words in (_OF_THINGS, _OF_ACTS))
        said = _told(attacked, other)
        if of_thing is None or of_act is None or of_thing == of_act or not said:
            continue
        yield _sibling(attacked, other, of_thing, of_act, said)


def _text(other: CallType, words: frozenset[str]) -> CallField | None:
    """The text of a tool that has one of some words in its name."""
    texts = (
        one for one in other.fields if one.type.kind is Kind.STR and not one.kind and not is_free_text(one)
    )
    return next((one for one in texts if words & {*words_of(one.name)}), None)


def _own_things(attacked: Attacked) -> set[str]:
    """The words for that to which the tool of a rule does something."""
    act = act_of(attacked.tool)
    nouns = things(word for word in words_of(attacked.tool) if word != act)
    return nouns.union(*(row for row in ALIKE_NOUNS if nouns & row))


def _told(attacked: Attacked, other: CallType) -> str:
    """The sentence of a description that names the thing of a rule; empty if none does."""
    tool = attacked.book.tools[other.tool]
    texts = [tool.description, *(one.description for one in other.fields)]
    for text in texts:
        for sentence in sentences_of(text[:_MOST_READ]):
            if things(re.findall(r"[a-z]+", sentence.casefold())) & _own_things(attacked):
                return as_quoted(sentence)
    return ""


def _sibling(
    attacked: Attacked, other: CallType, of_thing: CallField, of_act: CallField, said: str
) -> Sibling:
    nouns = sorted(things(word for word in words_of(attacked.tool) if word != act_of(attacked.tool)))
    closed = [text for texts in closed_values(attacked).values() for text in texts]
    thing = closed[0] if closed else " ".join(nouns)
    acts = [*forms_of(base_of(act_of(attacked.tool)))]
    done = next((form for form in acts if form.endswith("ed")), acts[0])
    held: dict[str, Json] = {of_thing.key: thing, of_act.key: done}
    call = TriedCall(other.tool, {**usual_call(attacked, other).arguments, **held})
    named = _has_one(of_thing, [text.lower() for text in closed] or nouns)
    done_to: list[Tree] = (
        [] if closed else [_has_one(of_act, [*dict.fromkeys(each[:-1] for each in acts)][:1])]
    )
    condition = if_given(of_thing, if_given(of_act, joined("and", [named, *done_to])))
    tree: Tree = ("call", attacked.rule.form, condition or TRUE, ("name", other.name))
    return Sibling(call, f"{other.tool} is described so: “{said}”", tree)


def _has_one(one: CallField, texts: Sequence[str]) -> Tree:
    """That a text has one of some others in it, in whatever case."""
    small: Tree = ("method", ("attr", CALL, one.name), "lower")
    return joined("or", [("in", ("lit", "text", text), small) for text in texts])
