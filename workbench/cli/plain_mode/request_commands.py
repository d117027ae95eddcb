"""The commands about the request: its questions, answers and assumptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.request_sentences import number_about
from workbench.clean_text import one_line
from workbench.cli.assumptions import assumed_lines
from workbench.cli.plain_mode.item_text import status_line
from workbench.cli.plain_mode.plain_command import Command, number_of, picked
from workbench.cli.question_text import (
    answers_taken_lines,
    changed_lines,
    explanation_lines,
    preview_lines,
    stored_lines,
    understanding_lines,
)
from workbench.cli.report_text import question_lines
from workbench.cli.sentence_text import opened_lines, sentence_lines
from workbench.model import Question, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.results import Assumed, SessionChange
    from workbench.cli.plain_mode.conversation import Conversation

_LEAVE = frozenset({"", "later", "back"})
_NUMBERED = re.compile(r"(?:^|\s)\s*(\d+)\s*=\s*")


def _questions(talk: Conversation, words: str) -> None:
    del words
    understanding = talk.understanding()
    rules = talk.bench.words.offered_for(understanding.open, talk.logs)
    talk.lines.listing(list(understanding_lines(understanding, None, rules)))
    if understanding.open:
        talk.lines.say(
            "'question N' shows one and takes the answer; 'answer N=M N=M' answers several; 'word' opens an "
            "unread sentence."
        )


def _question(talk: Conversation, words: str) -> None:
    understanding = talk.understanding()
    if not understanding.open:
        talk.lines.say("No question is open.")
        return
    number = number_of(words, len(understanding.open), "a question") if words.strip() else 1
    question = understanding.numbered(number)
    rules = talk.bench.words.offered_for([question], talk.logs).get(question.id, ())
    talk.tell(question_lines(question, None, number, rules))
    own_words_hint = ", own words after '=', 'word'" if question.free_text else ""
    prompt = f"Answer (number{own_words_hint}, 'effects', 'why', 'none', 'later'): "
    answer = talk.lines.ask(prompt)
    while answer is not None and (word := answer.strip().casefold()) in (*_LOOKS, "more"):
        if word == "more":
            talk.lines.more()
        else:
            talk.lines.listing(talk.find(lambda _, word=word: list(_LOOKS[word](talk, question))) or ())
        answer = talk.lines.ask(prompt)
    if answer is None or answer.strip().casefold() in _LEAVE:
        talk.lines.say("It stays as it is.")
    elif answer.strip().casefold() == "none":
        _store(talk, partial(talk.bench.questions.reject, question))
    else:
        chosen = understanding.by_number(f"{number}={answer.strip().removeprefix('=')}")
        _store(talk, partial(talk.bench.questions.answer, *chosen))


def _effects(talk: Conversation, question: Question) -> Iterable[str]:
    """Lines on the clauses, inputs and recorded calls that each answer would change."""
    for place, option in enumerate(question.options, start=1):
        yield f"{place}. {one_line(option.label)}"
        try:
            yield from preview_lines(talk.bench.questions.preview(question, option.value, talk.logs))
        except WorkbenchError as error:
            yield str(error)


def _why(talk: Conversation, question: Question) -> Iterable[str]:
    """Lines on the decision of each reading for the input on which the readings differ."""
    return explanation_lines(talk.bench.questions.explain(question, talk.logs))


def _words(talk: Conversation, question: Question) -> Iterable[str]:
    """Lines on the sentence that the question is about, word by word."""
    number = number_about(talk.bench.words.sentences.all(), question)
    if not number:
        return ["The question is about no single sentence."]
    word_lines = opened_lines(talk.bench.words.open(str(number), talk.logs))
    return [
        *word_lines,
        f"'word {number} WORD = MEANING' says what a word is; 'states {number} N' takes a rule.",
    ]


_LOOKS: dict[str, Callable[[Conversation, Question], Iterable[str]]] = {
    "effects": _effects,
    "why": _why,
    "word": _words,
}


def _answer(talk: Conversation, words: str) -> None:
    understanding = talk.understanding()
    parts = _NUMBERED.split(words)
    if len(parts) > 1 and not parts[0].strip():
        answers = [f"{number}={value}" for number, value in zip(parts[1::2], parts[2::2], strict=True)]
    else:
        number, _, value = words.strip().partition(" ")
        if not value.strip():
            raise WorkbenchError(
                "Say 'answer N M', the question's number and the option's, or 'answer N=M N=M' for several."
            )
        answers = [f"{number}={value}"]
    chosen = [understanding.by_number(answer) for answer in answers]
    if len(chosen) == 1:
        _store(talk, partial(talk.bench.questions.answer, *chosen[0]))
    else:
        _store(talk, partial(talk.bench.questions.answer_all, chosen))


def _store(talk: Conversation, work: Callable[[], SessionChange]) -> None:
    """Store an answer, and write what it changed and what is still open."""
    talk.tell(stored_lines(*talk.change(work), None))
    talk.lines.say(status_line(talk.state))


def _answers(talk: Conversation, words: str) -> None:
    from workbench.app.answer_file import read_answers
    from workbench.app.named_files import read_named

    if not words.strip():
        raise WorkbenchError("Say 'answers FILE': a TOML file with answers, keyed by words or ids.")
    text = read_named(Path(words.strip()).expanduser(), "a TOML file with answers")
    entries, settings = read_answers(text, words.strip())
    answers_taken, changes = talk.change(lambda: talk.bench.answers.take(entries, settings, talk.logs))
    talk.tell((*answers_taken_lines(answers_taken, talk.bench.request.draft()), *changed_lines(changes)))


def _assumed(talk: Conversation) -> tuple[Assumed, ...]:
    return talk.bench.questions.assumed(talk.understanding())


def _assumptions(talk: Conversation, words: str) -> None:
    del words
    lines: list[str] = []
    for number, item in enumerate(_assumed(talk), start=1):
        first, *further_lines = assumed_lines(item, None)
        lines += [f"{number}. {first}", *further_lines]
    talk.lines.listing(lines or ["Nothing is assumed yet; each answer to a question becomes an assumption."])
    if lines:
        talk.lines.say("'retract N' takes an answer back; 'instead N M' puts option M in its place.")


def _retract(talk: Conversation, words: str) -> None:
    item = picked(_assumed(talk), words, "an assumption")
    _store(talk, partial(talk.bench.questions.retract, item.assumption.question))


def _instead(talk: Conversation, words: str) -> None:
    number, _, chosen = words.strip().partition(" ")
    item = picked(_assumed(talk), number, "an assumption")
    if item.question is None:
        raise WorkbenchError("The request asks this no more; 'retract' takes the assumption away.")
    choice = chosen.strip()
    value = (
        choice[1:].strip()
        if choice.startswith("=")
        else picked(item.question.options, choice, "an option").value
    )
    _store(talk, partial(talk.bench.questions.answer, item.question, value))


def _request(talk: Conversation, words: str) -> None:
    del words
    lines = talk.state.request.splitlines()
    talk.lines.listing(f"{number} {text}".rstrip() for number, text in enumerate(lines, start=1))


def _sentences(talk: Conversation, words: str) -> None:
    del words
    talk.lines.listing(sentence_lines(talk.bench.words.sentences.all()))


COMMANDS = (
    Command("questions", "", "what the request leaves open, and the answers so far", _questions, menu=True),
    Command(
        "question", "[N]", "show a question, or the most deciding one, and answer it", _question, menu=True
    ),
    Command("answer", "N=M ...", "answer questions by numbers, or with own words behind '='", _answer),
    Command("answers", "FILE", "take the answers of a TOML file", _answers),
    Command("assumptions", "", "what is assumed, by whom, and the other answers", _assumptions),
    Command("retract", "N", "take the answer of assumption N back", _retract),
    Command("instead", "N M", "put another answer in place of that of assumption N", _instead),
    Command("request", "", "the request with line numbers", _request),
    Command("sentences", "", "every sentence of the request and what it is taken for", _sentences),
)
