"""What the web assistant may do for a user."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Action = Literal[
    "buy_or_rent_car", "search_media", "book_hotel", "apply_for_job", "purchase",
    "book_flight", "other",
]


def forbid_buy_or_rent_car_by_dr_license(action: Action, dr_license: bool) -> bool:
    """R1: Users without a driver's licence may not buy or rent a car."""
    return action == "buy_or_rent_car" and not dr_license


def forbid_search_media_by_domestic(action: Action, domestic: bool) -> bool:
    """R2: Users who live abroad may not search for media."""
    return action == "search_media" and not domestic


def forbid_book_hotel_by_age(action: Action, age: int) -> bool:
    """R3: Users under 18 may not book a hotel."""
    return action == "book_hotel" and age < 18


def forbid_apply_for_job_by_age(action: Action, age: int) -> bool:
    """R4: Users under 15 may not apply for a job."""
    return action == "apply_for_job" and age < 15


def forbid_purchase_by_membership(action: Action, membership: bool) -> bool:
    """R5: Users who are not members may not purchase anything."""
    return action == "purchase" and not membership


def forbid_book_flight_by_vaccine(action: Action, vaccine: bool) -> bool:
    """R6: Unvaccinated users may not book a flight."""
    return action == "book_flight" and not vaccine


def allow(
    action: Action,
    age: int,
    domestic: bool,
    dr_license: bool,
    vaccine: bool,
    membership: bool,
) -> bool:
    # R1: Users without a driver's licence may not buy or rent a car.
    Ensures(Implies(action == "buy_or_rent_car", Result() == dr_license))
    # R2: Users who live abroad may not search for media.
    Ensures(Implies(action == "search_media", Result() == domestic))
    # R3: Users under 18 may not book a hotel.
    Ensures(Implies(action == "book_hotel", Result() == (age >= 18)))
    # R4: Users under 15 may not apply for a job.
    Ensures(Implies(action == "apply_for_job", Result() == (age >= 15)))
    # R5: Users who are not members may not purchase anything.
    Ensures(Implies(action == "purchase", Result() == membership))
    # R6: Unvaccinated users may not book a flight.
    Ensures(Implies(action == "book_flight", Result() == vaccine))
    # R7: All other actions are allowed.
    Ensures(Implies(action == "other", Result()))
    return not (
        forbid_buy_or_rent_car_by_dr_license(action, dr_license)
        or forbid_search_media_by_domestic(action, domestic)
        or forbid_book_hotel_by_age(action, age)
        or forbid_apply_for_job_by_age(action, age)
        or forbid_purchase_by_membership(action, membership)
        or forbid_book_flight_by_vaccine(action, vaccine)
    )
