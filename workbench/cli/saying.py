"""The command of the sentences of a policy of calls: ``say``."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import clean, counted, one_line
from workbench.cli.conflict_text import contradiction_lines
from workbench.cli.diff_text import change_lines, dropped_lines
from workbench.cli.model_calls import tell_call
from workbench.cli.open_session import guard_absent, reading, writing
from workbench.cli.output import note, paint, tell, write, write_lines, write_result
from workbench.cli.parameters import Anyway, AsJson, SessionPath
from workbench.cli.theorem_text import verdict_lines
from workbench.model import WorkbenchError
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.rewording import Reworded, RewordingPreview
    from workbench.app.sentences import SayPreview
    from workbench.app.suggestions import Offered, OfferedSentences
    from workbench.app.workbench import Workbench
    from workbench.language.completion import Completion
    from workbench.language.language import Said
    from workbench.model import TheoremVerdict


Texts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SENTENCE",
        help="A sentence of the language, or several, of which each is checked.",
        show_default=False,
    ),
]
For = Annotated[
    str,
    typer.Option(
        "--for",
        metavar="WORDS",
        help="The sentence of the request that it rewords, by its words or their beginning.",
    ),
]
Context = Annotated[
    str,
    typer.Option(
        "--context", metavar="REASON", help="With --for: the sentence states no rule, for this reason."
    ),
]
Form = Annotated[
    Path | None,
    typer.Option(
        "--file", metavar="FILE", help="Many rewordings at once; 'ask --form' writes the open sentences."
    ),
]
AsTheyStand = Annotated[
    bool,
    typer.Option("--as-they-stand", help="Every open sentence of the request that is in the language."),
]
Complete = Annotated[
    str | None,
    typer.Option(
        "--complete",
        metavar="TEXT",
        help="List what may come next in a sentence; with --for first what has its words.",
    ),
]
Pick = Annotated[
    list[int] | None,
    typer.Option(
        "--pick",
        metavar="N",
        min=1,
        help="Take suggestion N for a sentence that is not of the language, or several.",
    ),
]
Propose = Annotated[
    bool,
    typer.Option(
        "--propose", help="Let the session's model propose sentences besides those that a search finds."
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="Add it to the policy file; undo takes it back.")]
ReadAll = Annotated[bool, typer.Option("--all", help="Read the whole policy aloud.")]


_FOREIGN = "This is no sentence of the language."
_LONGEST = 500
"""The most characters of a sentence of the request that are shown."""


def say(
    session: SessionPath,
    sentences: Texts = None,
    for_: For = "",
    context: Context = "",
    file: Form = None,
    as_they_stand: AsTheyStand = False,
    complete: Complete = None,
    pick: Pick = None,
    propose: Propose = False,
    keep: Keep = False,
    read_all: ReadAll = False,
    anyway: Anyway = False,
    as_json: AsJson = False,
) -> int:
    """Say a rule in a sentence, or read a policy of calls aloud.

    Shows the rule that the sentence is, an input that it decides otherwise and the recorded calls that turn;
    of a theorem about whole runs the preview's verdict.
    With --for it rewords a sentence of the request, and is cited by it. For a sentence that is not of the
    language, sentences are suggested that it may mean; --pick takes one of them.
    """
    if complete is not None:
        with _opened(session) as bench:
            reworded = bench.suggestions.of_request(for_)[0] if for_ else ""
            return _tell_completion(bench.sentences.complete(complete, reworded), as_json)
    if read_all:
        with _opened(session) as bench:
            return _tell_aloud(bench.sentences.aloud(), as_json)
    if pick or (for_ and not sentences and not context):
        with _opened(session, writes=keep or propose) as bench:
            offers, given = _offers(bench, propose=propose), tuple(sentences or ())
            return _suggested(
                bench, offers, given, for_, pick or (), keep=keep, anyway=anyway, as_json=as_json
            )
    if for_ or file is not None or as_they_stand:
        with _opened(session, writes=keep) as bench:
            items = _items(bench, tuple(sentences or ()), for_, context, file, as_they_stand=as_they_stand)
            found = _reworded(bench, items, keep=keep, anyway=anyway)
        return _tell_reworded(found, as_json)
    if context:
        raise WorkbenchError("Name the sentence of the request that is context with --for.")
    if not sentences:
        raise WorkbenchError("Give a sentence, --complete with its beginning, or --all.")
    with _opened(session, writes=keep or propose) as bench:
        return _said(
            bench, _offers(bench, propose=propose), sentences, keep=keep, anyway=anyway, as_json=as_json
        )


@contextmanager
def _opened(session: Path, *, writes: bool = False) -> Generator[Workbench]:
    """The session, with guards for what its rules read and may be missing."""
    with writing(session) if writes else reading(session) as bench:
        guard_absent(bench)
        yield bench


def _offers(bench: Workbench, *, propose: bool) -> OfferedSentences:
    """The suggestions that the command shows, with the progress of a model's calls."""
    if not propose:
        return bench.suggestions
    bench.authorship.watch(tell_call)
    return bench.proposals


