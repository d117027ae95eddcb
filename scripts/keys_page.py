"""Write docs/reference/keys.md: every action of the screen with its keys, by the view in which it works."""

from __future__ import annotations

from pathlib import Path

from workbench.tui.keys import ACTIONS, EDITOR, KeyAction

PAGE = Path(__file__).resolve().parent.parent / "docs/reference/keys.md"
HEAD = """# Keys

Every action of the screen, with one meaning each. `?` shows those of the view in sight, `:` lists them all by
name with the commands that have no key, and the last line of the screen has those of the pane in focus.
Digits choose the numbered option in sight. Arrows and `h` `j` `k` `l` move, PgUp and PgDn turn pages, `g` and
`G` go to the first and the last line.

For keys of your own, write `keys.toml` into the folder `policy-workbench` of your configuration
(`~/.config/policy-workbench/keys.toml` on Linux):

```toml
[keys]
zoom = "f9,ctrl+o"      # the name of an action and the keys that start it
```

A name or key that is not known is reported with its line at the start, and the usual keys stay.
`TEXTUAL_ANIMATIONS=none` switches motion off.
"""
TITLES = {
    "": "Everywhere",
    "author": "Author",
    "policy": "Policy",
    "runs": "Runs",
    "memory": "Memory",
    "evidence": "Evidence",
    EDITOR: "While a text is edited",
}


def views(action: KeyAction) -> set[str]:
    """The views in which an action works; the empty name means everywhere."""
    return {place.partition(".")[0] for place in action.where} or {""}


def keys(action: KeyAction) -> str:
    """All keys of an action as text for the page."""
    shown_keys = [KeyAction(action.id, action.does, key).key_of({}) for key in action.keys.split(",") if key]
    return " ".join(f"`{key}`" for key in shown_keys) or "by its name"


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for view, title in TITLES.items():
        parts.append(f"\n## {title}\n\n| action | keys | what it does |\n|---|---|---|\n")
        parts += [
            f"| `{action.id}` | {keys(action)} | {action.does} |\n"
            for action in ACTIONS
            if view in views(action)
        ]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
