"""The command about the sentences that state no rule: context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import write, write_json
from workbench.cli.parameters import AsJson, SessionPath
from workbench.cli.sentence_text import context_lines

if TYPE_CHECKING:
    from workbench.model import Sentence


def context(
    session: SessionPath,
    sentence: Annotated[
        str,
        typer.Argument(
            metavar="SENTENCE", help="The number that the list gives a sentence, or some words of it."
        ),
    ] = "",
    rule: Annotated[
        bool, typer.Option("--rule", help="Say that the sentence states a rule; it is asked about then.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """List the sentences that state no rule, or claim one."""
    from workbench.model import WorkbenchError

    if bool(sentence) != rule:
        raise WorkbenchError("Give a sentence together with --rule, or neither of them for the list.")
    if not rule:
        with reading(session) as bench:
            _list(bench.questions.context(), as_json)
        return 0
    with writing(session) as bench:
        context_sentence = bench.questions.context_sentence(sentence)
        said_change = bench.with_changes(lambda: bench.questions.claim_rule(context_sentence))
    if as_json:
        from workbench.app.json_output.dialogue import SAID_CHANGE

        write_json(SAID_CHANGE.write(said_change))
        return 0
    write(f"It is asked about: \"{one_line(context_sentence.text)}\". See 'workbench ask {session}'.")
    return 0


def _list(sentences: tuple[Sentence, ...], as_json: bool) -> None:
    if as_json:
        from workbench.app.json_output.dialogue import NUMBERED_SENTENCE, numbered

        write_json([NUMBERED_SENTENCE.write(numbered) for numbered in numbered(sentences)])
        return
    for line in context_lines(sentences):
        write(line)