def _said(
    bench: Workbench,
    offers: OfferedSentences,
    texts: Sequence[str],
    *,
    keep: bool,
    anyway: bool,
    as_json: bool,
) -> int:
    """Show or store a sentence, or suggest others for one that is not of the language."""
    from workbench.app.sentences import NotASentence

    logs, before = bench.runs.load(), bench.policy.terms()
    try:
        said = (
            bench.sentences.keep(texts, logs, anyway=anyway) if keep else bench.sentences.preview(texts, logs)
        )
    except NotASentence as error:
        if len(texts) > 1:
            raise
        why = str(error) if error.found.beginning else _FOREIGN
        advice = offers.advice(texts[0], logs)
        return tell_suggestions(texts[0], why, offers.of(texts[0], logs), advice, as_json)
    theorems = () if as_json else bench.theorems.said(before, bench.policy.terms(said.policy))
    tell(said, _sentence_lines(said, theorems), as_json=as_json)
    return 0


def _suggested(
    bench: Workbench,
    offers: OfferedSentences,
    sentences: tuple[str, ...],
    words: str,
    pick: Sequence[int],
    *,
    keep: bool,
    anyway: bool,
    as_json: bool,
) -> int:
    """Suggest for a sentence of the request, or take the suggestions with some numbers."""
    from workbench.app.rewording import Reworded

    given = next(iter(sentences), "")
    if bool(words) == bool(given) or len(sentences) > 1:
        raise WorkbenchError("--pick takes one sentence, or with --for a sentence of the request.")
    if not pick:
        if all(one.exact for one in bench.rewordings.named(words)):
            return _tell_reworded(_reworded(bench, (Reworded(words),), keep=keep, anyway=anyway), as_json)
        text, found = offers.of_request(words, logs := bench.runs.load())
        return tell_suggestions(text, _FOREIGN, found, offers.advice(text, logs), as_json)
    if words:
        text, chosen = offers.chosen_of_request(words, pick)
    else:
        text, chosen = given, offers.chosen(given, pick)
    asks_besides = bool(words) and not as_json
    besides = offers.beside_of_request(words, chosen, bench.runs.load()) if asks_besides else ()
    with offers.confirming(text, chosen) if keep else nullcontext():
        if not words:
            return _said(bench, offers, chosen, keep=keep, anyway=anyway, as_json=as_json)
        found = _reworded(bench, (Reworded(words, chosen),), keep=keep, anyway=anyway)
    _tell_reworded(found, as_json)
    _tell_besides(besides, pick)
    return 0


def _items(
    bench: Workbench,
    sentences: Sequence[str],
    words: str,
    context: str,
    file: Path | None,
    *,
    as_they_stand: bool,
) -> tuple[Reworded, ...]:
    """What is said of which sentences of the request."""
    from workbench.app.named_files import read_named
    from workbench.app.rewording import Reworded, read_form

    if sum((bool(words), file is not None, as_they_stand)) > 1 or bool(sentences) > bool(words):
        raise WorkbenchError("Give one of --for with its sentences, --file, and --as-they-stand.")
    if context and (sentences or not words):
        raise WorkbenchError("--context says why the sentence of --for states no rule; leave out others.")
    if file is not None:
        return read_form(read_named(file, "a text file with rewordings"))
    if as_they_stand:
        return tuple(Reworded(one.requirement.text) for one in bench.rewordings.as_they_stand())
    return (Reworded(words, tuple(sentences), context),)


def _reworded(bench: Workbench, items: Sequence[Reworded], *, keep: bool, anyway: bool) -> RewordingPreview:
    if not items:
        raise WorkbenchError("There is nothing to say: no open sentence is one of the language.")
    logs = bench.runs.load()
    if keep:
        return bench.rewordings.keep(items, logs, anyway=anyway)
    return bench.rewordings.preview(items, logs)


def _tell_reworded(found: RewordingPreview, as_json: bool) -> int:
    tell(found, _reworded_lines(found), as_json=as_json)
    return 0


def _reworded_lines(found: RewordingPreview) -> Iterator[str]:
    from workbench.language.language import lines_of

    for requirement, texts in found.taken:
        yield paint(f"“{_shortened(requirement.text)}”", Tone.TITLE)
        yield from (f"  {clean(line)}" for text in texts for line in lines_of(text))
    for requirement, reason in found.context:
        yield paint(f"“{_shortened(requirement.text)}”", Tone.TITLE)
        yield f"  states no rule: {one_line(reason)}"
    if found.replaced:
        yield ""
        yield paint("It takes the place of:", Tone.WARN)
        yield from (f"  {clean(line)}" for text in found.replaced for line in lines_of(text))
        yield "To say both, give both sentences in one command."
    if len(found.taken) == 1:
        yield ""
        yield from (clean(line) for text in found.python for line in text.rstrip().split("\n"))
    yield from contradiction_lines(found.contradictions)
    yield ""
    yield from change_lines(found.change)
    if not found.stored:
        yield "Nothing is stored; --keep does that."
        return
    yield from dropped_lines(found.dropped)
    kept = {requirement.text for requirement, _ in (*found.taken, *found.context)}
    yield f"Kept for {counted(len(kept), 'sentence')} of the request."


