"""The model's call that runs, on a line: who is asked, how long, what came back, what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from workbench.clean_text import one_line
from workbench.old_screen.plain import Line, TextRun, Tone, fit, line, muted, width_of
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.widgets.lines import PlainLines, Row

if TYPE_CHECKING:
    from workbench.author.model.progress import CallProgress

_LOW = 30
_CUT = 12
_PURPOSE = 40


class CallLine(PlainLines, can_focus=False):
    """The call that runs; under it, where the screen is high enough, the end of what it replied."""

    DEFAULT_CSS = style_sheet(__file__)

    def show(self, progress: CallProgress | None) -> None:
        """Show a call that runs; None puts the line away."""
        self.display = progress is not None
        if progress is not None:
            low = self.screen.size.height < _LOW
            self.show_rows(lambda width: [Row(part) for part in call_lines(progress, width, low=low)])
            self.refresh(layout=True)


def call_lines(progress: CallProgress, width: int, *, low: bool) -> list[Line]:
    """The state of a call in ``width`` cells, and what it replies under it unless ``low``."""
    found = [_state(progress, width)]
    if not low:
        tail = _end(progress.tail, max(width - 3, 1))
        found.append(line(muted(f"   {tail}" if tail else "   nothing came back yet")))
    return found


def _end(text: str, width: int) -> str:
    """The end of a text on one line, in at most ``width`` cells."""
    shown = one_line(text)[-width:]
    while cell_len(shown) > width:
        shown = shown[1:]
    return shown


def _state(progress: CallProgress, width: int) -> Line:
    """In as many words as fit: shorter figures first, then a shorter name of the model, then none."""
    model = one_line(progress.model[:200])
    long, short = f"session {spent(progress)}", spent(progress, short=True)
    shown: Line = ()
    for name, used in (
        (model, long),
        (model, short),
        (fit(model, _CUT).rstrip(), short),
        ("", short),
        ("", ""),
    ):
        shown = _worded(progress, name, used)
        if width_of(shown) <= width:
            break
    return shown


def _worded(progress: CallProgress, model: str, used: str) -> Line:
    runs = [TextRun(" ◐ ", Tone.ACCENT), TextRun(one_line(progress.purpose)[:_PURPOSE])]
    runs += [muted(f" by {model}")] if model else []
    runs.append(TextRun(f"  {progress.seconds:.0f} s"))
    if progress.trouble:
        runs.append(TextRun(f"  again, since {one_line(progress.trouble)}", Tone.WARN))
    else:
        runs.append(TextRun(f"  ~{progress.pieces} tokens"))
    runs += [muted(f"  {used}")] if used else []
    return tuple(runs)


def spent(progress: CallProgress, *, short: bool = False) -> str:
    """What the session used before the call, of its budget: tokens (``short``: in thousands) and money."""
    used = progress.used
    tokens = _count(used.prompt_tokens + used.reply_tokens, short)
    tokens += f" of {_count(progress.budget_tokens, short)}" if progress.budget_tokens else ""
    tokens += "" if short else " tokens"
    money = f", {used.money:.4f}" if used.money or progress.budget_money else ""
    money += f" of {progress.budget_money:.2f}" if progress.budget_money else ""
    return f"{tokens}{money}"


def _count(tokens: int, short: bool) -> str:
    return f"{tokens / 1000:.1f}k" if short and tokens >= 1000 else f"{tokens:,}"


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample_call import CALL

    run_alone(CallLine(), lambda widget: widget.show(CALL))
