"""The sentence that keeps a call from running, and the exceptions that would let it, the narrowest first.

An exception is a region around the call (``grant_regions``) that the responsible sentence leaves out; where
no sentence permits the call, it is a sentence that permits the region. Each is shown with all that it allows
besides: the parameters of which it says nothing, and the recorded calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from workbench.app.grant_regions import CallRegion, places_to_read, read_fields, regions
from workbench.app.rewording import Reworded
from workbench.clean_text import counted, one_line
from workbench.language.alone import ALONE
from workbench.language.trees import CALL, TRUE, Tree, is_tree, joined, negated, tree_of
from workbench.language.words import on_one_line, words_of_name
from workbench.model import CallDecision, Verdict, WorkbenchError

_DEFAULT = "default"
"""The name of the rule that denies what no sentence permits."""
_MOST = 3

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms
    from workbench.app.requested_sentence import RequestedSentence
    from workbench.app.results import Logs, PolicyChange
    from workbench.app.rewording import Rewordings
    from workbench.app.runs import Runs
    from workbench.app.sentences import Sentences
    from workbench.dialect.call_fields import CallType
    from workbench.language.language import Language, Said
    from workbench.model import RecordedCall


_AROUND = 2
"""The number of words that are shown before and after different ones."""
_MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class CallException:
    """Sentences with which a call would run; ``words`` say which calls, ``also`` what else would run."""

    text: str
    words: str
    also: str

    def differing(self, before: str) -> str:
        """The words that another text does not have, with a few of the words around them."""
        old, new = before.split(), one_line(self.text).split()
        blocks = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
        changed = [block for block in blocks if block[0] != "equal"]
        if not changed:
            return ""
        words = new[max(changed[0][3] - _AROUND, 0) : changed[-1][4] + _AROUND]
        half = _MOST_WORDS // 2
        return " ".join(words if len(words) <= _MOST_WORDS else (*words[:half], "…", *words[-half:]))


@dataclass(frozen=True, slots=True)
class Responsible:
    """What keeps a call from running: a sentence of the request, None where no sentence permits the call.

    ``selected`` is the place of the phrase of its text that holds of the call.
    """

    sentence: RequestedSentence | None
    text: str
    selected: tuple[int, int]
    exceptions: tuple[CallException, ...]


def rules_against(terms: PolicyTerms, decided: CallDecision) -> Sequence[str]:
    """The rules that keep a call from running; where it cannot be evaluated, those that may."""
    from workbench.engines.compiled.compile import compile_policy
    from workbench.runs.replay.decide import bounds_by_name, taken_of

    if decided.decision.verdict is not Verdict.CANNOT_EVALUATE:
        return [one.rule for one in decided.decision.violations]
    policy = compile_policy(terms)
    taken = taken_of(policy.parameters, decided.extracted)
    known = {name: item.value for name, item in taken.items() if item.missing is None}
    may_fire = policy.possible_rules(known, bounds_by_name(taken))
    return [rule.name for rule in terms.rules if rule.forbids and rule.name in may_fire]


class CallExceptions:
    """The exceptions of a session's sentences for calls."""

    def __init__(self, runs: Runs, sentences: Sentences, rewordings: Rewordings) -> None:
        self._runs = runs
        self._sentences = sentences
        self._rewordings = rewordings

    def of(
        self, terms: PolicyTerms, rules: Sequence[str], call: RecordedCall, before: Sequence[RecordedCall],
        logs: Logs | None,
    ) -> Responsible:  # fmt: skip
        """What to change so that a call runs that these rules keep from it; without rules none permits it.

        Raises WorkbenchError if the rule is written in Python.
        """
        named = [name for name in rules if name != _DEFAULT]
        with ALONE:
            language = self._sentences.language
            every = self._rewordings.all() if named else ()
            found = next(((one, said) for one in every for said in one.readings if said.name in named), None)
            if named and (found is None or not found[1].text or found[1].name in found[0].by_hand):
                raise WorkbenchError(f"No sentence says {named[0]}, which is written in Python; e edits it.")
            sentence, rule = found or (None, None)
            text = "" if sentence is None else " ".join(sentence.texts)
            try:
                type_ = language.types.of_tool(call.tool or "")
            except KeyError:
                raise WorkbenchError(f"agent.toml has no tool {call.tool}: declare it there first.") from None
            made: dict[str, CallException] = {}
            for region in self._regions(terms, language, rule, call, before):
                condition = _condition(region)
                texts = _excepted(language, sentence, rule, condition, type_)
                whole = " ".join(texts)
                is_typable = whole == on_one_line(whole)  # as the sentence is kept
                if not texts or not is_typable or whole in made or len(made) == _MOST:
                    continue
                change = self._change(sentence, texts, logs)
                if change is not None:
                    named = frozenset(_fields(condition))
                    free = [words_of_name(one.name) for one in type_.fields if one.name not in named]
                    words = "this call" if region.exact and free else region.words
                    made[whole] = CallException(whole, words, _also(change, call, free))
            return Responsible(sentence, text, _selected(language, text, rule), tuple(made.values()))

    def _regions(
        self, terms: PolicyTerms, language: Language, rule: Said | None, call: RecordedCall,
        before: Sequence[RecordedCall],
    ) -> Iterator[CallRegion]:  # fmt: skip
        """Regions by all that the policy reads of the call, then by what the responsible rule reads."""
        tool = call.tool or ""
        type_ = language.types.of_tool(tool)
        every = read_fields(terms.sources, tool)
        of_rule = every if rule is None else frozenset(_fields(rule.tree))
        for fields in filter(None, (every or frozenset(one.name for one in type_.fields), of_rule)):
            wanted = places_to_read(type_, fields)
            values = self._runs.extractor(wanted).extract(call, before)
            yield from regions(type_, call, fields, values)

    def _change(
        self, sentence: RequestedSentence | None, texts: Sequence[str], logs: Logs | None
    ) -> PolicyChange | None:
        """What sentences change; None if the dialect refuses them."""
        try:
            if sentence is None:
                return self._sentences.preview(texts, logs).change
            return self._rewordings.preview([Reworded(sentence.requirement.text, tuple(texts))], logs).change
        except WorkbenchError:
            return None


