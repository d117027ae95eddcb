"""A desk that mails files: what its sentence keeps from being attached, another tool still gives out."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.app.new_session import new_session
from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench

SENTENCE = "Never attach files from the folder /home/kim/hr."
DECLARATION = '\n[tools.print_file.fields]\nfile = {type = "path"}\n'
"""What the question about the other tool asks for."""
_REST = "What no sentence forbids is allowed."
_TEXT = {"type": "string"}
_FILES = {"type": "array", "items": _TEXT, "description": "Paths of files to attach"}
_TOOLS = {
    "print_file": {"printer": _TEXT, "file": {**_TEXT, "description": "What to print"}},
    "send_mail": {"to": _TEXT, "attachments": _FILES},
    "reply_mail": {"body": _TEXT, "attachments": _FILES},
}


def attachment_desk(folder: Path) -> Workbench:
    """The desk as a new session in a folder, with a rule of the sentence for each of two tools.

    The person took out the declaration that what is printed is a file.
    """
    tools = [
        {
            "name": name,
            "description": f"{name}.",
            "inputSchema": {"type": "object", "properties": properties, "required": [*properties][:1]},
        }
        for name, properties in _TOOLS.items()
    ]
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "request.md").write_text(f"{SENTENCE}\n\n{_REST}\n", encoding="utf-8")
    created = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[], author="written"
    )
    created.draft()
    agent = created.workbench.agent
    assert DECLARATION.strip() in agent.text()
    agent.put_text(agent.text().replace(DECLARATION.strip(), ""), "Print")
    said = tuple(
        f"The agent must not {act} mail if there is an attachment for which the attachment lies inside "
        "“/home/kim/hr”."
        for act in ("send", "reply")
    )
    created.workbench.rewordings.keep([Reworded(SENTENCE, said), Reworded(_REST, (_REST,))])
    return created.workbench
