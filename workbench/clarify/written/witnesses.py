"""Whether a call that a person would hardly want is meant: one that the policy allows, shown as it is.

It passes a rule by the letter: another spelling of what the rule speaks of, a way out of it, or a value that
is missing. Rules of one form are asked about once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, groupby

from workbench.clarify.written.asked import MEANT, WITNESS, Asked, Calls, Effect, TriedCall, identity
from workbench.clarify.written.attempts import Declaration
from workbench.clarify.written.attempts_at_texts import CASE_OF_FILE
from workbench.clarify.written.book import Book, doubt_about
from workbench.clarify.written.holes import Closing, Hole, HolesByRule, closings, shape
from workbench.clean_text import counted
from workbench.language.trees import Tree, text_of
from workbench.language.words import listed
from workbench.model import Arguments
from workbench.question_wording import phrase, question_about

CLOSED, WIDER, DECLARED = "closed", "wider", "declared"
_AT_ONCE = 3
"""The most questions about a rule that are open at a time."""
_NAMED = 3
"""The most rules of one form that a question names."""


_QUOTED = re.compile(r"“[^”]*”")
"""A value of a call in the reason why it passes."""


def witnesses(book: Book, tried: HolesByRule, asked: Mapping[str, Effect]) -> Iterator[Asked]:
    """Yield a question for each kind of call that passes rules of one form, and is hardly wanted.

    Of each kind one question is open at a time, and a few of a rule. What was answered is asked again, so
    that the answer is judged. Where rules of a sentence let through the same call of a further tool, that is
    asked once, and so is what the same answer closes for further tools or values of a rule. Of rules of which
    it is ``asked`` whether the text or the thing is meant only what that does not close is asked.
    """
    told: set[str] = set()
    closed: dict[tuple[str, str, str], list[Effect]] = {}
    shown: list[tuple[str, Calls]] = []
    is_open: set[tuple[Tree, str]] = set()
    of_rule: Counter[str] = Counter()
    of_disk = False
    for form, kind, holes in _of_one_form(book, tried, asked):
        if kind == CASE_OF_FILE and holes[0].attempt.advice:  # an answer about the disk holds for every rule
            if of_disk:
                continue
            of_disk = True
        unsaid = [hole for hole in holes if _elsewhere(hole) not in shown]
        for same in _closed_alike(unsaid) if unsaid else ():
            rule = same.holes[0].attacked.rule.name
            way = rule, kind, _QUOTED.sub("", same.holes[0].shown.why)
            if _is_closed(same.holes[0], closed.get(way, ())):
                continue
            name = _identity(book, same)
            while name in told or name in book.in_force:  # it is about another way past the rule
                name = identity(WITNESS, name, rule)
            is_answered = name in book.answered
            if not is_answered and ((form, kind) in is_open or of_rule[rule] == _AT_ONCE):
                continue
            told.add(name)
            closed.setdefault(way, []).extend(one.effect for one in same.closed[:1])
            shown += filter(any, map(_elsewhere, same.holes))
            is_open |= set() if is_answered else {(form, kind)}
            of_rule[rule] += not is_answered
            yield _asked(book, same, name)


def _of_one_form(
    book: Book, tried: HolesByRule, asked: Mapping[str, Effect]
) -> Iterator[tuple[Tree, str, Sequence[Hole]]]:
    """Yield the same holes of rules of one form, whatever their tools: of a kind, the first, the second."""
    forms: dict[tuple[Tree, str, int], list[Hole]] = {}
    for rule in book.rules:
        form, typed = shape(rule.tree[:3]), asked.get(rule.name)
        count: Counter[tuple[str, str]] = Counter()
        for hole in tried.of(rule):
            kind = hole.kind, hole.attacked.tool
            count[kind] += 1
            if typed is None or not closings([(hole, typed)])[0].stops:
                forms.setdefault((form, hole.kind, count[kind]), []).append(hole)
    for (form, kind, _), holes in forms.items():
        confirmed = dropwhile(lambda one: not one.attacked.trials.confirms(one.shown.calls), holes)
        if found := [*confirmed]:
            yield form, kind, found


@dataclass(frozen=True)
class _Alike:
    """Holes that are asked about at once, with what closes each; nothing if that is not known."""

    holes: Sequence[Hole]
    closed: Sequence[Closing]

    @property
    def others(self) -> Sequence[Hole]:
        """The holes of further rules; those of the first rule are of its further tools."""
        first = self.holes[0].attacked.rule.name
        return [one for one in self.holes if one.attacked.rule.name != first]


def _closed_alike(holes: Sequence[Hole]) -> Iterator[_Alike]:
    """Yield the holes that the same rewriting closes together, the others one by one."""
    first, *others = holes
    if first.closing is None:
        yield _Alike(holes, ())
        return
    place = first.rewritings.index(first.closing.effect)
    proposed = [(one, one.rewritings[place]) for one in others if len(one.rewritings) > place]
    found = {id(hole): one for (hole, _), one in zip(proposed, closings(proposed), strict=True) if one.stops}
    alike = [one for one in others if id(one) in found]
    yield _Alike([first, *alike], [first.closing, *(found[id(one)] for one in alike)])
    for one in others:
        if id(one) not in found:
            yield _Alike([one], [] if one.closing is None else [one.closing])


def _is_closed(hole: Hole, effects: Sequence[Effect]) -> bool:
    """Whether one of some rewritings closes a hole, too."""
    own = [one for one in effects if one in hole.rewritings] if effects else []
    return any(one.stops for one in closings([(hole, each) for each in own]))


def _elsewhere(hole: Hole) -> tuple[str, Calls]:
    """What a question says of a hole through a further tool than the rule's; nothing of others."""
    rule, calls = hole.attacked.rule, hole.shown.calls
    is_other = calls[-1].tool != hole.attacked.tool
    return (rule.quote, calls) if is_other and rule.quote else ("", ())