def _selected(language: Language, text: str, rule: Said | None) -> tuple[int, int]:
    """The place of the last phrase of a rule's sentence in a text: a condition, or the tool."""
    from workbench.language.phrases import phrases

    if rule is None:
        return 0, 0
    begin = max(text.find(rule.text), 0)
    listed = [one for one in phrases(language.reader, rule.text) if one.listed]
    last = max(listed, key=lambda one: one.start, default=None)
    return (begin + last.start, begin + last.end) if last is not None else (begin, begin)


def _fields(tree: Tree) -> Iterator[str]:
    """The fields of the call that a tree names."""
    if len(tree) == 3 and tree[0] == "attr" and tree[1] == CALL:
        yield tree[2]
    for part in tree:
        if is_tree(part):
            yield from _fields(part)


def _excepted(
    language: Language, sentence: RequestedSentence | None, rule: Said | None, condition: Tree,
    type_: CallType,
) -> Sequence[str]:  # fmt: skip
    """The sentences of a sentence with a condition left out of its rule; none if they have no words.

    Without a rule, the sentence that permits the condition.
    """
    name: Tree = ("name", type_.name)
    if sentence is None or rule is None:
        return list(filter(None, [language.write(("call", "permit", condition, name))]))
    _, form, body, *tools = rule.tree
    others = [one for one in tools if one != name]
    outside = negated(condition)
    kept = outside if body == TRUE else joined("and", [body, outside])
    trees: list[Tree] = [("call", form, kept, name)]
    if others:
        trees.append(("call", form, body, *others))
    texts = [language.write(one) for one in trees]
    if not all(texts):
        return []
    return [new for one in sentence.texts for new in (texts if one == rule.text else (one,))]


def _condition(region: CallRegion) -> Tree:
    """A region without what it says of parameters that are missing, if it says anything else."""
    tree = tree_of(ast.parse(region.text, mode="eval").body, {"call": CALL})
    given = [one for one in tree[1:] if one[0] != "is none"] if tree[0] == "and" else []
    return joined("and", given) if given else tree


def _also(change: PolicyChange, call: RecordedCall, free: Sequence[str]) -> str:
    """What else runs by a change that says nothing of some parameters, in words.

    If the call does not run by it, also what decides the call then.
    """
    allowed = [
        flip.new for flip in change.changed if flip.new.decision.verdict is Verdict.ALLOW and flip.turns
    ]
    others = [one for one in allowed if (one.run, one.index) != (call.run, call.index)]
    parts = [f"the same with any {', '.join(free)}"] if free else []
    if others:
        named = ", ".join(f"{one_line(one.run)}, call {one.index}" for one in others[:2])
        parts.append(f"{counted(len(others), 'recorded call')} ({named})")
    if change.semantic.equivalent is None or change.semantic.unknown:
        parts.append("what else is not known")
    also = f"also allows: {'; '.join(parts)}" if parts else "allows no other recorded call"
    same = (
        one.new.decision for one in change.flips if (one.new.run, one.new.index) == (call.run, call.index)
    )
    decision = next(same, None)
    if decision is None or decision.verdict is Verdict.ALLOW:
        return also
    rules = ", ".join(one.rule for one in decision.violations if one.rule != _DEFAULT)
    why = rules or "no sentence permits it"
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        why = "it cannot be evaluated beside another sentence, which f excepts it from next"
    return f"does not let it run yet: {why} · {also}"
