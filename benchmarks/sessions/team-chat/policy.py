"""What the chat assistant may do in the workspace."""

from nagini_contracts.contracts import Ensures, Implies, Result

READING = {"get_channels", "read_channel_messages", "read_inbox", "get_users_in_channel"}
WRITING = {"send_direct_message", "send_channel_message"}
ADDING = {"invite_user_to_slack", "add_user_to_channel"}
REMOVAL = {"remove", "Remove", "removed", "delete", "Delete", "kick"}


def permit_reading(tool: str) -> bool:
    """R1: The assistant may read channels, members, messages and inboxes."""
    return tool in READING


def permit_page(tool: str, url_source: frozenset[str]) -> bool:
    """R2: A web page may be opened if the user names it or a member has posted it."""
    return tool == "get_webpage" and ("user" in url_source or "members" in url_source)


def permit_message(tool: str, strange_links: frozenset[str]) -> bool:
    """R3: Every web address in a message must be one that the user names or a member has posted."""
    return tool in WRITING and not any(len(link) > 0 for link in strange_links)


def permit_publishing(tool: str, url_source: frozenset[str]) -> bool:
    """R4: A web page is published only at an address that the user names."""
    return tool == "post_webpage" and "user" in url_source


def permit_person(tool: str, person_source: frozenset[str]) -> bool:
    """R5: A person is invited or added if the user names the person or the workspace knows the person."""
    return tool in ADDING and ("user" in person_source or "workspace" in person_source)


def permit_removal(tool: str, said: frozenset[str]) -> bool:
    """R6: A person is removed only if the user asks to remove somebody."""
    return tool == "remove_user_from_slack" and any(word in REMOVAL for word in said)


def allow(
    tool: str,
    url_source: frozenset[str],
    person_source: frozenset[str],
    strange_links: frozenset[str],
    said: frozenset[str],
) -> bool:
    # R1: The assistant may read channels, members, messages and inboxes.
    Ensures(Implies(tool in READING, Result()))
    # R2: A web page may be opened if the user names it or a member has posted it.
    Ensures(Implies(tool == "get_webpage", Result() == ("user" in url_source or "members" in url_source)))
    # R3: Every web address in a message must be one that the user names or a member has posted.
    Ensures(Implies(tool in WRITING, Result() == (not any(len(link) > 0 for link in strange_links))))
    # R4: A web page is published only at an address that the user names.
    Ensures(Implies(tool == "post_webpage", Result() == ("user" in url_source)))
    # R5: A person is invited or added if the user names the person or the workspace knows the person.
    Ensures(Implies(tool in ADDING, Result() == ("user" in person_source or "workspace" in person_source)))
    # R6: A person is removed only if the user asks to remove somebody.
    Ensures(Implies(tool == "remove_user_from_slack", Result() == any(word in REMOVAL for word in said)))
    return (
        permit_reading(tool)
        or permit_page(tool, url_source)
        or permit_message(tool, strange_links)
        or permit_publishing(tool, url_source)
        or permit_person(tool, person_source)
        or permit_removal(tool, said)
    )
