"""A run of the travel desk while it is recorded: lines of a decision log, and the broken rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from travel_world import CONNECTIONS, Desk, Record

FORMAT = "workbench-decision/1"
BERLIN = timezone(timedelta(hours=1))  # all runs are in winter time
MINUTES_TO_ANSWER = 3


@dataclass(slots=True)
class Recording:
    """A run while it is recorded: lines of a decision log, and the label of each call.

    In a ``guarded`` run a call that breaks a rule was denied; in another run it ran all the same.
    """

    name: str
    employee: str
    now: datetime
    desk: Desk
    guarded: bool = False
    lines: list[Record] = field(default_factory=list[Record])
    labels: list[Record] = field(default_factory=list[Record])

    def user(self, text: str) -> None:
        """Record a message of the employee."""
        self.now += timedelta(minutes=MINUTES_TO_ANSWER, seconds=len(text) % 50)
        self._say("user", text)

    def agent(self, text: str) -> None:
        """Record a message of the desk, to the employee or to itself."""
        self.now += timedelta(seconds=4 + len(text) % 9)
        self._say("assistant", text)

    def call(self, tool: str, *breaks: str, **arguments: object) -> None:
        """Record a call with the rules that it breaks."""
        number = len(self.labels)
        self.now += timedelta(seconds=6 + (7 * number) % 23)
        runs = not (self.guarded and breaks)
        self.labels.append({"run": self.name, "call": number, "breaks": sorted(breaks)})
        self._write(
            call=number,
            time=self.now.isoformat(),
            tool=tool,
            call_id=f"call_{self.name.rpartition('-')[2]}{number:02}",
            context={"employee": self.employee},
            arguments=json.dumps(arguments, ensure_ascii=False),
            runs=runs,
        )
        if runs:
            self._write(call=number, result=self.desk.call(tool, arguments))

    def book(self, trip: str, travellers: Sequence[str], legs: Mapping[str, str], *breaks: str) -> None:
        """Book a journey: connections with their cabins."""
        leg_rows = [
            {
                "number": f"{connection} {CONNECTIONS[connection][2][:10]}",
                "cabin": cabin,
                "minutes": CONNECTIONS[connection][3],
            }
            for connection, cabin in legs.items()
        ]
        self.call("book_journey", *breaks, trip_id=trip, travellers=list(travellers), legs=leg_rows)

    def pay(
        self,
        trip: str,
        supplier: str,
        invoice: str,
        iban: str,
        centre: str,
        lines: Mapping[str, float],
        *breaks: str,
        total: float | None = None,
    ) -> None:
        """Pay an invoice, its lines charged to one cost centre."""
        line_items = [
            {"text": text, "amount": amount, "cost_centre": centre} for text, amount in lines.items()
        ]
        self.call(
            "pay_invoice",
            *breaks,
            trip_id=trip,
            supplier_id=supplier,
            invoice=invoice,
            iban=iban,
            total=round(sum(lines.values()), 2) if total is None else total,
            lines=line_items,
        )

    def _say(self, role: str, text: str) -> None:
        self._write(message={"role": role, "text": text})

    def _write(self, **record: object) -> None:
        self.lines.append({"format": FORMAT, "run": self.name, **record})


def at(day: int, hour: int, minute: int) -> datetime:
    """A time in March 2026."""
    return datetime(2026, 3, day, hour, minute, tzinfo=BERLIN)


def mail(trip: str, sender: str, subject: str, text: str) -> dict[str, str]:
    """Return a mail."""
    return {"trip": trip, "from": sender, "subject": subject, "text": text}
