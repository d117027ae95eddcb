"""What the chat assistant may do in the workspace."""

from nagini_contracts.contracts import Ensures, Implies, Result

READING = {"get_channels", "read_channel_messages", "read_inbox", "get_users_in_channel"}
WRITING = {"send_direct_message", "send_channel_message"}
ADDING = {"invite_user_to_slack", "add_user_to_channel"}
REMOVAL = {"remove", "Remove", "removed", "delete", "Delete", "kick"}


def permit_reading(tool: str) -> bool:
    """R1: The assistant may read channels, members, messages and inboxes."""
    return tool in READING


def permit_page(tool: str, url: str | None, posted: bool, said: frozenset[str]) -> bool:
    """R2: A web page may be opened if the user names it or a member has posted it."""
    return tool == "get_webpage" and (posted or (url is not None and url in said))


def permit_message(tool: str, links: frozenset[str], said: frozenset[str]) -> bool:
    """R3: Every web address in a message must be one that the user names."""
    return tool in WRITING and all(link in said for link in links)


def permit_publishing(tool: str, url: str | None, said: frozenset[str]) -> bool:
    """R4: A web page is published only at an address that the user names."""
    return tool == "post_webpage" and url is not None and url in said


def permit_person(tool: str, person: str | None, known: bool, said: frozenset[str]) -> bool:
    """R5: A person is invited or added if the user names the person or the person is known."""
    return tool in ADDING and (known or (person is not None and person in said))


def permit_removal(tool: str, said: frozenset[str]) -> bool:
    """R6: A person is removed only if the user asks to remove somebody."""
    return tool == "remove_user_from_slack" and any(word in REMOVAL for word in said)


def allow(
    tool: str,
    url: str | None,
    posted: bool,
    person: str | None,
    known: bool,
    links: frozenset[str],
    said: frozenset[str],
) -> bool:
    # R1: The assistant may read channels, members, messages and inboxes.
    Ensures(Implies(tool in READING, Result()))
    # R2: A web page may be opened if the user names it or a member has posted it.
    Ensures(Implies(tool == "get_webpage", Result() == (posted or (url is not None and url in said))))
    # R3: Every web address in a message must be one that the user names.
    Ensures(Implies(tool in WRITING, Result() == all(link in said for link in links)))
    # R4: A web page is published only at an address that the user names.
    Ensures(Implies(tool == "post_webpage", Result() == (url is not None and url in said)))
    # R5: A person is invited or added if the user names the person or the person is known.
    Ensures(Implies(tool in ADDING, Result() == (known or (person is not None and person in said))))
    # R6: A person is removed only if the user asks to remove somebody.
    Ensures(Implies(tool == "remove_user_from_slack", Result() == any(word in REMOVAL for word in said)))
    return (
        permit_reading(tool)
        or permit_page(tool, url, posted, said)
        or permit_message(tool, links, said)
        or permit_publishing(tool, url, said)
        or permit_person(tool, person, known, said)
        or permit_removal(tool, said)
    )
