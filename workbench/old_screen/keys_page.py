"""The page of the documentation that lists every action: ``python -m workbench.old_screen.keys_page``."""

from __future__ import annotations

from pathlib import Path

from workbench.old_screen.actions import ACTIONS, keys_shown

HEAD = """# Keys

Every action of the screen with its keys. All of them are in the help (F1) too, and those that belong to no
single pane in the command palette (Ctrl+P). While a window is open (a form, a list over the panes), the
keys of the panes beneath rest; help, themes, `$EDITOR` and quitting work there too.

For keys and habits of your own, write `keys.toml` into the folder `policy-workbench` of your configuration
(`~/.config/policy-workbench/keys.toml` on Linux):

```toml
vim = true              # Ctrl+D and Ctrl+U page through lists, : opens the palette
suggestions = false     # words that fit are offered only at Ctrl+N, not while typing
animation = false       # nothing moves or blinks by itself (TEXTUAL_ANIMATIONS=none does it too)

[keys]
zoom = "f9,ctrl+o"      # the name of an action and the keys that start it
```

A name or key that is not known is reported with its line at the start, and the usual keys stay.
`docs/reference/schemas/keys.json` is the JSON Schema of the file, for editors.
"""


def keys_page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for group in dict.fromkeys(action.group for action in ACTIONS):
        parts.append(f"\n## {group}\n\n| action | keys | what it does |\n|---|---|---|\n")
        parts += [
            f"| `{action.id}` | {keys_shown(action)} | {action.description} |\n"
            for action in ACTIONS
            if action.group == group
        ]
    return "".join(parts)


if __name__ == "__main__":
    Path("docs/reference/keys.md").write_text(keys_page(), encoding="utf-8")
