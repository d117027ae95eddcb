"""The command ``word``: the words of a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.conflict_text import agreed
from workbench.cli.open_session import reading, writing
from workbench.cli.output import write, write_json
from workbench.cli.parameters import Anyway, AsJson, SessionPath
from workbench.cli.question_text import changed_lines
from workbench.cli.sentence_text import opened_lines, read_lines, sentence_lines, tried_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.app.assumed_rules import StatedRule
    from workbench.app.results import SessionChange
    from workbench.app.sentence_words import TriedRules
    from workbench.app.what_changed import WhatChanged
    from workbench.app.workbench import Workbench

SentenceName = Annotated[
    str,
    typer.Argument(metavar="SENTENCE", help="The sentence's number in the list, or some words of it."),
]
Word = Annotated[str, typer.Argument(metavar="WORD", help="A word of the sentence, as it is written there.")]
Meaning = Annotated[
    str,
    typer.Option(
        "--as",
        metavar="MEANING",
        help="What the word is: nothing, the name of a tool, value or argument, what a fact is called, "
        "or the number of one of the word's choices.",
    ),
]
Form = Annotated[
    str,
    typer.Option(
        "--rule",
        metavar="FORM",
        help="What the sentence states: 'only if', 'never if', 'never', 'allowed if', 'allowed', or the "
        "number of one of its rules. With --when it may be left out where the recorded calls tell.",
    ),
]
Tools = Annotated[
    list[str] | None,
    typer.Option(
        "--tool",
        metavar="TOOL",
        help="A tool that it is about; repeatable. 'any': every call. It may be left out where one fits.",
    ),
]
Conditions = Annotated[
    list[str] | None,
    typer.Option("--when", metavar="CONDITION", help="A condition: a fact, how compared, with what."),
]
Either = Annotated[
    bool, typer.Option("--either", help="One of the conditions is enough; else all have to hold.")
]
FactWords = Annotated[
    str | None, typer.Option("--facts", metavar="WORDS", help="List the facts that have these words.")
]
Preview = Annotated[
    bool,
    typer.Option(
        "--try",
        "--preview",
        "--dry-run",
        help="Show the rules, an input that is decided otherwise and the calls that turn; store nothing.",
    ),
]


@dataclass(frozen=True, slots=True)
class _SaidWord:
    """A word of a sentence, and the meaning that a person gives it."""

    text: str
    meaning: str


def word(
    session: SessionPath,
    sentence: SentenceName = "",
    words: Word = "",
    meant: Meaning = "",
    rule: Form = "",
    tools: Tools = None,
    when: Conditions = None,
    either: Either = False,
    facts: FactWords = None,
    preview: Preview = False,
    anyway: Anyway = False,
    as_json: AsJson = False,
) -> int:
    """Open a sentence word by word; say what it means."""
    from workbench.app.assumed_rules import StatedRule

    if facts is not None:
        return _facts(session, facts, as_json)
    if not sentence:
        return _sentences(session, as_json)
    _check_options(words, meant, rule, when or ())
    if rule or when:
        said = StatedRule(rule, tuple(tools or ()), tuple(when or ()), either)
    elif meant:
        said = _SaidWord(words, meant)
    else:
        return _open(session, sentence, as_json)
    if preview:
        return _try(session, sentence, said, as_json)
    return _store(session, sentence, said, anyway=anyway, as_json=as_json)


def _check_options(words: str, meant: str, rule: str, when: Sequence[str]) -> None:
    from workbench.model import WorkbenchError

    if meant and (rule or when):
        raise WorkbenchError("Give --as for a word, or --rule for the sentence, not both.")
    if bool(meant) != bool(words):
        raise WorkbenchError("Give a word of the sentence together with --as, which says what it is.")


def _sentences(session: Path, as_json: bool) -> int:
    with reading(session) as bench:
        sentences = bench.words.sentences.all()
    if as_json:
        from workbench.app.json_output.dialogue import NUMBERED_SENTENCE, numbered

        write_json([NUMBERED_SENTENCE.write(numbered) for numbered in numbered(sentences)])
        return 0
    for line in sentence_lines(sentences):
        write(line)
    return 0


def _facts(session: Path, words: str, as_json: bool) -> int:
    with reading(session) as bench:
        facts = bench.words.facts(words)
    if as_json:
        from workbench.app.json_output.dialogue import SAYABLE_FACT

        write_json([SAYABLE_FACT.write(fact) for fact in facts])
        return 0
    for fact in facts:
        write(f"{one_line(fact.phrase)}  ({fact.name}: {fact.type.kind}, {fact.source})")
    return 0


def _open(session: Path, sentence: str, as_json: bool) -> int:
    with reading(session) as bench:
        opened_sentence = bench.words.open(sentence)
    if as_json:
        from workbench.app.json_output.dialogue import OPENED_SENTENCE

        write_json(OPENED_SENTENCE.write(opened_sentence))
        return 0
    for line in opened_lines(opened_sentence):
        write(line)
    write(f"  say what a word is: workbench word {session} SENTENCE WORD --as MEANING")
    write(f"  say what it states: workbench word {session} SENTENCE --rule FORM --tool TOOL --when CONDITION")
    return 0


def _try(session: Path, sentence: str, choice: StatedRule | _SaidWord, as_json: bool) -> int:
    with reading(session) as bench:
        logs = bench.runs.current()
        if isinstance(choice, _SaidWord):
            meaning = bench.words.meaning(sentence, choice.text, choice.meaning)
            tried_rules = bench.words.tried_word(sentence, choice.text, meaning, logs)
        else:
            tried_rules = bench.words.tried(sentence, [bench.words.person_rule(sentence, choice)], logs)
        _tell_tried(tried_rules, as_json)
    return 0


def _store(
    session: Path, sentence: str, choice: StatedRule | _SaidWord, *, anyway: bool, as_json: bool
) -> int:
    with writing(session) as bench, agreed(bench, anyway=anyway):
        changed, changes = bench.with_changes(lambda: _change_of(bench, sentence, choice))
        _tell_changed(bench, sentence, changed, changes, as_json)
    return 1 if changed.conflicts else 0


def _change_of(bench: Workbench, sentence: str, choice: StatedRule | _SaidWord) -> SessionChange:
    if isinstance(choice, _SaidWord):
        meaning = bench.words.meaning(sentence, choice.text, choice.meaning)
        return bench.words.choose(sentence, choice.text, meaning)
    return bench.words.rules(sentence, [bench.words.person_rule(sentence, choice)])


def _tell_changed(
    bench: Workbench, sentence: str, changed: SessionChange, changes: WhatChanged, as_json: bool
) -> None:
    if as_json:
        from workbench.app.json_output.dialogue import SAID_CHANGE

        write_json(SAID_CHANGE.write((changed, changes)))
        return
    for line in (*read_lines(bench.words, sentence), *changed_lines(changes)):
        write(line)


def _tell_tried(tried_rules: TriedRules, as_json: bool) -> None:
    if as_json:
        from workbench.app.json_output.dialogue import TRIED_RULES

        write_json(TRIED_RULES.write(tried_rules))
        return
    for line in tried_lines(tried_rules):
        write(line)
