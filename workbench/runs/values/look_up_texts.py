"""The names of the texts of a call that hold the results of its look-ups."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import LookedUp


def look_up_text_name(look_ups: Sequence[LookedUp], number: int) -> str:
    """The name of the text of one result: ``look_up.TOOL``, with a number from the second on."""
    tool = look_ups[number].tool
    place = sum(looked_up.tool == tool for looked_up in look_ups[: number + 1])
    return f"look_up.{tool}" if place == 1 else f"look_up.{tool}.{place}"


def look_up_texts(look_ups: Sequence[LookedUp]) -> dict[str, str]:
    """The results of look-ups by the names of their texts."""
    return {
        look_up_text_name(look_ups, number): looked_up.result
        for number, looked_up in enumerate(look_ups)
        if looked_up.result is not None
    }
