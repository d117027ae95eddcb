"""The progress of a model's calls on standard error, for a person who watches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from workbench.clean_text import clean
from workbench.cli.output import note

if TYPE_CHECKING:
    from workbench.app.authorship import CallProgress

_SHOWN = 60
_WIDTH = 100


def tell_call(progress: CallProgress) -> None:
    """Write the progress of a call: a line that grows while it runs, and its usage at its end.

    The planned cost of calls is written even if no person watches.
    """
    if progress.planned is not None:
        note(progress.planned.sentence(progress.model))
    if progress.planned is not None or progress.replayed or not sys.stderr.isatty():
        return
    if progress.done:
        sys.stderr.write(f"\r{clean(cost_line(progress)):<{_WIDTH}}\n")
    else:
        sys.stderr.write(f"\r{clean(running_line(progress))[:_WIDTH]:<{_WIDTH}}")
    sys.stderr.flush()


def running_line(progress: CallProgress) -> str:
    """A line on a running call: its purpose, its model, its duration and the length of the reply so far."""
    doing = f"trying again, since {progress.trouble}" if progress.trouble else f"~{progress.pieces} tokens"
    return f"{progress.purpose[:_SHOWN]} ({progress.model}): {progress.seconds:.0f} s, {doing}"


def cost_line(progress: CallProgress) -> str:
    """A line on a finished call, with the part of its budget that the session has used so far."""
    usage = progress.used
    tokens = f"{usage.prompt_tokens + usage.reply_tokens:,}"
    tokens += f" of {progress.budget_tokens:,}" if progress.budget_tokens else ""
    cost = f", {usage.money:.4f}" if usage.money or progress.budget_money else ""
    cost = f", cost {usage.cost}" if usage.unpriced_tokens else cost
    cost += f" of {progress.budget_money:.2f}" if progress.budget_money else ""
    end = "no reply after" if progress.failed else ""
    took = f"{end} {progress.seconds:.0f} s".strip()
    is_other_model = not progress.failed and progress.model.lower() not in progress.replied_by.lower()
    took += f", answered by {progress.replied_by or 'a model without a name'}" if is_other_model else ""
    return f"{progress.purpose[:_SHOWN]}: {took}; the session has used {tokens} tokens{cost}."
