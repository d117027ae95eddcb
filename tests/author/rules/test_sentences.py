"""A corpus of sentences as policies of agents state them: read rightly, asked about, or context.

For each readable sentence there is the condition under which it denies, written by hand. The draft of the
sentence has to be equivalent to it on every input.
"""

from __future__ import annotations

import pytest

from tests.author.specs_for_author import BANKING, EMAIL, HOSPITAL, SHELL, SHOPPING
from workbench.author.rules import RulesAuthor
from workbench.engines.smt.preview import distinguish
from workbench.model import AgentSpec, SentenceRole
from workbench.policy.check import check

READ: list[tuple[AgentSpec, str, str]] = [
    (
        SHELL,
        "Never write files in /etc.",
        'tool == "write_file" and (path is None or path.startswith("/etc/"))',
    ),
    (SHOPPING, "Users younger than 18 may not book a hotel.", 'action == "book_hotel" and age < 18'),
    (SHOPPING, "A user who is 17 or younger cannot book a hotel.", 'action == "book_hotel" and age <= 17'),
    (SHOPPING, "Users must be at least 18 years old to book a hotel.", 'action == "book_hotel" and age < 18'),
    (SHOPPING, "Only users aged at least 18 may book a hotel.", 'action == "book_hotel" and age < 18'),
    (SHOPPING, "Nobody but members may purchase anything.", 'action == "purchase" and not membership'),
    (SHOPPING, "Only members may purchase anything.", 'action == "purchase" and not membership'),
    (
        SHOPPING,
        "To book a hotel or a flight, users must be members or at least 21 years old.",
        'action in {"book_hotel", "book_flight"} and not membership and age < 21',
    ),
    (
        SHOPPING,
        "In order to purchase anything, users must be members.",
        'action == "purchase" and not membership',
    ),
    (SHOPPING, "For a purchase, users must be members or vaccinated.", "ASK"),
    (SHOPPING, "Users may not book a hotel or anything.", "ASK"),
    (SHOPPING, "Users must be members to purchase something.", 'action == "purchase" and not membership'),
    (SHOPPING, "Non-members cannot purchase anything.", 'action == "purchase" and not membership'),
    (SHOPPING, "Purchasing requires membership.", 'action == "purchase" and not membership'),
    (
        SHOPPING,
        "Purchasing is only allowed if the user is a member.",
        'action == "purchase" and not membership',
    ),
    (SHOPPING, "Purchasing is allowed only for members.", 'action == "purchase" and not membership'),
    (SHOPPING, "Unvaccinated users must not book flights.", 'action == "book_flight" and not vaccine'),
    (SHOPPING, "Booking a flight requires vaccination.", 'action == "book_flight" and not vaccine'),
    (
        SHOPPING,
        "Users may book a flight only if they are vaccinated.",
        'action == "book_flight" and not vaccine',
    ),
    (
        SHOPPING,
        "Never book a flight unless the user is vaccinated.",
        'action == "book_flight" and not vaccine',
    ),
    (
        SHOPPING,
        "If the user is not vaccinated, do not book a flight.",
        'action == "book_flight" and not vaccine',
    ),
    (
        SHOPPING,
        "Users without a driver's licence can't rent a car.",
        'action == "buy_or_rent_car" and not dr_license',
    ),
    (SHOPPING, "No user may apply for a job.", 'action == "apply_for_job"'),
    (SHOPPING, "Applying for jobs is forbidden.", 'action == "apply_for_job"'),
    (
        SHOPPING,
        "Applying for jobs is not allowed for users who are younger than 15.",
        'action == "apply_for_job" and age < 15',
    ),
    (
        SHOPPING,
        "A driver's licence is required to rent a car.",
        'action == "buy_or_rent_car" and not dr_license',
    ),
    (
        SHOPPING,
        "All users except members are prohibited from purchasing.",
        'action == "purchase" and not membership',
    ),
    (SHOPPING, "Booking a hotel is only allowed for members.", 'action == "book_hotel" and not membership'),
    (SHOPPING, "Any user but members may book a hotel.", 'action == "book_hotel" and membership'),
    (SHOPPING, "Members need not be vaccinated to book a flight.", "ASK"),
    (SHOPPING, "Users aged 65 or over may not book a flight.", 'action == "book_flight" and age >= 65'),
    (BANKING, "Don't send money to anyone but known recipients.", "ASK"),
    (
        EMAIL,
        "The agent must not send emails to alice@example.com or bob@example.com.",
        'tool == "send_email" and recipient in {"alice@example.com", "bob@example.com"}',
    ),
    (
        HOSPITAL,
        "Nurses must not read patient.age and patient.gender.",
        'role == "nursing" and any(c in {"patient.age", "patient.gender"} for c in columns)',
    ),
    (HOSPITAL, "Maximum age of patients: 90", "ASK"),
    (SHOPPING, "Book a hotel: adults", "ASK"),
    (SHOPPING, "Members can purchase things, but others cannot.", "ASK"),
    (SHOPPING, "Users who are minors may not book a hotel.", "ASK"),
    (EMAIL, "Before sending an email, ask the user for confirmation.", "ASK"),
    (
        SHOPPING,
        "Do not apply for a job if the user is younger than 15.",
        'action == "apply_for_job" and age < 15',
    ),
    (SHOPPING, "Users may not book a hotel or a flight.", 'action in {"book_hotel", "book_flight"}'),
    (
        SHOPPING,
        "Users who are members and at least 65 may not book a flight.",
        'action == "book_flight" and membership and age >= 65',
    ),
    (
        SHOPPING,
        "The agent may not book anything for users who are less than 12 years old.",
        'action in {"book_hotel", "book_flight"} and age < 12',
    ),
    (
        SHOPPING,
        "Users who live abroad are not allowed to search for media.",
        'action == "search_media" and not domestic',
    ),
    (
        SHOPPING,
        "Users abroad are prohibited from searching for media.",
        'action == "search_media" and not domestic',
    ),
    (
        SHOPPING,
        "Users of at most 15 years may not apply for a job.",
        'action == "apply_for_job" and age <= 15',
    ),
    (
        SHOPPING,
        "When the user is not a member, the agent must never purchase anything.",
        'action == "purchase" and not membership',
    ),
    (
        BANKING,
        "The agent must not send more than €500 to unknown recipients.",
        'tool == "send_money" and amount > Decimal("500") and not recipient_is_known',
    ),
    (BANKING, "Sending money in USD is forbidden.", 'tool == "send_money" and currency == "USD"'),
    (BANKING, "The amount must not exceed 10,000 EUR.", 'amount > Decimal("10000")'),
    (BANKING, "The amount must be at most 250.50 EUR.", 'amount > Decimal("250.50")'),
    (
        BANKING,
        "The agent may schedule payments only if the recipient is known.",
        'tool == "schedule_payment" and not recipient_is_known',
    ),
    (
        BANKING,
        "Money may only be sent to known recipients.",
        'tool == "send_money" and not recipient_is_known',
    ),
    (BANKING, "Never send money unless the currency is EUR.", 'tool == "send_money" and currency != "EUR"'),
    (BANKING, "Transfers of more than 100 GBP are forbidden.", "ASK"),
    (BANKING, "The agent may not send more than 100 GBP.", "ASK"),
    (BANKING, "The agent may not send more than 1000 EUR per day.", "ASK"),
    (BANKING, "After reading a file, the agent must not send money.", "ASK"),
    (
        EMAIL,
        "The assistant must not send emails to recipients outside example.com.",
        'tool == "send_email" and not recipient.endswith("@example.com")',
    ),
    (
        EMAIL,
        'Never send emails to addresses ending with "@rival.org".',
        'tool == "send_email" and recipient.endswith("@rival.org")',
    ),
    (EMAIL, "Deleting emails requires confirmation.", 'tool == "delete_email" and not confirmed'),
    (EMAIL, "Do not delete emails without confirmation.", 'tool == "delete_email" and not confirmed'),
    (EMAIL, "Emails with an attachment may not be sent.", 'tool == "send_email" and has_attachment'),
    (EMAIL, "Do not delete or send emails.", 'tool in {"delete_email", "send_email"}'),
    (EMAIL, "Never reveal the user's password.", "ASK"),
    (EMAIL, "Only reply to messages that were received today.", "ASK"),
    (SHELL, "Never delete files.", 'tool == "delete_file"'),
    (
        SHELL,
        "Never write files outside /home/me.",
        'tool == "write_file" and (path is None or not path.startswith("/home/me/"))',
    ),
    (
        SHELL,
        "The agent must not read /etc/shadow.",
        'tool == "read_file" and (path is None or path == "/etc/shadow")',
    ),
    (
        SHELL,
        "Reading files under /root is forbidden.",
        'tool == "read_file" and (path is None or path.startswith("/root/"))',
    ),
    (
        SHELL,
        'The agent must not run commands containing "sudo".',
        'tool == "run_command" and (command is None or "sudo" in command)',
    ),
    (SHELL, "Do not overwrite the backups.", "ASK"),
    (
        HOSPITAL,
        "Nurses may not read diagnosis.icd9code.",
        'role == "nursing" and any(c in {"diagnosis.icd9code"} for c in columns)',
    ),
    (
        HOSPITAL,
        "Only physicians may read patient.ethnicity.",
        'any(c in {"patient.ethnicity"} for c in columns) and role != "physician"',
    ),
    (
        HOSPITAL,
        "Nobody may access the lab database except physicians.",
        'role != "physician" and any(c in {"lab.patientunitstayid", "lab.labname", "lab.labresult", '
        '"lab.labresulttime"} for c in columns)',
    ),
    (
        HOSPITAL,
        "No one other than general administration may access the cost database.",
        'role != "general administration" and any(c in {"cost.uniquepid", "cost.patienthealthsystemstayid", '
        '"cost.eventtype", "cost.eventid", "cost.chargetime", "cost.cost"} for c in columns)',
    ),
    (
        HOSPITAL,
        "Physicians and nurses must not read patient.age.",
        'role in {"physician", "nursing"} and any(c in {"patient.age"} for c in columns)',
    ),
    (HOSPITAL, "Visitors may not read anything.", "ASK"),
    (
        SHOPPING,
        "Members or users who are at least 18 may not book a hotel unless they are vaccinated.",
        'action == "book_hotel" and (membership or age >= 18) and not vaccine',
    ),
    (SHOPPING, "Users who are not members or vaccinated may not book a flight.", "ASK"),
    (SHOPPING, "Members and adults may book a hotel.", "ASK"),
    (SHOPPING, "The assistant works on behalf of a signed-in user.", "CONTEXT"),
    (SHOPPING, "It opens pages, fills in forms and clicks buttons.", "CONTEXT"),
    (HOSPITAL, "Every member of staff logs in with one role.", "CONTEXT"),
]