def _identity(book: Book, same: _Alike) -> str:
    """The id of a question: by the words of a sentence, or by the form of several rules.

    Of the rules of one sentence only the first goes by its words, whichever of them can be passed.
    """
    first = same.holes[0]
    rule, tool = first.attacked.rule, first.attacked.tool
    if same.others:
        return identity(WITNESS, shape(rule.tree), first.kind, tool)
    of_one = [] if first.of_shown_tool is None else [first.shown.calls[-1].tool]
    of_sentence = next(one.name for one in book.rules if one.quote == rule.quote)
    about = rule.quote if rule.quote and rule.name == of_sentence else rule.name
    return identity(WITNESS, about, first.kind, tool, first.attempt.about, *of_one)


def told_of_logs(book: Book, turned: Sequence[str], *, reads_run: bool = False) -> str:
    """What an answer does to logged calls, each tried alone: the end of a sentence.

    Nothing is said of none where a rule reads the run, of which a call alone says nothing.
    """
    if turned:
        return f" · {counted(len(turned), 'logged call')} turn{'s' * (len(turned) == 1)}: {turned[0]}"
    return " · no logged call turns" if book.calls and not reads_run else ""


def _asked(book: Book, same: _Alike, name: str) -> Asked:
    first, others = same.holes[0], same.others
    rule, shown = first.attacked.rule, first.shown
    of_one = None if others else first.of_shown_tool
    closing = [*same.closed] if of_one is None else [of_one]
    trees = _trees(closing[0].effect) if closing else ()
    reads_run = len(shown.calls) > 1 or any("run." in text_of(tree[2]) for tree in trees)
    closed, more = " ".join(map(book.sentence, trees)), ""
    if others:
        named = [_named(one, shown.calls) for one in others]
        more = phrase("witness", "alike", number=counted(len(others), "rule"), rules=_first_of(named))
    if closed and (tools := _other_tools_of(same)):
        more += phrase("witness", "tools", tools=listed(tools, "and"))
    turned = tuple(dict.fromkeys(call for one in closing for call in one.turned))
    wider = first.closing if of_one is not None else first.wider if closed and not others else None
    advice = first.attempt.advice
    declared = None if others else first.declared
    doubt = doubt_about(
        [one.attacked.rule for one in same.holes],
        WITNESS,
        name,
        (
            *[DECLARED] * (declared is not None),
            *[CLOSED] * bool(closed),
            *[WIDER] * (wider is not None),
            MEANT,
        ),
        facts={
            "says": book.says(rule),
            "calls": _run_text(shown.calls),
            "why": shown.why,
            "more": more,
            "advice": "" if declared is not None else _advised(first, is_closed=bool(closed)),
        },
        value_facts={
            CLOSED: {
                "meaning": closed + (phrase("witness", "closed-alike") if others else ""),
                "turned": told_of_logs(book, turned, reads_run=reads_run),
                "outcome": _outcome(trees),
            },
            DECLARED: {
                "meaning": "" if declared is None else declared.meaning,
                "turned": ""
                if declared is None
                else told_of_logs(book, declared.turned, reads_run=reads_run),
                "declared": "" if declared is None else declared.declaration.written,
                "tool": "" if declared is None else declared.declaration.tool,
                "outcome": _outcome(() if declared is None else _trees(declared.effect)),
            },
            WIDER: {
                "meaning": "" if wider is None else " ".join(map(book.sentence, _trees(wider.effect))),
                "turned": "" if wider is None else told_of_logs(book, wider.turned, reads_run=reads_run),
                "outcome": _outcome(() if wider is None else _trees(wider.effect)),
            },
        },
    )
    effects: dict[str, Effect] = {}
    if closed:
        effects[CLOSED] = Effect(
            {name: tree for one in closing for name, tree in one.effect.said.items()},
            new=tuple(pair for one in closing for pair in one.effect.new),
        )
    if declared is not None:
        effects[DECLARED] = declared.effect
    if wider is not None:
        effects[WIDER] = wider.effect
    about = tuple(one.attacked.rule.name for one in same.holes)
    question = question_about(doubt, example_of(*shown.calls))
    if isinstance(advice, Declaration):
        question = replace(question, declaration=str(advice))
    return Asked(question, effects, about, calls=shown.calls)


