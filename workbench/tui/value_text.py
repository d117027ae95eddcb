"""How values, decisions and verdicts are written on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta

from workbench.app.value_texts import argument_words, value_words, without_empty
from workbench.check.verdict_words import PREVIEWED, verdict_sign, verdict_words
from workbench.clean_text import clean
from workbench.model import Arguments, ClauseProof, ProofStatus, RecordValue, Value, Verdict
from workbench.tui.text_runs import Line, TextRun, Tone, line, muted, wrap
from workbench.tui.widgets.lines import Row

VERDICT_TONE = {Verdict.ALLOW: Tone.GOOD, Verdict.DENY: Tone.BAD, Verdict.CANNOT_EVALUATE: Tone.WARN}
VERDICT_NAME = {Verdict.ALLOW: "allow", Verdict.DENY: "deny", Verdict.CANNOT_EVALUATE: "cannot"}
STATUS_TONE = {
    ProofStatus.REFUTED: Tone.BAD,
    ProofStatus.UNKNOWN: Tone.WARN,
    ProofStatus.VACUOUS: Tone.WARN,
    ProofStatus.PROVED: Tone.GOOD,
}


def value_text(value: Value) -> str:
    """A value as a reader of the policy would write it."""
    match value:
        case None:
            return "(missing)"
        case bool():
            return "true" if value else "false"
        case frozenset():
            return "{" + ", ".join(map(_element, sorted(value))) + "}"
        case RecordValue() | tuple() | timedelta():
            return clean(value_words(value))
        case str():
            return f'"{clean(value)}"'
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return str(value)


def _element(item: str | int) -> str:
    return f'"{clean(item)}"' if isinstance(item, str) else str(item)


def argument_rows(arguments: Arguments, width: int, key: str = "", indent: int = 2) -> list[Row]:
    """A table of arguments: names in a column, values wrapped beside them."""
    saying, empty = without_empty(arguments)
    told = list(_told(saying))
    names = max((len(name) for name, _ in told), default=0)
    names = min(names, max(width // 3, 8))
    rows: list[Row] = []
    for name, text in told:
        path = "." in name and len(name) > names  # a field is told by its end, which is never cut
        head = " " * indent + (clean(name) if path else clean(name)[:names].ljust(names)) + "  "
        content = line(muted(head), TextRun(text, Tone.CODE))
        if path:
            rows += [Row(part, key) for part in wrap(content, width, indent=indent + 2, limit=12)]
            continue
        rows += [Row(part, key) for part in wrap(content, width, indent=len(head), limit=12)]
    return [*rows, *(paragraph(line(muted(empty)), width, key, indent) if empty else ())]


def _told(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """The name and text of each argument; of a record, those of each field."""
    for name, value in arguments.items():
        if isinstance(value, RecordValue):
            yield from ((path, clean(words)) for path, words in argument_words({name: value}))
        else:
            yield name, value_text(value)


def paragraph(content: Line | str, width: int, key: str = "", indent: int = 0, hang: int = 0) -> list[Row]:
    """A wrapped paragraph as rows, indented; lines after the first by ``hang`` more."""
    runs = line(content) if isinstance(content, str) else content
    return [Row(part, key) for part in wrap((TextRun(" " * indent), *runs), width, indent=indent + hang)]


def heading(text: str, key: str = "") -> Row:
    """A heading row."""
    return Row(line(TextRun(text, Tone.TITLE)), key)


def verdict_run(verdict: Verdict) -> TextRun:
    """The name of a verdict in its tone."""
    return TextRun(VERDICT_NAME[verdict], VERDICT_TONE[verdict])


def clause_state(
    proved: ClauseProof | None, previewed: ClauseProof | None, running: bool
) -> tuple[str, Tone, str]:
    """The mark, tone and words for a clause. A preview is never shown as proved."""
    if proved is not None and proved.status is not ProofStatus.UNKNOWN:
        found = proved
    else:
        found = previewed if previewed and previewed.status is ProofStatus.REFUTED else proved
    if found is not None:
        return verdict_sign(found), STATUS_TONE[found.status], verdict_words(found)
    waiting = ", proving" if running else ", not proved yet"
    if previewed is not None and previewed.status is ProofStatus.PROVED:
        return PREVIEWED, Tone.ACCENT, verdict_words(previewed) + waiting
    if previewed is not None and previewed.status is ProofStatus.VACUOUS:
        return verdict_sign(previewed), Tone.WARN, verdict_words(previewed) + waiting
    return "·", Tone.MUTED, "proving" if running else "not proved yet"


def plural(count: int, word: str) -> str:
    """A count with its noun."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def in_a_row(sentences: Iterable[str]) -> str:
    """Sentences and parts of sentences after one another; the full stops before a semicolon go."""
    *others, last = [*sentences] or [""]
    return "; ".join([*(one.rstrip().removesuffix(".") for one in others), last])


def reading_rows(width: int) -> list[Row]:
    """What a pane shows before the session is read: nothing is claimed about it yet."""
    return paragraph(line(muted("Reading the session.")), width)


BLANK = Row(())
