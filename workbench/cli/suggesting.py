"""The output of suggestions for a sentence that is not of the language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.clean_text import clean, counted, one_line
from workbench.cli.output import paint, write, write_json
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.suggestions import Offered

_TURNED = {
    "newly-allowed": "newly allows",
    "newly-asked": "newly asks about",
    "newly-denied": "newly denies",
    "cannot-evaluate": "no longer evaluates",
}


def tell_suggestions(text: str, why: str, found: Sequence[Offered], as_json: bool) -> int:
    """Print what a foreign sentence may mean; the exit code says that it is not read."""
    from workbench.app.json_output.results import OFFERED

    if as_json:
        write_json([OFFERED.write(one) for one in found])
        return 1
    write(paint(f"“{one_line(text)}”", Tone.TITLE))
    write(one_line(why))
    if not found:
        write("Nothing is suggested: its words name no tool and no value of this agent.")
        return 1
    for one in found:
        for line in _lines(one):
            write(line)
    write("")
    write("Choose one with --pick and its number; --keep stores it.")
    return 1


def _lines(one: Offered) -> Iterator[str]:
    from workbench.language.language import lines_of

    first, *others = lines_of(one.text)
    yield ""
    yield f"{one.number:3}  {clean(first)}"
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
        yield f"     It leaves out: {one_line(', '.join(one.left_out))}"