def _outcome(trees: Sequence[Tree]) -> str:
    """What becomes of a call that rules stop: a person decides if all of them ask one."""
    is_left = bool(trees) and all(tree[1] == "ask" for tree in trees)
    return phrase("witness", "outcome-left" if is_left else "outcome-denied")


def _other_tools_of(same: _Alike) -> Sequence[str]:
    """The tools of the runs that pass the first rule besides those of the shown one."""
    shown = {call.tool for call in same.holes[0].shown.calls}
    rule = same.holes[0].attacked.rule.name
    every = (one for hole in same.holes if hole.attacked.rule.name == rule for one in hole.every)
    tools = dict.fromkeys(call.tool for one in every for call in one.calls)
    return [tool for tool in tools if tool not in shown]


def _advised(hole: Hole, *, is_closed: bool) -> str:
    """What to do to close a hole, or to do it better; nothing where nothing would be better."""
    advice = hole.attempt.advice
    if not advice or (is_closed and hole.is_declared_in_vain):
        return ""
    return phrase("witness", "finer" if is_closed else "advice", advice=str(advice))


def _named(hole: Hole, shown: Calls) -> str:
    """The rule of a hole, with its run where that is another than the shown one."""
    rule, calls = hole.attacked.rule, hole.shown.calls
    name = (rule.requirements or (rule.name,))[0]
    return name if calls == shown else f"{name} ({_run_text(calls)})"


def _run_text(calls: Calls) -> str:
    """Calls one after another, of more than two equal ones their number."""
    same = [(call, len([*each])) for call, each in groupby(map(str, calls))]
    runs = (
        f"{number} times {call}" if number > _SHOWN_ALIKE else ", then ".join([call] * number)
        for call, number in same
    )
    return ", then ".join(runs)


_SHOWN_ALIKE = 2


def _trees(effect: Effect) -> Sequence[Tree]:
    return (*effect.said.values(), *(tree for _, tree in effect.new))


def _first_of(names: Sequence[str]) -> str:
    left = len(names) - _NAMED
    return listed(names, "and") if left <= 0 else f"{', '.join(names[:_NAMED])} and {left} more"


def example_of(*calls: TriedCall) -> Arguments:
    """The last of some calls as the example of a question."""
    *_, call = calls
    plain = {name: value for name, value in call.arguments.items() if isinstance(value, str | int | bool)}
    return {"tool": call.tool, **{f"call.{name}": value for name, value in plain.items()}}
