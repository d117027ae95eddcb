"""The command of the sentences of a policy of calls: ``say``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import clean, one_line
from workbench.cli.conflict_text import contradiction_lines
from workbench.cli.diff_text import change_lines
from workbench.cli.open_session import reading, writing
from workbench.cli.output import paint, write, write_json
from workbench.cli.parameters import Anyway, AsJson, SessionPath
from workbench.model import WorkbenchError
from workbench.tones import Tone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.app.sentences import Completion, Said, SayPreview

Text = Annotated[
    str, typer.Argument(metavar="SENTENCE", help="A sentence of the language.", show_default=False)
]
Complete = Annotated[
    str | None,
    typer.Option(
        "--complete", metavar="TEXT", help="List what may come next after the beginning of a sentence."
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="Add it to the policy file; undo takes it back.")]
ReadAll = Annotated[bool, typer.Option("--all", help="Read the whole policy aloud.")]


def say(
    session: SessionPath,
    sentence: Text = "",
    complete: Complete = None,
    keep: Keep = False,
    read_all: ReadAll = False,
    anyway: Anyway = False,
    as_json: AsJson = False,
) -> int:
    """Say a rule in a sentence, or read a policy of calls aloud.

    Shows the rule that the sentence is, an input that it decides otherwise and the recorded calls that turn.
    A sentence that is not read is shown as far as it is, with what could stand there.
    """
    if complete is not None:
        with reading(session) as bench:
            return _tell_completion(bench.sentences.complete(complete), as_json)
    if read_all:
        with reading(session) as bench:
            return _tell_aloud(bench.sentences.aloud(), as_json)
    if not sentence:
        raise WorkbenchError("Give a sentence, --complete with its beginning, or --all.")
    with writing(session) if keep else reading(session) as bench:
        logs = bench.runs.load()
        found = (
            bench.sentences.keep(sentence, logs, anyway=anyway)
            if keep
            else bench.sentences.preview(sentence, logs)
        )
    return _tell(found, as_json)


def _tell_completion(found: Completion, as_json: bool) -> int:
    from workbench.app.json_output.results import COMPLETION

    if as_json:
        write_json(COMPLETION.write(found))
    elif found.whole:
        write("This is a sentence.")
    else:
        for text in found.offered:
            write(one_line(text))
    return 0 if found.whole or found.offered else 1


def _tell_aloud(sentences: tuple[Said, ...], as_json: bool) -> int:
    from workbench.app.json_output.results import SAID

    for one in sentences:
        if as_json:
            write_json(SAID.write(one))
        else:
            for line in _aloud(one):
                write(line)
    return 0 if all(one.text for one in sentences) else 1


def _aloud(one: Said) -> Iterator[str]:
    yield paint(f"{one.name}, line {one.line}", Tone.TITLE)
    if not one.text:
        yield paint(f"  {one_line(one.why)} It is read in Python.", Tone.BAD)
    yield from (f"  {clean(line)}" for line in one.lines)


def _tell(found: SayPreview, as_json: bool) -> int:
    from workbench.app.json_output.results import SAY_PREVIEW

    if as_json:
        write_json(SAY_PREVIEW.write(found))
        return 0
    for line in _sentence_lines(found):
        write(line)
    return 0


def _sentence_lines(found: SayPreview) -> Iterator[str]:
    yield from map(clean, found.lines)
    yield ""
    yield from map(clean, found.python.rstrip().split("\n"))
    yield from contradiction_lines(found.contradictions)
    yield ""
    yield from change_lines(found.change)
    yield f"Added {found.name} to the policy." if found.stored else "Nothing is stored; --keep does that."
