"""The form that asks why a wrong version of the policy does not matter."""

from __future__ import annotations

from workbench.old_screen.forms import Form, FormField, Misfit, Typed
from workbench.old_screen.state import Survivor


def reason_form(survivor: Survivor) -> Form[str]:
    """A form for the reason that is stored when the contract may let ``survivor`` pass."""
    fields = (
        FormField("reason", "Why", f"why it does not matter that no clause refuses this: {survivor.what}"),
    )

    def read(typed: Typed) -> str:
        reason = typed["reason"].strip()
        if not reason:
            raise Misfit("reason", "Type a reason: it is stored, and reviewers read it.")
        return reason

    return Form("Let this wrong version pass", lambda _typed: fields, {"reason": ""}, read, begin="reason")
