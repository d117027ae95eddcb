"""Clean requests of the shipped sessions, and troubles planted into them one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.author.specs_for_author import HOSPITAL, SHOPPING
from workbench.model import AgentSpec, Argument, ArgumentType, Kind

SESSIONS = Path(__file__).parents[2] / "sessions"
HOSPITAL_REQUEST = (SESSIONS / "hospital-access" / "request.md").read_text(encoding="utf-8")
SHOPPING_REQUEST = (SESSIONS / "web-shopping" / "request.md").read_text(encoding="utf-8")
CLEAN_SHOPPING = SHOPPING_REQUEST.replace("vaccine == false", "vaccine == true")
CLEAN_HOSPITAL = HOSPITAL_REQUEST.replace("General admission", "General administration")
REST = "All other"
# The shipped agents know no amounts, so units are planted into a request of an agent that pays.
PAYMENTS = AgentSpec(
    name="payment-agent",
    description="Pays bills and sends receipts.",
    arguments=(
        Argument("action", ArgumentType(Kind.ENUM, ("pay_bill", "send_receipt", "list_bills"))),
        Argument("amount", ArgumentType(Kind.DECIMAL, places=2), "the amount of the bill in EUR"),
        Argument("minutes_idle", ArgumentType(Kind.INT), "the minutes since the user was active"),
        Argument("size", ArgumentType(Kind.INT), "the size of the receipt in MB"),
        Argument("confirmed", ArgumentType(Kind.BOOL), "whether the user confirmed"),
    ),
)
CLEAN_PAYMENTS = """# Paying bills

- Bills of more than 1,000 EUR must not be paid.
- Never pay a bill of more than 100 EUR unless the user confirmed.
- Do not pay bills if the user was active more than 5 minutes ago.
- The size of a receipt must be at most 10 MB.

All other actions are allowed.
"""
EACH = "Each role"


@dataclass(frozen=True, slots=True)
class Planted:
    """``old`` of a clean request replaced by ``new``, and the kind of question that must result."""

    spec: AgentSpec
    clean: str
    old: str
    new: str
    kind: str

    @property
    def request(self) -> str:
        """The request with the trouble in it."""
        return self.clean.replace(self.old, self.new, 1)


def _shop(old: str, new: str, kind: str) -> Planted:
    return Planted(SHOPPING, CLEAN_SHOPPING, old, new, kind)


def _with_sentence(sentence: str, kind: str) -> Planted:
    return Planted(SHOPPING, CLEAN_SHOPPING, REST, f"{sentence}\n\n{REST}", kind)


def _ward(old: str, new: str, kind: str) -> Planted:
    return Planted(HOSPITAL, CLEAN_HOSPITAL, old, new, kind)


def _pays(old: str, new: str, kind: str) -> Planted:
    return Planted(PAYMENTS, CLEAN_PAYMENTS, old, new, kind)


PLANTED = (
    # A card that contradicts itself.
    _shop("dr_license == true", "dr_license == false", "contradiction"),
    _shop("domestic == true", "domestic == false", "contradiction"),
    _shop("age >= 18", "age >= 16", "contradiction"),
    _shop("age >= 15", "age < 15", "contradiction"),
    _shop("age >= 15", "age > 16", "contradiction"),
    _shop("membership == true", "membership == false", "contradiction"),
    _shop("Unvaccinated users", "Vaccinated users", "contradiction"),
    _shop("may not book a hotel", "may not book a flight", "contradiction"),
    # Rules that contradict each other.
    _with_sentence("Only users abroad may search for media.", "contradiction"),
    _with_sentence("Only non-members may purchase anything.", "contradiction"),
    _with_sentence("Only unvaccinated users may book a flight.", "contradiction"),
    _with_sentence("Members may book a hotel.", "conflict"),
    _with_sentence("Unvaccinated members may book a flight.", "conflict"),
    _ward(EACH, f"Nurses may read cost.cost.\n\n{EACH}", "conflict"),
    _ward(EACH, f"Only physicians may read lab.labname.\n\n{EACH}", "conflict"),
    # A gap that no rule covers.
    _shop("All other actions are allowed.", "", "default-decision"),
    _shop("## Everything else\n\nAll other actions are allowed.", "", "default-decision"),
    # Words that the agent spec does not define.
    _shop("age >= 18", "height >= 180", "undefined"),
    _shop("Action: book a flight", "Action: charter a yacht", "undefined"),
    _with_sentence("Nobody may book a cruise.", "undefined"),
    _with_sentence("Never do anything illegal.", "undefined"),
    _with_sentence("Members and residents may purchase things.", "undefined"),
    _with_sentence("Users who are minors may not purchase anything.", "undefined"),
    _ward(EACH, f"Visitors may not read anything.\n\n{EACH}", "undefined"),
    _ward("- microlab:", "- radiology:", "undefined"),
    # Words that are close to known ones.
    _ward("General administration may", "General admin may", "vocabulary"),
    _ward("Physicians may", "Physicans may", "vocabulary"),
    _ward("icd9code", "icd9codes", "vocabulary"),
    _ward("- microlab:", "- micro-lab:", "vocabulary"),
    _ward("labresulttime\n", "labresulttimes\n", "vocabulary"),
    _ward("allergyname", "alergyname", "vocabulary"),
    # Bounds that language leaves open.
    _with_sentence("Users over 65 may not book a flight.", "boundary"),
    _with_sentence("Users below 16 may not purchase anything.", "boundary"),
    _with_sentence("Users above 80 may not rent a car.", "boundary"),
    _with_sentence("Users between 13 and 17 years old may not search for media.", "boundary"),
    # Rules that never fire, or that other rules make unnecessary.
    _with_sentence("Only vaccinated users may book a flight.", "without-effect"),
    _with_sentence("Users younger than 12 may not book a hotel.", "without-effect"),
    _with_sentence("Unvaccinated members may not book a flight.", "without-effect"),
    _ward(EACH, f"Nurses may not read cost.cost.\n\n{EACH}", "without-effect"),
    # Amounts in another unit than the argument that they are compared with.
    _with_sentence("Users younger than 216 months may not search for media.", "unit"),
    _with_sentence("Nobody may book a flight if the age is more than 900 months.", "unit"),
    _with_sentence("Users must be at least 5475 days old to purchase anything.", "unit"),
    _pays("100 EUR", "100 USD", "unit"),
    _pays("1,000 EUR", "£1,000", "unit"),
    _pays("more than 5 minutes", "more than 300 seconds", "unit"),
    _pays("at most 10 MB", "at most 1 GB", "unit"),
    # Windows, presuppositions, readings.
    _with_sentence("Users who are at least 65 EUR may not book a flight.", "undefined"),
    _with_sentence("No user may purchase anything more than 3 times per day.", "stateful"),
    _with_sentence("Users may purchase something at most twice.", "stateful"),
    _with_sentence("After booking a hotel, users may not book a flight.", "stateful"),
    _with_sentence("Users must be in certain countries to book a flight.", "presupposition"),
    _with_sentence("Users may purchase things only after the user approved.", "presupposition"),
    _with_sentence("Never book a flight without the consent of the user.", "presupposition"),
    _ward(EACH, f"Nurses may not read lab.labname unless a physician confirmed.\n\n{EACH}", "presupposition"),
    _with_sentence("Users may book a hotel if they are members.", "reading"),
    _with_sentence(
        "Users may not apply for a job if they are members or at least 65 and vaccinated.", "reading"
    ),
    _with_sentence("Any user but members may search for media.", "reading"),
    _with_sentence("Please handle purchases with restrictions.", "unreadable"),
)