@pytest.mark.parametrize(("spec", "sentence", "expected"), READ, ids=[sentence for _, sentence, _ in READ])
def test_a_sentence_is_read_rightly_or_asked_about(spec: AgentSpec, sentence: str, expected: str) -> None:
    request = f"{sentence}\n\nEverything else is allowed.\n"
    drafted = RulesAuthor().draft(request, spec, {})
    role = drafted.sentences[0].role
    if expected in ("ASK", "CONTEXT"):
        assert role is (SentenceRole.OPEN if expected == "ASK" else SentenceRole.CONTEXT)
        assert bool(drafted.doubts) == (expected == "ASK")
        return
    assert role is SentenceRole.REQUIREMENT
    head, rest = drafted.policy.split("def ", 1)
    signature = rest[rest.index("def allow(") if "def allow(" in rest else 0 :].split("\n")[0]
    parameters = signature[signature.index("(") + 1 : signature.index(") ->")]
    names = ", ".join(part.split(":")[0] for part in parameters.split(", ") if ":" in part)
    by_hand = (
        f"{head}def forbid_by_hand({parameters}) -> bool:\n"
        f'    """By hand."""\n    return {expected}\n\n\n'
        f"def allow({parameters}) -> bool:\n    Ensures(Result() == Result())\n"
        f"    return not (forbid_by_hand({names}))\n"
    )
    assert distinguish(check(drafted.policy), check(by_hand)) is None
