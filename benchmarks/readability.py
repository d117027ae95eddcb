"""How well the sentences of policies of calls are understood: a kit for fresh readers, and its score.

Run: python benchmarks/readability.py kit FOLDER [--rules 40]
     python benchmarks/readability.py score FOLDER

``kit`` writes ``questions.md``, which is all that a reader sees, and ``key.json``. A question is the
sentence of a rule with the meanings of the facts that it names, and inputs: what is known about a call,
in the nouns of the sentence. A reader says of each input whether the sentence applies to it. The inputs
are boundaries: for wrong versions of the rule, which are what it could be mistaken for, the solver gives
an input on which the rule and the version differ. Each reader's answers are a file ``answers-*.json`` in
the folder: a JSON object of the numbers of inputs (``"3.2"``) with true or false. ``score`` prints a row
for each reader; an input without an answer counts as wrong.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.check.mutate import mutate_term
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.smt.preview import PreviewUndecided, witness
from workbench.language.language import Language, Said, sentence
from workbench.language.lexicon import Scope
from workbench.language.trees import NotInLanguage, Tree, is_tree, tree_of
from workbench.language.writing import Writer, with_articles
from workbench.model import Arguments
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import And, Compare, Comparison, Constant, Not, Or, Rule, Term, Variable
from workbench.policy.value_words import value_words
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).resolve().parent.parent
SESSIONS = (
    "sessions/travel-desk",
    *(f"benchmarks/sessions/{name}" for name in ("retail-desk", "airline-desk", "payments")),
    *(f"benchmarks/sessions/authoring-{name}" for name in ("expenses", "support", "warehouse", "coding")),
)
MOST_INPUTS = 4
_SEED = 35
_TRIED = 12
_LONGEST = 160
"""The longest line of an input, in characters; a longer one is the condition of the rule itself."""


@dataclass(frozen=True, slots=True)
class Question:
    """A rule for a reader: its sentences, and inputs in words with whether the rule applies."""

    session: str
    rule: str
    sentences: tuple[str, ...]
    inputs: tuple[tuple[tuple[str, ...], bool], ...]


def questions_of(session: str) -> Iterator[Question]:
    """Yield a question about each rule that has boundary inputs."""
    folder = ROOT / session
    spec, source = read_agent((folder / "agent.toml").read_text()), (folder / "policy.py").read_text()
    lowered = lowered_policy(source, spec)
    language = Language(agent_types(spec), source)
    said = tuple(language.aloud())
    for rule in lowered.terms.rules:
        own = [one for one in said if one.name == rule.name and one.text]
        inputs = tuple(_inputs(lowered, language, rule)) if own else ()
        is_short = all(len(text) <= _LONGEST for words, _ in inputs for text in words)
        if is_short and len({applies for _, applies in inputs}) == 2:
            yield Question(session, rule.name, tuple(_with_meanings(own, said)), inputs)


def _with_meanings(own: Sequence[Said], said: Sequence[Said]) -> Iterator[str]:
    """The sentences of a rule, and those of what it names."""
    by_name = {one.name: one for one in said if one.tree and one.tree[1] == "meaning"}
    todo, seen = list(own), set[str]()
    while todo:
        one = todo.pop(0)
        yield "\n".join(one.lines)
        for name in _named(one.tree):
            if name in by_name and name not in seen and name != one.name:
                seen.add(name)
                todo.append(by_name[name])


def _named(tree: Tree) -> Iterator[str]:
    """The functions and constants that a tree names."""
    if tree[0] in ("call", "name") and isinstance(tree[1], str):
        yield tree[1]
    for part in tree[1:]:
        if is_tree(part) and tree[0] != "lit":
            yield from _named(part)


def _inputs(lowered: LoweredPolicy, language: Language, rule: Rule) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Inputs on which the rule and a wrong version differ, each once, as many with either answer."""
    terms, seen = lowered.terms, set[tuple[str, ...]]()
    changes = [new for _, _, new in mutate_term(rule.body, terms)]
    about = _about(lowered, rule)
    random.Random(_SEED).shuffle(changes)
    counts = {True: 0, False: 0}
    for new in changes[:_TRIED]:
        arguments = _differing(lowered, rule.body, new, about)
        applies = None if arguments is None else evaluate(terms, rule.body, arguments)
        if arguments is None or not isinstance(applies, bool) or counts[applies] >= MOST_INPUTS // 2:
            continue
        words = tuple(_in_words(lowered, language, rule, arguments))
        if words not in seen:
            seen.add(words)
            counts[applies] += 1
            yield words, applies


