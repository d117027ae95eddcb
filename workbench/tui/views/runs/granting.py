"""Grants on the screen: the regions around a call that is asked about, what was granted, and revoking it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from workbench.clean_text import in_a_row, one_line
from workbench.model import GrantScope, Verdict, WorkbenchError
from workbench.tui.messages import Ask, Choose, TypeIn, Workbench
from workbench.tui.widgets.lines import plural

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.app.grants import ListedGrant, OfferedRegion
    from workbench.app.live import Outcome
    from workbench.tui.views.runs.view import RunsView

type Offering = Callable[[Workbench], Sequence[OfferedRegion]]

_SCOPES = {
    GrantScope.ONCE: "for one call of this run",
    GrantScope.RUN: "for every call of this run",
    GrantScope.ALWAYS: "for every run until it expires",
}


def _logs(bench: Workbench) -> list[Path]:
    """The logs of a session and of its hooks."""
    from workbench.app.hook_guard import recorded_logs

    return recorded_logs(bench.session)


class Granting:
    """Shows a person what a grant would open, and stores or revokes it."""

    def __init__(self, view: RunsView) -> None:
        """Act for a view."""
        self._view = view

    # --- granting

    def do_grant(self) -> bool:
        """Grant the chosen call of a log, if the policy asked about it; False if it did not."""
        decided = self._view.chosen
        if decided is None or decided.decision.verdict is not Verdict.ASK:
            return False
        run, index = decided.run, decided.index

        def offering(bench: Workbench) -> Sequence[OfferedRegion]:
            return tuple(bench.grants.offered(_logs(bench), run, index))

        self._offer(offering, self._told)
        return True

    def offer_waiting(self, outcome: Outcome, log: Path | None, granted: Callable[[str], object]) -> None:
        """Offer the regions around a call that waits; ``granted`` is called with the id of the grant."""

        def offering(bench: Workbench) -> Sequence[OfferedRegion]:
            logs = dict.fromkeys((*_logs(bench), *(() if log is None else (log,))))
            return tuple(bench.grants.offered_now(list(logs), outcome))

        self._offer(offering, granted)

    def _offer(self, offering: Offering, granted: Callable[[str], object]) -> None:
        choose = partial(self._choose_region, granted)
        self._view.post_message(Ask("regions", offering, choose, "proving the regions of a grant"))

    def _choose_region(self, granted: Callable[[str], object], offers: Sequence[OfferedRegion]) -> None:
        if not offers:
            self._say("No region around this call is proved to open nothing else.")
            return
        shown = [(offer, "", region_words(offer)) for offer in offers]
        choose_scope = partial(self._choose_scope, granted)
        self._view.post_message(Choose("Which calls may run? Narrowest first", shown, choose_scope))

    def _choose_scope(self, granted: Callable[[str], object], offer: OfferedRegion) -> None:
        shown = [(scope, "", words) for scope, words in _SCOPES.items()]
        type_reason = partial(self._type_reason, granted, offer)
        self._view.post_message(Choose("How often?", shown, type_reason))

    def _type_reason(self, granted: Callable[[str], object], offer: OfferedRegion, scope: GrantScope) -> None:
        store = partial(self._store, granted, offer, scope)
        self._view.post_message(TypeIn("hours, and why: ", store, "8 "))

    def _store(
        self, granted: Callable[[str], object], offer: OfferedRegion, scope: GrantScope, words: str
    ) -> None:
        def add(bench: Workbench) -> str:
            from workbench.app.grants import user_name

            lasting, reason = _read(words)
            by = user_name()
            return bench.grants.add(offer, scope=scope, lasting=lasting, by=by, reason=reason).id

        self._view.post_message(Ask("grant", add, granted))

    def _told(self, name: str) -> None:
        self._say(f"Granted as {name}; the agent has to make the call again.")

    def _say(self, words: str) -> None:
        self._view.say(one_line(words))

    # --- what was granted

    def do_grants(self) -> bool:
        """List the grants; the chosen one is revoked."""
        return self._view.post_message(Ask("grants", lambda bench: bench.grants.listed(), self._list))

    def _list(self, listed: Sequence[ListedGrant]) -> None:
        if not listed:
            self._say("Nothing was granted.")
            return
        shown = [(one.grant.id, "✓" if one.in_force else "", grant_words(one)) for one in listed]
        self._view.post_message(Choose("Grants; Enter revokes", shown, self._revoke))

    def _revoke(self, name: str) -> None:
        def revoke(bench: Workbench) -> str:
            from workbench.app.grants import user_name

            ended = bench.grants.revoke(name, user_name())
            return f"{ended.id} is revoked; it opens nothing from now on."

        self._view.post_message(Ask("grant", revoke, self._say))


def region_words(offer: OfferedRegion) -> str:
    """What a region opens, which logged calls lie in it, and which rules it overrides."""
    inside = plural(len(offer.inside), "logged call")
    only = "only with exactly these arguments · " if offer.region.exact else ""
    closed = f" · partly closed by {in_a_row(offer.closed)}" if offer.closed else ""
    calls = ", ".join(f"{run} {index}" for run, index in offer.inside[:3])
    opens = f"{only}{inside} in it, {offer.opened} opened ({calls})"
    overrides = f"overrides {in_a_row(offer.overrides)}{closed}"
    return one_line(f"{offer.region.words}: {offer.sentence} · {opens} · {overrides}")


def grant_words(listed: ListedGrant) -> str:
    """What was granted, by whom and why, and whether it is in force."""
    one = listed.grant
    scope = _SCOPES[one.scope].replace("this run", one.run or "a run")
    given = f"{one.by}: {one.reason} · overrides {in_a_row(one.overrides)}"
    return one_line(f"{one.id} {listed.state}: {listed.sentence} · {scope} · {given}")


def _read(words: str) -> tuple[timedelta, str]:
    """How long a grant lasts, and why it is made, as a person typed it."""
    hours, _, reason = words.strip().partition(" ")
    try:
        lasting = timedelta(hours=float(hours))
    except (ValueError, OverflowError):
        raise WorkbenchError("Type the hours and then why it is granted, such as: 8 the release.") from None
    if not reason.strip():
        raise WorkbenchError("Say why it is granted, after the hours: 8 the release.")
    return lasting, reason
