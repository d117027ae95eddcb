"""The command about the sentences that state no rule: context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import write
from workbench.cli.parameters import SessionPath

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
) -> int:
    """List the sentences that state no rule, or claim one."""
    from workbench.model import WorkbenchError

    if bool(sentence) != rule:
        raise WorkbenchError("Give a sentence together with --rule, or neither of them for the list.")
    if not rule:
        with reading(session) as bench:
            _list(bench.questions.context())
        return 0
    with writing(session) as bench:
        found = bench.questions.context_sentence(sentence)
        bench.questions.claim_rule(found)
    write(f"It is asked about: \"{one_line(found.text)}\". See 'workbench ask {session}'.")
    return 0


def _list(sentences: tuple[Sentence, ...]) -> None:
    for number, one in enumerate(sentences, start=1):
        write(f'{number:3}  line {one.span.line}: "{one_line(one.text)}"')
        write(f"       {one_line(one.why) or 'context'}")
    if not sentences:
        write("No sentence of the request is context.")
