"""Settings that a person gives once: options for all texts of a kind, the time zone, the current time."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.clarify.kinds_of_texts import kind_named
from workbench.clarify.sayable_facts import options_of
from workbench.model import AgentSpec, Json, WorkbenchError

# The settings for all texts of a kind that a person may give: words, kind and option of each.
SETTINGS = {
    "relative paths begin at": (("path", "root"), ("command", "folder")),
    "the home folder is": (("path", "home"), ("command", "home")),
    "the dialect of SQL is": (("sql", "dialect"),),
}
ZONE = "times are in"
NOW = "the current time is"

type KindOptions = Mapping[tuple[str, str], Json]
"""The settings for all texts of a kind: values by the kind and the name of the option."""


def chosen_options(spec: AgentSpec, settings: Mapping[str, str]) -> KindOptions:
    """The options of each kind: those that a person gave, otherwise those of the agent spec's arguments."""
    chosen: dict[tuple[str, str], Json] = {}
    for setting, value in settings.items():
        if setting not in (known_settings := [*SETTINGS, ZONE, NOW]):
            raise WorkbenchError(f"{setting!r} is no setting; the settings are: {', '.join(known_settings)}.")
        chosen |= dict.fromkeys(SETTINGS.get(setting, ()), value)
    for argument in spec.arguments:
        options = options_of(argument)
        kind = kind_named(argument.type, options)
        for places in SETTINGS.values():
            for of, option in places:
                if of == kind and option in options:
                    chosen.setdefault((of, option), options[option])
    return chosen
