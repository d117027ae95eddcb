"""The report of a session as one page, in Markdown or as an HTML file with its plots.

All text of the session is outside text: it is escaped by the templates. The HTML page is one file that loads
nothing and runs nothing; its content security policy says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from workbench.check.realise.run_words import run_words
from workbench.clean_text import clean
from workbench.model import Arguments, Requirement, Run, Sentence
from workbench.policy.value_words import arguments_words
from workbench.policy.written import OWN_NAMES, ArgumentWords

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.runtime import Context

    from workbench.app.report import Report
    from workbench.check.evidence import Evidence


BAR_WIDTH = 420


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a plot: its label, its count, its length in pixels, and its colour class."""

    label: str
    count: int
    length: int
    tone: str = ""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Everything that a page shows of a session.

    ``evidence`` is None if the policy is not in the dialect. ``words`` are those for its arguments.
    """

    title: str
    request: str
    sentences: tuple[Sentence, ...]
    requirements: tuple[Requirement, ...]
    policy: str
    report: Report
    evidence: Evidence | None
    words: ArgumentWords = OWN_NAMES

    @property
    def decisions(self) -> tuple[Bar, ...]:
        """The replay's decisions as bars."""
        replay = self.report.replay
        asked = {"ask": replay.ask} if replay.ask else {}
        return _bars(
            {"allow": replay.allow, **asked, "deny": replay.deny, "cannot evaluate": replay.cannot_evaluate}
        )

    @property
    def rules(self) -> tuple[Bar, ...]:
        """Bars of how often each rule fired in the replay."""
        return _bars(self.report.replay.by_rule, tone="deny")


def _bars(counts: Mapping[str, int], tone: str = "") -> tuple[Bar, ...]:
    highest_count = max(counts.values(), default=0) or 1
    return tuple(
        Bar(label, count, round(BAR_WIDTH * count / highest_count), tone or label.replace(" ", "-"))
        for label, count in counts.items()
    )


def render_html(page: SessionPage) -> str:
    """The page as one HTML file."""
    return _render("session.html.j2", page, escape=True)


def render_markdown(page: SessionPage) -> str:
    """The page as Markdown; text of the session is in code spans and fenced blocks."""
    return _render("session.md.j2", page, escape=False)


def _render(name: str, page: SessionPage, *, escape: bool) -> str:
    filled = _template(name, escape=escape).render(page=page, report=page.report, evidence=page.evidence)
    return clean(filled.strip()) + "\n"


@lru_cache(maxsize=4)
def _template(name: str, *, escape: bool) -> Template:
    """A template, which is compiled once."""
    from jinja2 import Environment, StrictUndefined, pass_context

    environment = Environment(
        autoescape=escape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    @pass_context
    def given(context: Context, arguments: Arguments) -> str:
        return arguments_words(context["page"].words.shown(arguments))

    filters: dict[str, Callable[..., str]] = {
        "given": given,
        "run": run_text,
        "span": code_span,
        "fence": code_fence,
    }
    environment.filters.update(filters)  # pyright: ignore[reportUnknownMemberType]  jinja2 types filters loosely
    source = resources.files("workbench.app.page").joinpath(name).read_text(encoding="utf-8")
    return environment.from_string(source)


def run_text(run: Run) -> str:
    """A run in which a counterexample happens, in a line for each call."""
    return "\n".join(run_words(run))


def code_span(text: object) -> str:
    """Text as a Markdown code span on one line; no character of the text can end it."""
    span_text = " ".join(str(text).split()).replace("`", "'").replace("|", "\\|")
    return f"`{span_text}`" if span_text else ""


def code_fence(text: str, language: str = "") -> str:
    """Text as a Markdown fenced block; the fence is longer than any run of backticks in it."""
    longest = run = 0
    for letter in text:
        run = run + 1 if letter == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


__all__ = ["SessionPage", "render_html", "render_markdown"]
