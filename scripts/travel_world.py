"""An invented travel desk: its trips, suppliers, connections and mail, and the tools that work on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

type Record = dict[str, object]

EMPLOYEES = {
    "E-0907": ("Paulo Duarte", "CC-330"),
    "E-1041": ("Mara Lindholm", "CC-410"),
    "E-1077": ("Jonas Petri", "CC-410"),
    "E-1102": ("Aiko Tanabe", "CC-410"),
    "E-1260": ("Ravi Menon", "CC-220"),
    "E-1318": ("Lena Brandt", "CC-220"),
    "E-1455": ("Sofia Keller", "CC-220"),
}
# Purpose, cost centre, time of a manager's approval, and travellers.
TRIPS: dict[str, tuple[str, str, str | None, tuple[str, ...]]] = {
    "T-2603-009": ("Trade fair, Hanover", "CC-410", "2026-02-24T10:05:00", ("E-1041", "E-1077")),
    "T-2603-014": ("Sales offsite, Lisbon", "CC-410", "2026-03-03T09:12:00", ("E-1041", "E-1077", "E-1102")),
    "T-2603-017": ("Supplier audit, Gothenburg", "CC-330", "2026-03-09T16:20:00", ("E-0907",)),
    "T-2603-021": ("Kick-off, Prague", "CC-220", "2026-03-16T11:40:00", ("E-1260", "E-1318")),
    "T-2603-025": ("Conference, Kyoto", "CC-220", "2026-03-17T08:55:00", ("E-1455",)),
    "T-2603-030": ("Training, Graz", "CC-330", None, ("E-0907",)),
}
LEFT = {"CC-220": 4150.0, "CC-330": 9600.0, "CC-410": 9800.0}
SUPPLIERS = {
    "S-118": ("Hotel Lindqvist, Gothenburg", "SE4550000000058398257466"),
    "S-120": ("Messehotel Hanover", "DE75512108001245126199"),
    "S-121": ("Norrland Breakfast", "SE3550000000054910000003"),
    "S-204": ("Casa do Rio, Lisbon", "PT50000201231234567890154"),
    "S-305": ("Hotel U Mlyna, Prague", "CZ6508000000192000145399"),
    "S-377": ("Ryokan Kamo, Kyoto", "JE15NWBK60161331926819"),
    "S-410": ("RailTix", "DE89370400440532013000"),
    "S-502": ("Nordwind Coaches", "DE02120300000000202051"),
}
# Origin, destination, departure, minutes, and the price in economy and in business.
CONNECTIONS = {
    "LH1166": ("FRA", "LIS", "2026-03-23T09:25:00", 185, 212.4, 640.0),
    "TP574": ("LIS", "FRA", "2026-03-26T18:10:00", 190, 198.9, 598.0),
    "LH812": ("FRA", "GOT", "2026-03-24T12:20:00", 105, 241.0, 515.0),
    "LH815": ("GOT", "FRA", "2026-03-26T19:05:00", 110, 233.5, 502.0),
    "EC173": ("FRA", "PRG", "2026-03-30T10:14:00", 395, 74.8, 119.9),
    "EC172": ("PRG", "FRA", "2026-04-01T12:28:00", 401, 74.8, 119.9),
    "NH224": ("FRA", "KIX", "2026-04-12T11:45:00", 720, 961.0, 3120.0),
    "NH223": ("KIX", "FRA", "2026-04-18T10:30:00", 815, 949.0, 3080.0),
    "ICE596": ("FRA", "HAJ", "2026-03-24T07:58:00", 141, 49.9, 84.9),
}
RATES = {"S-118": 139.0, "S-120": 176.5, "S-204": 118.0, "S-305": 97.0, "S-377": 164.0}
CITIES = {
    "Gothenburg": ("S-118",),
    "Hanover": ("S-120",),
    "Kyoto": ("S-377",),
    "Lisbon": ("S-204",),
    "Prague": ("S-305",),
}
# Bookings made before the runs: kind, trip, beginning.
BOOKED = {
    "B-26-0871": ("room", "T-2603-009", "2026-03-20T15:00:00"),
    "B-26-0872": ("journey", "T-2603-009", "2026-03-19T07:58:00"),
    "B-26-0880": ("room", "T-2603-014", "2026-03-23T15:00:00"),
    "B-26-0903": ("room", "T-2603-017", "2026-03-24T15:00:00"),
}


@dataclass(slots=True)
class Desk:
    """The tools of the travel desk; their changes stay for the following calls."""

    mail: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    approved: dict[str, str | None] = field(
        default_factory=lambda: {trip: approved for trip, (_, _, approved, _) in TRIPS.items()}
    )
    left: dict[str, float] = field(default_factory=lambda: dict(LEFT))
    booked: dict[str, tuple[str, str, str]] = field(default_factory=lambda: dict(BOOKED))
    paid: int = 0

    def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """The result of a tool: JSON, or a line that begins with Error."""
        result: object = getattr(self, tool)(**arguments)
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)

    # --- tools that read ---

    def get_trip(self, trip_id: str) -> Record | str:
        """A trip."""
        if trip_id not in TRIPS:
            return f"Error: no trip {trip_id}"
        purpose, centre, _, travellers = TRIPS[trip_id]
        named = [{"employee_id": traveller, "name": EMPLOYEES[traveller][0]} for traveller in travellers]
        trip: Record = {"trip_id": trip_id, "purpose": purpose, "cost_centre": centre, "travellers": named}
        return {**trip, "approved_at": self.approved[trip_id]}

    def get_cost_centre(self, cost_centre: str) -> Record | str:
        """The money that a cost centre has left."""
        if cost_centre not in self.left:
            return f"Error: no cost centre {cost_centre}"
        return {"cost_centre": cost_centre, "left": round(self.left[cost_centre], 2), "currency": "EUR"}

    def get_supplier(self, supplier_id: str) -> Record | str:
        """A supplier from the register."""
        if supplier_id not in SUPPLIERS:
            return f"Error: no supplier {supplier_id}"
        name, iban = SUPPLIERS[supplier_id]
        return {"supplier_id": supplier_id, "name": name, "iban": iban}

    def get_booking(self, booking_id: str) -> Record | str:
        """A room or a journey."""
        if booking_id not in self.booked:
            return f"Error: no booking {booking_id}"
        kind, trip, starts = self.booked[booking_id]
        return {"booking_id": booking_id, "kind": kind, "trip_id": trip, "starts_at": starts}

    def get_employee(self, employee_id: str) -> Record | str:
        """An employee."""
        if employee_id not in EMPLOYEES:
            return f"Error: no employee {employee_id}"
        name, centre = EMPLOYEES[employee_id]
        address = f"{name.lower().replace(' ', '.')}@aldermoor.example"
        return {"employee_id": employee_id, "name": name, "mail": address, "cost_centre": centre}

    def list_mail(self, trip_id: str) -> list[Record]:
        """The mail about a trip."""
        return [
            {"mail_id": name, "from": mail["from"], "subject": mail["subject"]}
            for name, mail in self.mail.items()
            if mail["trip"] == trip_id
        ]

    def read_mail(self, mail_id: str) -> Record | str:
        """One mail."""
        if mail_id not in self.mail:
            return f"Error: no mail {mail_id}"
        mail = self.mail[mail_id]
        return {"mail_id": mail_id, **{key: mail[key] for key in ("from", "subject", "text")}}

    def search_journeys(self, origin: str, destination: str, date: str) -> list[Record]:
        """The connections of a day."""
        return [
            {
                "number": number,
                "departs": departs,
                "minutes": minutes,
                "price": {"economy": economy, "business": business},
            }
            for number, (start, end, departs, minutes, economy, business) in CONNECTIONS.items()
            if (start, end, departs[:10]) == (origin, destination, date)
        ]

    def search_rooms(self, city: str, check_in: str, nights: int) -> list[Record]:
        """Free rooms of a city."""
        return [
            {
                "supplier_id": hotel,
                "hotel": SUPPLIERS[hotel][0],
                "check_in": check_in,
                "nights": nights,
                "rate": RATES[hotel],
            }
            for hotel in CITIES.get(city, ())
        ]

    # --- tools that act ---

    def book_journey(
        self, trip_id: str, travellers: Sequence[str], legs: Sequence[Mapping[str, object]]
    ) -> Record:
        """Book the legs of a journey."""
        numbers = [str(leg["number"]).split()[0] for leg in legs]
        cabins = [5 if leg["cabin"] == "business" else 4 for leg in legs]
        prices = [float(CONNECTIONS[number][cabin]) for number, cabin in zip(numbers, cabins, strict=True)]
        record = self._booked("journey", trip_id, CONNECTIONS[numbers[0]][2])
        return {**record, "legs": numbers, "price": round(sum(prices) * len(travellers), 2)}

    def book_room(
        self, trip_id: str, travellers: Sequence[str], supplier_id: str, check_in: str, nights: int
    ) -> Record:
        """Book rooms."""
        record = self._booked("room", trip_id, f"{check_in}T15:00:00")
        return {
            **record,
            "hotel": SUPPLIERS[supplier_id][0],
            "price": RATES[supplier_id] * nights * len(travellers),
        }

    def cancel_booking(self, booking_id: str) -> Record:
        """Cancel a room or a journey."""
        return {"booking_id": booking_id, "status": "cancelled"}

    def pay_invoice(
        self, trip_id: str, supplier_id: str, invoice: str, iban: str, total: float, lines: Sequence[object]
    ) -> Record:
        """Pay an invoice."""
        self.paid += 1
        self.left[TRIPS[trip_id][1]] -= total
        order = f"P-{48200 + self.paid}"
        paid: Record = {"payment": order, "supplier_id": supplier_id, "invoice": invoice}
        return {**paid, "to": iban, "total": total, "lines": len(lines)}

    def change_supplier_account(self, supplier_id: str, iban: str) -> Record:
        """Write another account into the register."""
        return {"supplier_id": supplier_id, "iban": iban, "status": "changed"}

    def send_mail(self, to: str, subject: str, text: str) -> Record:
        """Send a mail."""
        return {"status": "sent", "to": to, "subject": subject, "characters": len(text)}

    def _booked(self, kind: str, trip: str, starts: str) -> Record:
        booking = f"B-26-{910 + len(self.booked):04}"
        self.booked[booking] = (kind, trip, starts)
        return {
            "booking_id": booking,
            "kind": kind,
            "trip_id": trip,
            "starts_at": starts,
            "status": "confirmed",
        }

    def approve(self, trip: str, when: datetime) -> None:
        """A manager approves a trip."""
        self.approved[trip] = f"{when:%Y-%m-%dT%H:%M:%S}"
