"""Web Assistant Actions"""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Action = Literal[
    "buy_or_rent_car", "search_media", "book_hotel", "apply_for_job", "purchase",
    "book_flight", "other",
]


def forbid_buy_or_rent_car_dr_license(action: Action, dr_license: bool) -> bool:
    """R1: Users without a driver's licence may not buy or rent a car."""
    return action == "buy_or_rent_car" and not dr_license


def forbid_search_media_domestic(action: Action, domestic: bool) -> bool:
    """R2: Users who live abroad may not search for media."""
    return action == "search_media" and not domestic


def forbid_age_requirement(action: Action, age: int) -> bool:
    """R3: Users under 18 may not book a hotel."""
    return action == "book_hotel" and age < 18


def forbid_apply_for_job_age(action: Action, age: int) -> bool:
    """R4: Users under 15 may not apply for a job."""
    return action == "apply_for_job" and age < 15


def forbid_membership_required(action: Action, membership: bool) -> bool:
    """R5: Users who are not members may not purchase anything."""
    return action == "purchase" and not membership


def forbid_no_vaccine_for_flight(action: Action, vaccine: bool) -> bool:
    """R6: Unvaccinated users may not book a flight."""
    return action == "book_flight" and vaccine


def forbid_no_vaccine_for_flight_r6(action: Action, vaccine: bool) -> bool:
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
    # R1: Denied where action is buy_or_rent_car and dr_license is false.
    Ensures(Implies(action == "buy_or_rent_car" and not dr_license, not Result()))
    # R2: Denied where action is search_media and domestic is false.
    Ensures(Implies(action == "search_media" and not domestic, not Result()))
    # R3: Denied where age is less than 18 and action is book_hotel.
    Ensures(Implies(age < 18 and action == "book_hotel", not Result()))
    # R4: Denied where age is less than 15 and action is apply_for_job.
    Ensures(Implies(age < 15 and action == "apply_for_job", not Result()))
    # R5: Denied where action is purchase and membership is false.
    Ensures(Implies(action == "purchase" and not membership, not Result()))
    # R6: Denied where action is book_flight and not (vaccine is false).
    Ensures(Implies(action == "book_flight" and vaccine, not Result()))
    # R6: Denied where action is book_flight and vaccine is false.
    Ensures(Implies(action == "book_flight" and not vaccine, not Result()))
    # R7: Allowed where action is other.
    Ensures(Implies(action == "other", Result()))
    return not (
        forbid_buy_or_rent_car_dr_license(action, dr_license)
        or forbid_search_media_domestic(action, domestic)
        or forbid_age_requirement(action, age)
        or forbid_apply_for_job_age(action, age)
        or forbid_membership_required(action, membership)
        or forbid_no_vaccine_for_flight(action, vaccine)
        or forbid_no_vaccine_for_flight_r6(action, vaccine)
    )
