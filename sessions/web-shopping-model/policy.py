"""What the web assistant may do for a user"""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Call, Run

DEFAULT = "allow"


def forbid_car(call: Call, run: Run) -> bool:
    """R1: Users without a driver's licence may not buy or rent a car."""
    return "buy_or_rent_car" in run.said.actions and not run.first_said.dr_license


def forbid_media(call: Call, run: Run) -> bool:
    """R2: Users who live abroad may not search for media."""
    return "search_media" in run.said.actions and not run.first_said.domestic


def forbid_hotel(call: Call, run: Run) -> bool:
    """R3: Users under 18 may not book a hotel."""
    return "book_hotel" in run.said.actions and run.first_said.age < 18


def forbid_job(call: Call, run: Run) -> bool:
    """R4: Users under 15 may not apply for a job."""
    return "apply_for_job" in run.said.actions and run.first_said.age < 15


def forbid_purchase(call: Call, run: Run) -> bool:
    """R5: Users who are not members may not purchase anything."""
    return "purchase" in run.said.actions and not run.first_said.membership


def forbid_flight(call: Call, run: Run) -> bool:
    """R6: Unvaccinated users may not book a flight."""
    return "book_flight" in run.said.actions and not run.first_said.vaccine


def contract_actions(call: Call, run: Run) -> None:
    # R1: Users without a driver's licence may not buy or rent a car.
    Ensures(
        Implies(
            "buy_or_rent_car" in run.said.actions and not run.first_said.dr_license,
            not Result(),
        ),
    )
    # R2: Users who live abroad may not search for media.
    Ensures(
        Implies("search_media" in run.said.actions and not run.first_said.domestic, not Result()),
    )
    # R3: Users under 18 may not book a hotel.
    Ensures(Implies("book_hotel" in run.said.actions and run.first_said.age < 18, not Result()))
    # R4: Users under 15 may not apply for a job.
    Ensures(Implies("apply_for_job" in run.said.actions and run.first_said.age < 15, not Result()))
    # R5: Users who are not members may not purchase anything.
    Ensures(Implies("purchase" in run.said.actions and not run.first_said.membership, not Result()))
    # R6: Unvaccinated users may not book a flight.
    Ensures(Implies("book_flight" in run.said.actions and not run.first_said.vaccine, not Result()))
    # R1: Users without a driver's licence may not buy or rent a car.
    Ensures(
        Implies(run.said.actions == {"buy_or_rent_car"} and run.first_said.dr_license, Result()),
    )
    # R2: Users who live abroad may not search for media.
    Ensures(Implies(run.said.actions == {"search_media"} and run.first_said.domestic, Result()))
    # R3: Users under 18 may not book a hotel.
    Ensures(Implies(run.said.actions == {"book_hotel"} and run.first_said.age >= 18, Result()))
    # R4: Users under 15 may not apply for a job.
    Ensures(Implies(run.said.actions == {"apply_for_job"} and run.first_said.age >= 15, Result()))
    # R5: Users who are not members may not purchase anything.
    Ensures(Implies(run.said.actions == {"purchase"} and run.first_said.membership, Result()))
    # R6: Unvaccinated users may not book a flight.
    Ensures(Implies(run.said.actions == {"book_flight"} and run.first_said.vaccine, Result()))
    # R7: All other actions are allowed.
    Ensures(Implies(run.said.actions == {"other"}, Result()))
