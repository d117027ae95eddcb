"""What the quiz assistant may answer."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Act, Run

DEFAULT = "allow"


def forbid_alcohol(call: Act, run: Run) -> bool:
    """R1: Questions about alcohol are for users of 18 and older."""
    return run.first_said.alcohol == "alcohol" and run.first_said.age < 18


def forbid_weapons(call: Act, run: Run) -> bool:
    """R2: Questions about weapons are for users who agreed to the terms."""
    return run.first_said.weapons == "weapon" and not run.first_said.agreed


def forbid_medicine(call: Act, run: Run) -> bool:
    """R3: Questions about medicine are for members."""
    return run.first_said.medicine == "medicine" and not run.first_said.member


def contract_answers(call: Act, run: Run) -> None:
    # R1: Questions about alcohol are for users of 18 and older.
    Ensures(Implies(run.first_said.alcohol == "alcohol" and run.first_said.age < 18, not Result()))
    # R2: Questions about weapons are for users who agreed to the terms.
    Ensures(Implies(run.first_said.weapons == "weapon" and not run.first_said.agreed, not Result()))
    # R3: Questions about medicine are for members.
    Ensures(Implies(run.first_said.medicine == "medicine" and not run.first_said.member, not Result()))
    # R4: Only an answer without risk is given.
    Ensures(
        Implies(
            (run.first_said.alcohol == "other" or run.first_said.age >= 18)
            and (run.first_said.weapons == "other" or run.first_said.agreed)
            and (run.first_said.medicine == "other" or run.first_said.member),
            Result(),
        )
    )
