"""Commands about the open questions of a request: ask, answer, request.

The text about questions: coverage, paths of readings, previews of answers.

The text about the way through a request: what blocks first, on one screen, and the next step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Never

import typer

from workbench.app.requested_sentence import SentenceState
from workbench.app.results import SHOWN_CALLS
from workbench.clean_text import clean, code_line, counted, one_line
from workbench.cli.conflict_text import agreed, conflict_lines, contradiction_lines
from workbench.cli.diff_text import change_lines, dropped_lines
from workbench.cli.model_calls import tell_call
from workbench.cli.open_session import guard_absent, reading, writing
from workbench.cli.output import note, paint, write, write_json, write_lines, write_result
from workbench.cli.parameters import Anyway, AsJson, ReplayCalls, SessionPath
from workbench.cli.person import need_person
from workbench.cli.report_text import arguments_text, not_in_force_lines, shown_options
from workbench.model import WorkbenchError
from workbench.tones import Tone

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.app.owed import Owed
    from workbench.app.requested_sentence import RequestedSentence
    from workbench.app.results import ChoicePreview, SessionChange, Understanding
    from workbench.app.standing import Standing
    from workbench.app.what_changed import WhatChanged
    from workbench.app.workbench import Workbench
    from workbench.model import Question


Answers = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUESTION VALUE",
        help="A question, by its id, the beginning of it or words of its sentence, and the value of the "
        "chosen option; where asked, the sentence in your own words. Several such pairs are stored together.",
        show_default=False,
    ),
]
Retract = Annotated[bool, typer.Option("--retract", help="Take the answer back; the question is open again.")]
Redraft = Annotated[
    bool,
    typer.Option("--redraft", help="Let the author draft with the answer at once; a model is asked."),
]
Preview = Annotated[
    bool,
    typer.Option("--preview", "--dry-run", help="Show what each answer would change, and store nothing."),
]


def ask(
    session: SessionPath,
    everything: Annotated[
        bool, typer.Option("--all", help="List everything, also what is said already.")
    ] = False,
    form: Annotated[
        bool,
        typer.Option("--form", help="Write the open sentences as a form, which 'say --file' reads."),
    ] = False,
    replay_calls: ReplayCalls = False,
    as_json: AsJson = False,
) -> int:
    """List what is not in force, what is open, and what comes next.

    Exits with 1 if a question is open or something is not in force.
    """
    with reading(session, replay_calls=replay_calls) as bench:
        guard_absent(bench)
        bench.policy.terms()  # of a policy with problems nothing can be asked
        if not as_json:
            return _tell_standing(bench.standing(), everything=everything, form=form)
        understanding = bench.in_force.understand()
    write_result(understanding)
    return 0 if understanding.settled else 1


def _tell_standing(standing: Standing, *, everything: bool, form: bool) -> int:
    open_sentences = standing.open_sentences
    write_lines(_form_lines(open_sentences) if form else _standing_lines(standing, everything=everything))
    return 0 if standing.settled else 1


def answer(
    session: SessionPath,
    answers: Answers = None,
    retract: Retract = False,
    preview: Preview = False,
    anyway: Anyway = False,
    redraft: Redraft = False,
    replay_calls: ReplayCalls = False,
    as_json: AsJson = False,
) -> int:
    """Answer questions; policy and cases follow.

    Several answers are stored together or not at all; one that the others settle is told. The answer is kept
    as an explicit assumption; a later one replaces it. An edit of yours is never overwritten: where the
    answer would change the same definition, the command says so and exits with 1. It does so too where the
    answer is not in force, as a model drafted something else: --redraft mends that. If clauses of the
    contract would not hold, nothing is stored.
    """
    words = answers or []
    _check_ways(len(words), retract=retract)
    if preview:
        return _preview(session, words, retract=retract, replay_calls=replay_calls, as_json=as_json)
    need_person(session, "Answer for a person, and change its policy?")
    with writing(session, replay_calls=replay_calls) as bench:
        chosen = [] if retract else _chosen(bench.questions.understand(), words)

        def act() -> SessionChange:
            if retract:
                return bench.questions.retract(_find_assumed(bench, words[0]))
            if len(chosen) == 1:
                return bench.questions.answer(*chosen[0])
            return bench.questions.answer_all(chosen)

        with agreed(bench, anyway=anyway):
            redrafted, changes = bench.with_changes(lambda: _with_redraft(bench, act, redraft=redraft))
        missing = bench.in_force.missing_answers()
    changed, compared = redrafted
    _tell(changed, changes, session, as_json, chosen, missing, compared)
    return 1 if changed.conflicts or missing else 0


def _with_redraft(
    bench: Workbench, act: Callable[[], SessionChange], *, redraft: bool
) -> tuple[SessionChange, str]:
    """The change of an act, with a new draft after it, and how the two drafts compare."""
    changed = act()
    if not redraft:
        return changed, ""
    bench.authorship.watch(tell_call)
    return bench.request.redraft_with_answers()


def _check_ways(words: int, *, retract: bool) -> None:
    """Raise WorkbenchError if the words and options are no one way to answer."""
    in_pairs = words > 0 and words % 2 == 0
    if not (words == 1 if retract else in_pairs):
        raise WorkbenchError("Give questions, each with a value; or one question with --retract.")


def _chosen(understanding: Understanding, words: Sequence[str]) -> list[tuple[Question, str]]:
    """The questions that the words name, each with its value; raises WorkbenchError if one is named twice."""
    chosen = [
        (find_question(understanding, name), value)
        for name, value in zip(words[::2], words[1::2], strict=True)
    ]
    named: set[str] = set()
    for question, _ in chosen:
        if question.id in named:
            raise WorkbenchError(f"{question.id} is answered twice; give one value for it.")
        named.add(question.id)
    return chosen


def _find_assumed(bench: Workbench, beginning: str) -> str:
    """The id of the answered question that begins so, even if the request does not raise it any more."""
    return _only(beginning, [item.question for item in bench.request.assumptions], "answered question")


def _preview(session: Path, words: Sequence[str], *, retract: bool, replay_calls: bool, as_json: bool) -> int:
    """Show what each answer would change by itself."""
    if as_json and len(words) > 2:
        raise WorkbenchError(
            "--preview --json shows what one answer would change; leave --json out, or give one."
        )
    with reading(session, replay_calls=replay_calls) as bench:
        logs, understanding = bench.runs.load(), bench.questions.understand()
        chosen = (
            [(find_question(understanding, words[0]), None)] if retract else _chosen(understanding, words)
        )
        previews = [
            (question, value, bench.questions.preview(question, value, logs)) for question, value in chosen
        ]
    if as_json:
        write_result(previews[0][2])
        return 0
    if len(previews) > 1:
        write("What each answer would change by itself:")
    for question, value, shown in previews:
        write_lines((*_chosen_lines(question, value), *_preview_lines(shown)))
    return 0


def request(
    session: SessionPath,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the Markdown to this file.")
    ] = None,
    replay_calls: ReplayCalls = False,
) -> int:
    """Print the request as it is understood, as Markdown.

    Every sentence stands next to its reading, with the assumptions that it needed.
    """
    from workbench.app.named_files import write_named

    with reading(session, replay_calls=replay_calls) as bench:
        refined = bench.questions.refined(bench.questions.understand())
        text = refined.markdown(bench.session.info.name)
    if output is None:
        write(text.rstrip())
    else:
        write_named(output, text)
        note(f"Wrote {output}.")
    return 0


def find_question(understanding: Understanding, beginning: str) -> Question:
    """The question with this id, the only one whose id begins so, or the only open one with these words.

    If the ids of several questions begin so, only the open ones count. Raises WorkbenchError if no question
    or several match.
    """
    if not any(item.id.startswith(beginning) for item in understanding.questions):
        about = [item for item in understanding.open if beginning.casefold() in item.quote.casefold()]
        if len(about) == 1:
            return about[0]
        if understanding.open:
            return _named(beginning, about or understanding.open, several=bool(about))
    ids = [item.id for item in understanding.open if item.id.startswith(beginning)]
    if len(ids) != 1 or beginning in {item.id for item in understanding.questions}:
        ids = [item.id for item in understanding.questions]
    question_id = _only(beginning, ids, "question")
    return next(item for item in understanding.questions if item.id == question_id)


def _named(beginning: str, questions: Sequence[Question], *, several: bool) -> Never:
    trouble = (
        "is about several open questions" if several else "begins no id and no open question is about it"
    )
    choices = ", ".join(f"{item.id} (“{item.quote}”)" if item.quote else item.id for item in questions)
    raise WorkbenchError(f"{beginning!r} {trouble}; choose one of: {choices}.")


def _only(beginning: str, ids: list[str], noun: str) -> str:
    if not ids:
        raise WorkbenchError(f"{beginning!r} is no {noun}: there is none.")
    matches = [id_ for id_ in ids if id_ == beginning] or [id_ for id_ in ids if id_.startswith(beginning)]
    if len(matches) == 1:
        return matches[0]
    trouble = f"begins the ids of several {noun}s" if matches else f"is the id of no {noun}"
    raise WorkbenchError(f"{beginning!r} {trouble}; choose one of: {', '.join(matches or ids)}.")


def _tell(
    changed: SessionChange,
    changes: WhatChanged,
    session: Path,
    as_json: bool,
    chosen: Sequence[tuple[Question, str]],
    missing: Sequence[Owed],
    compared: str,
) -> None:
    if as_json:
        from workbench.app.what_changed import SESSION_CHANGE

        write_json(SESSION_CHANGE.write((changed, changes)))
        return
    from workbench.cli.report_text import not_in_force_lines

    for line in (
        *(line for question, value in chosen for line in _answered_lines(question, value, changed)),
        *_stored_lines(changed, changes, session),
        *([compared] if compared else []),
        *not_in_force_lines(missing),
    ):
        write(line)


_MOST_CHANGES = 24
_MOST_CALLS = 8


def _chosen_lines(question: Question, value: str | None) -> Iterator[str]:
    """The words of a question and the option that was chosen; None for ``value`` takes the answer back."""
    label = next((option.label for option in question.options if option.value == value), "")
    said = "taken back" if value is None else f"{value}: {label}" if label else value
    yield f"{one_line(question.id)}  {one_line(question.text)}"
    yield f"  → {one_line(said)}"


def _answered_lines(question: Question, value: str, changed: SessionChange) -> Iterator[str]:
    """The words of a question and its answer, or that the other answers settle it."""
    if question.id in changed.settled:
        yield f"{one_line(question.id)}  is asked no more: the other answers settle it"
    else:
        yield from _chosen_lines(question, value)


def _stored_lines(changed: SessionChange, changes: WhatChanged, session: Path) -> Iterator[str]:
    """Lines on a stored answer: files that follow, changes, edits that are kept."""
    parts = [name for name, follows in (("policy", changed.policy), ("cases", changed.cases)) if follows]
    yield f"Stored; changed {' and '.join(parts)}." if parts else "Stored; policy and cases stay as they are."
    yield from (
        f"{one_line(name)} was changed since the answer, and stays as it is." for name in changed.left
    )
    yield from dropped_lines(changed.dropped)
    yield from _changed_lines(changes)
    yield from conflict_lines(changed, session)


def _changed_lines(changes: WhatChanged) -> Iterator[str]:
    """Lines on the changes of an act: rules, clauses, cases, calls and questions, the first of each kind."""
    sentences = list(changes.sentences())
    if sentences:
        yield paint("What changed:", Tone.TITLE)
    yield from (f"  {one_line(text)}" for text in sentences[:_MOST_CHANGES])
    if len(sentences) > _MOST_CHANGES:
        yield f"  and {len(sentences) - _MOST_CHANGES} more"
    for call in changes.calls[:_MOST_CALLS]:
        yield f"    {one_line(call.run)} call {call.index}: {call.before} → {call.after}"
    if len(changes.calls) > _MOST_CALLS:
        yield f"    and {counted(len(changes.calls) - _MOST_CALLS, 'call')} more"
    for question in changes.questions[:_MOST_CHANGES]:
        yield f"    question {question.act}, {one_line(question.question)}: {one_line(question.text)}"


def _preview_lines(choice_preview: ChoicePreview) -> Iterator[str]:
    """Lines on the changes by an answer: clauses, regions by proof, decisions in the logs."""
    answer = "Taking the answer back" if choice_preview.value is None else f"Answering {choice_preview.value}"
    yield paint(f"{one_line(answer)} would change (nothing is stored):", Tone.TITLE)
    for sign, clauses in (("-", choice_preview.removed), ("+", choice_preview.added)):
        for clause in clauses:
            yield f"  {sign} {one_line(', '.join(clause.requirements))}: {code_line(clause.source)}"
    if not choice_preview.added and not choice_preview.removed:
        yield "  no clause of the contract"
    yield from contradiction_lines(choice_preview.contradictions)
    yield from change_lines(choice_preview.change)
    for conflict in choice_preview.conflicts:
        yield f"  your edit stays as it is: {one_line(conflict.name)}"


_LINES = 20
"""The most lines without ``--all``, of a screen of 24, beside the head and the next step."""
_WIDTH = 96


def _standing_lines(standing: Standing, *, everything: bool = False) -> Iterator[str]:
    """Where a session stands: the sentences by state, what blocks first, and the next step."""
    yield paint(f"{one_line(standing.folder)}: {_counts(standing)}", Tone.TITLE)
    sections = (
        ("", "finding", [[*not_in_force_lines([item])] for item in standing.missing]),
        ("Open sentences", "open sentence", _sentence_items(standing.open_sentences)),
        (
            "Questions",
            "question",
            [_question_item(one, everything=everything) for one in standing.questions],
        ),
    )
    always = sum(one.id.startswith(SHOWN_CALLS) for one in standing.questions)
    room = 10**9 if everything else _LINES
    for title, noun, items in sections:
        shown = always if noun == "question" else 0
        if not items:
            continue
        if room <= 0 and not shown:
            yield f"and {counted(len(items), noun)}; --all lists them"
            continue
        if title:
            yield paint(title, Tone.TITLE)
        for number, item in enumerate(items):
            if number >= shown and (number or room <= 0) and len(item) >= room:
                yield f"  and {counted(len(items) - number, f'more {noun}')}; --all lists them"
                room = 0
                break
            yield from item
            room -= len(item)
    if everything:
        yield from _settled_lines(standing)
    yield paint(f"Next: {standing.next_step}", Tone.ACCENT)


def _counts(standing: Standing) -> str:
    counts = standing.counts
    listed = ", ".join(f"{counts[state]} {state}" for state in SentenceState if counts.get(state))
    return f"{counted(sum(counts.values()), 'sentence')} ({listed or 'none'})"


def _sentence_items(sentences: Sequence[RequestedSentence]) -> list[list[str]]:
    """The open sentences with their lines; the first below a heading or topic has it above."""
    items: list[list[str]] = []
    for under, group in groupby(sentences, key=lambda one: one.under[-1:]):
        above = [f"     {paint(one_line(under[0]), Tone.MUTED)}"] if under else []
        for one in group:
            text = one_line(one.requirement.text)
            shown = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
            mark = "  (in the language)" if one.exact else ""
            items.append([*above, f"  {one.requirement.span.line:>4}  {shown}{mark}"])
            above = []
    return items


def _question_item(question: Question, *, everything: bool) -> list[str]:
    lines = [f"  {paint(one_line(question.id), Tone.WARN)}", f"     {one_line(question.text)}"]
    if question.example is not None and not question.id.startswith(SHOWN_CALLS):
        lines.append(f"     they differ on: {arguments_text(question.shown)}")
    options, more = shown_options(question, everything=everything)
    lines += (f"     {one_line(option.value)}: {one_line(option.label)}" for option in options)
    if question.id.startswith(SHOWN_CALLS) and len(options) > 1:
        lines.append(f"     with {one_line(options[0].value)}: {one_line(options[0].effect)}")
    return [*lines, f"     {more}"] if more else lines


def _settled_lines(standing: Standing) -> Iterator[str]:
    """The other sentences with what they are read as, for ``--all``."""
    settled = [one for one in standing.sentences if one.state is not SentenceState.OPEN]
    if settled:
        yield paint("Said", Tone.TITLE)
    for one in settled:
        yield f"  {one.requirement.span.line:>4}  {one_line(one.requirement.text)}"
        if one.state is SentenceState.CONTEXT:
            yield f"        states no rule: {one_line(one.reason)}"
        elif one.state is SentenceState.PYTHON:
            yield f"        python: {one_line(', '.join(one.by_hand))}"
        if one.state is not SentenceState.LANGUAGE:
            yield from (f"        {clean(one_line(text))}" for text in one.texts)


def _form_lines(sentences: Sequence[RequestedSentence]) -> Iterator[str]:
    """The open sentences as a form to be filled in, which ``say --file`` reads."""
    yield "# Below each sentence of the request: sentences of the language, a line each, or"
    yield "# context: why it states no rule. What has nothing below it stays open."
    for under, group in groupby(sentences, key=lambda one: one.under[-1:]):
        if under:
            yield from ("", f"# {one_line(under[0])}")
        for one in group:
            yield from ("", f"> {one_line(one.requirement.text)}")
            if one.exact:
                yield one_line(one.requirement.text)
