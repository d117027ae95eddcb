"""Rules of an airline over payments, flights, a user and a reservation, with true and false clauses."""

from tests.runs.world.airline_agent import CLAUSE, POLICY

CLAUSES = """
    # R1: all payments are of the profile
    Ensures(
        Implies(
            Result() and action == "book_reservation",
            user is not None and all(payment.payment_id in user.payment_ids for payment in payments),
        )
    )
    # R2: at most one certificate
    Ensures(
        Implies(
            Result() and action == "book_reservation" and user is not None,
            sum(1 for payment in payments if payment.payment_id in user.certificates) <= 1,
        )
    )
    # R3: no flight is new
    Ensures(
        Implies(
            Result()
            and action == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy",
            {(new.flight_number, new.date) for new in flights}
            <= {(old.flight_number, old.date) for old in reservation.flights},
        )
    )
    # R3: a flight number stays
    Ensures(
        Implies(
            Result()
            and action == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy"
            and any(old.flight_number == "HAT001" for old in reservation.flights),
            any(new.flight_number == "HAT001" for new in flights),
        )
    )
    # R4: within 24 hours
    Ensures(
        Implies(
            Result()
            and action == "cancel_reservation"
            and reservation is not None
            and reservation.cabin == "economy"
            and reservation.insurance == "no",
            now - reservation.created_at <= timedelta(hours=24),
        )
    )
    # R1: false, for a booking may have four payments
    Ensures(Implies(Result() and action == "book_reservation", len(payments) <= 3))
    # R1: false, for nothing limits the amounts
    Ensures(
        Implies(
            Result() and action == "book_reservation", sum(payment.amount for payment in payments) <= 1000
        )
    )
    # R2: false, for one certificate is allowed
    Ensures(
        Implies(
            Result() and action == "book_reservation" and user is not None,
            all(payment.payment_id not in user.certificates for payment in payments),
        )
    )
    # R3: false, for a flight may stand twice
    Ensures(
        Implies(
            Result()
            and action == "update_reservation_flights"
            and reservation is not None
            and reservation.cabin == "basic_economy",
            len(flights) == len(reservation.flights),
        )
    )
    # R4: false, for insured reservations can be cancelled later
    Ensures(
        Implies(
            Result()
            and action == "cancel_reservation"
            and reservation is not None
            and reservation.cabin == "economy",
            now - reservation.created_at <= timedelta(hours=24),
        )
    )
"""
AIRLINE = POLICY.replace(CLAUSE, CLAUSES.lstrip("\n")).replace(
    "    payment_id: str\n", "    payment_id: str\n    amount: int\n", 1
)
TRUE = ("C1", "C2", "C3", "C4", "C5")
"""The clauses that hold; the other clauses do not."""
