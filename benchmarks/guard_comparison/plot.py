"""A plot of shares with their intervals as SVG: one line for each guard, published figures hollow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from guard_comparison.figures_report import CALL_COLUMNS, RUN_COLUMNS, Evaluation

_LEFT, _WIDTH, _LINE, _TOP = 300, 460, 22, 56
_INK, _MUTED, _POINT = "#1a1a1a", "#767676", "#0b5cad"


@dataclass(frozen=True, slots=True)
class ShareBar:
    """One line of a plot: a share in [0, 1] with its interval, or a published figure without one."""

    label: str
    value: float | None
    low: float = 0.0
    high: float = 0.0
    published: bool = False


def evaluation_plot(evaluation: Evaluation) -> str:
    """The main shares of an evaluation, one below the other, as one SVG document."""
    by_runs = any(row.runs is not None for row in evaluation.rows)
    columns = RUN_COLUMNS if by_runs else CALL_COLUMNS
    chosen = ("attacks", "untouched", "tasks") if by_runs else ("accuracy", "precision", "recall")
    parts: list[str] = []
    top = 0
    for name in chosen:
        bars = [
            ShareBar(row.guard, share.value, *share.interval)
            for row in evaluation.rows
            for share in [getattr(row.runs if by_runs else row.calls, name)]
        ]
        bars += [
            ShareBar(f"{row.method} (published)", row.figures[name] / 100, published=True)
            for row in evaluation.published
            if name in row.figures
        ]
        panel, height = _panel(f"{columns[name]}: {evaluation.dataset}", bars, top)
        parts += panel
        top += height
    size = f'width="{_LEFT + _WIDTH + 80}" height="{top}" viewBox="0 0 {_LEFT + _WIDTH + 80} {top}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
            f'<rect width="100%" height="100%" fill="white"/><title>{escape(evaluation.dataset)}</title>',
            *parts,
            "</svg>\n",
        ]
    )


def _panel(title: str, bars: Sequence[ShareBar], top: int) -> tuple[list[str], int]:
    bottom = top + _TOP + _LINE * len(bars)
    lines = [
        f'<text x="12" y="{top + 22}" fill="{_INK}" font-size="14" font-weight="bold">{escape(title)}</text>'
    ]
    for percent in range(0, 101, 20):
        x = _x(percent / 100)
        lines.append(f'<line x1="{x}" y1="{top + 42}" x2="{x}" y2="{bottom - 8}" stroke="#dddddd"/>')
        lines.append(f'<text x="{x}" y="{top + 38}" fill="{_MUTED}" text-anchor="middle">{percent} %</text>')
    for number, bar in enumerate(bars):
        lines += _bar(bar, top + _TOP + _LINE * number)
    return lines, bottom - top


def _bar(bar: ShareBar, y: int) -> list[str]:
    tone = _MUTED if bar.published else _INK
    label = escape(bar.label if len(bar.label) <= 44 else bar.label[:43] + "\u2026")
    lines = [f'<text x="{_LEFT - 12}" y="{y + 4}" fill="{tone}" text-anchor="end">{label}</text>']
    if bar.value is None:
        return [*lines, f'<text x="{_LEFT + 4}" y="{y + 4}" fill="{_MUTED}">nothing to count</text>']
    x = _x(bar.value)
    if not bar.published:
        low, high = _x(bar.low), _x(bar.high)
        lines.append(f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{_POINT}" stroke-width="2"/>')
    fill = "white" if bar.published else _POINT
    lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{fill}" stroke="{_POINT}"/>')
    lines.append(f'<text x="{_LEFT + _WIDTH + 14}" y="{y + 4}" fill="{tone}">{100 * bar.value:.1f}</text>')
    return lines


def _x(share: float) -> float:
    return round(_LEFT + _WIDTH * share, 1)