def _tell_completion(found: Completion, as_json: bool) -> int:
    lines = ["This is a sentence."] if found.whole else map(one_line, found.offered)
    tell(found, lines, as_json=as_json)
    return 0 if found.whole or found.offered else 1


def _tell_aloud(sentences: tuple[Said, ...], as_json: bool) -> int:
    for one in sentences:
        tell(one, _aloud(one), as_json=as_json)
    return 0 if all(one.text for one in sentences) else 1


def _aloud(one: Said) -> Iterator[str]:
    yield paint(f"{one.name}, line {one.line}", Tone.TITLE)
    if not one.text:
        yield paint(f"  {one_line(one.why)} It is read in Python.", Tone.BAD)
    yield from (f"  {clean(line)}" for line in one.lines)


def _sentence_lines(found: SayPreview, theorems: Sequence[TheoremVerdict]) -> Iterator[str]:
    yield from map(clean, found.lines)
    yield ""
    yield from map(clean, found.python.rstrip().split("\n"))
    yield from contradiction_lines(found.contradictions)
    yield ""
    if theorems:
        yield from verdict_lines(theorems)
    else:
        yield from change_lines(found.change)
    yield f"Added {found.name} to the policy." if found.stored else "Nothing is stored; --keep does that."


# --- Suggestions for a sentence that is not of the language


_TURNED = {
    "newly-allowed": "newly allows",
    "newly-asked": "newly asks about",
    "newly-denied": "newly denies",
    "cannot-evaluate": "no longer evaluates",
}


def tell_suggestions(text: str, why: str, found: Sequence[Offered], advice: str, as_json: bool) -> int:
    """Print what a foreign sentence may mean, and what it needs; the exit code says that it is not read."""
    if as_json:
        write_result(found)
        if advice:
            note(one_line(advice))
        return 1
    write(paint(f"“{_shortened(text)}”", Tone.TITLE))
    write(one_line(why))
    write_lines([*_pattern_lines(text)] or [one_line(advice)] * bool(advice))
    if not found:
        write("Nothing is suggested: too few of its words name a tool or a value of this agent.")
        return 1
    for one in found:
        write_lines(_lines(one))
    write("")
    write("Choose one with --pick and its number, or several with --pick for each; --keep stores them.")
    return 1


def _tell_besides(besides: Sequence[Offered], taken: Sequence[int]) -> None:
    """Print what a sentence may mean beside what was taken for it, and how both are said."""
    if not besides:
        return
    write("")
    write("It may mean besides:")
    for one in besides:
        write_lines(_lines(one))
    write("")
    numbers = " ".join(f"--pick {number}" for number in taken)
    write(f"To say one too, give all in one command: {numbers} --pick N, or each of them as a sentence.")


def _shortened(text: str) -> str:
    """The first words of what may be as long as a request."""
    return shorten(one_line(text), _LONGEST, placeholder=" …")


def _pattern_lines(text: str) -> Iterator[str]:
    """Lines on a path with a placeholder, which no sentence can name: the reading that it needs."""
    from workbench.language.path_patterns import path_pattern

    if (found := path_pattern(text)) is not None:
        words = found.name.replace("_", " ")
        yield f"“{clean(found.path)}” stands for many folders. Declare a reading of paths that finds them, by"
        yield (
            f"  workbench propose SESSION --reading {found.name} --type list "
            f"--pattern {clean(shlex.quote(found.regex))} --write"
        )
        yield f"Then a path in none of them is one for which the number of {words} of its full name is 0."


def _lines(one: Offered) -> Iterator[str]:
    from workbench.language.language import lines_of

    first, *others = lines_of(one.text)
    yield ""
    yield f"{one.number or '':3}  {clean(first)}"
    yield from (f"     {clean(line)}" for line in others)
    turned = "; ".join(
        f"{_TURNED.get(kind, kind)} {counted(count, 'recorded call')}" for kind, count in one.turned
    )
    effect = (
        "The policy says it already."
        if one.stands
        else "It is a theorem about whole runs: it is proved or refuted, and decides no call."
        if one.is_theorem
        else f"It {turned}."
        if turned
        else "It turns no recorded call."
    )
    yield f"     {effect}"
    if one.proposed:
        yield "     The model proposes it."
    if one.left_out:
        yield f"     It leaves out: {_shortened(', '.join(dict.fromkeys(one.left_out)))}"