def _about(lowered: LoweredPolicy, rule: Rule) -> tuple[Term, ...]:
    """The condition that a call is of one of the tools that a rule is about, if it is about some."""
    own = next(one for one in lowered.calls.rules if one.name == rule.name)
    tools = [one.tool for one in own.terms if one.tool]
    tool = lowered.terms.arguments[0]
    tests = tuple(
        Compare(Comparison.EQ, Variable(tool.name, tool.type), Constant(one)) for one in dict.fromkeys(tools)
    )
    return (tests[0] if len(tests) == 1 else Or(tests),) if tests else ()


def _differing(lowered: LoweredPolicy, body: Term, new: Term, about: tuple[Term, ...]) -> Arguments | None:
    """An input on which two conditions differ and the axioms hold; None if none is known."""
    differ: Term = Or((And((body, Not(new))), And((Not(body), new))))
    held = (*about, *(clause.term for clause in lowered.terms.assumed))
    try:
        return witness(lowered.terms, And((differ, *held)) if held else differ, time_limit_ms=2_000)
    except PreviewUndecided:
        return None


def _in_words(lowered: LoweredPolicy, language: Language, rule: Rule, arguments: Arguments) -> Iterator[str]:
    """What an input says, in the nouns of the sentences."""
    tool = str(arguments.get("tool", ""))
    yield with_articles(f"The call is to {_tool_words(language, tool)}.")
    taken = {parameter.name for parameter in rule.parameters}
    for argument in lowered.arguments[1:]:
        expression = argument.expression
        if expression is None or argument.name not in taken or argument.name not in arguments:
            continue
        if expression.tool not in ("", tool):
            continue
        text = _words_of(language, expression.text, tool)
        yield f"{text}: {value_words(arguments[argument.name])}"


def _tool_words(language: Language, tool: str) -> str:
    try:
        return language.lexicon.tool_words(language.types.of_tool(tool))
    except KeyError:
        return "another tool"


def _words_of(language: Language, text: str, tool: str) -> str:
    """The words of an expression; the expression itself if it has none."""
    calls = tuple(one.name for one in language.types.calls.values() if one.tool == tool)
    writer = Writer(language.lexicon)
    try:
        tree = tree_of(ast.parse(text, mode="eval").body, language.constants)
    except NotInLanguage:
        return text
    categories = ("value", "list", "cond")
    found = (writer.write(tree, category, Scope(calls)) for category in categories)
    return next((sentence(one) for one in found if one), text)


# --- the kit --------------------------------------------------------------------------


def write_kit(folder: Path, count: int) -> int:
    """Write the questions and their key; return the number of inputs."""
    every = [one for session in SESSIONS for one in questions_of(session)]
    random.Random(_SEED).shuffle(every)
    chosen, key = every[:count], dict[str, bool]()
    lines = ["# Which calls does a sentence apply to?", "", *_HOW]
    for number, question in enumerate(chosen, 1):
        lines += ["", f"## {number}", "", *(f"{text}\n" for text in question.sentences)]
        for place, (words, applies) in enumerate(question.inputs, 1):
            key[f"{number}.{place}"] = applies
            lines += [f"**{number}.{place}**", *(f"* {text}" for text in words), ""]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "questions.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rules = [f"{question.session} {question.rule}" for question in chosen]
    (folder / "key.json").write_text(json.dumps({"rules": rules, "applies": key}, indent=1), encoding="utf-8")
    return len(key)


_HOW = (
    "Each part begins with a sentence about what an agent may do; what its words mean follows. Then there",
    "are calls. Say of each whether the first sentence forbids it, asks for a person, or allows it (which",
    'it is about): true or false, in a JSON object such as {"1.1": true, "1.2": false}. Whether another',
    "sentence speaks of the call does not matter, nor does what is not said about it.",
)


def score(folder: Path) -> Iterator[str]:
    """Yield a table of how many inputs each reader decides as the rules do, and those that are not."""
    data = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    key: Mapping[str, bool] = data["applies"]
    yield "| reader | rules | inputs | as the rule decides | % | the others |"
    yield "|---|---:|---:|---:|---:|---|"
    for place, path in enumerate(sorted(folder.glob("answers-*.json")), 1):
        answers: Mapping[str, bool] = json.loads(path.read_text(encoding="utf-8"))
        wrong = [name for name, applies in key.items() if answers.get(name) is not applies]
        right = len(key) - len(wrong)
        cells = (len(data["rules"]), len(key), right, f"{100 * right / len(key):.1f}", ", ".join(wrong))
        yield f"| {place} | {' | '.join(str(cell) for cell in cells)} |"


def main() -> int:
    """Write a kit, or score answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("act", choices=("kit", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rules", type=int, default=40)
    given = parser.parse_args()
    if given.act == "kit":
        print(f"{write_kit(given.folder, given.rules)} inputs in {given.folder}")
        return 0
    for line in score(given.folder):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
