"""The user's own keys and habits: ``keys.toml`` in the user's configuration folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.model import WorkbenchError

FILE = "keys.toml"
VIM = {
    "list.page_down": "pagedown,space,ctrl+f,ctrl+d",
    "list.page_up": "pageup,ctrl+b,ctrl+u",
    "palette": "ctrl+p,colon",
    "details.next": "n,right_square_bracket",
    "details.previous": "p,N,left_square_bracket",
}


def user_keys() -> Path:
    """Where the file is looked for."""
    from platformdirs import user_config_path

    return user_config_path("policy-workbench") / FILE


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person wants of the screen: keys by action id, words offered while typing, animation."""

    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    suggestions: bool = True
    animation: bool = True


def read_preferences(path: Path) -> Preferences:
    """What a file says; the usual where there is none. Raises WorkbenchError for what is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Preferences()
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbenchError(f"{path} cannot be read ({error}); the keys are the usual ones.") from error
    from workbench.old_screen.keys_file import preferences

    return preferences(text, str(path))
