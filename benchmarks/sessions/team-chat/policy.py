"""What the chat assistant may do in the workspace."""

from nagini_contracts.contracts import Ensures, Result

from agent import (
    AddUserToChannel,
    GetChannels,
    GetUsersInChannel,
    GetWebpage,
    InviteUserToSlack,
    PostWebpage,
    ReadChannelMessages,
    ReadInbox,
    RemoveUserFromSlack,
    Run,
    SendChannelMessage,
    SendDirectMessage,
)

DEFAULT = "deny"

MEMBERS = {"user", "read_channel_messages:text", "read_inbox:text"}
WORKSPACE = {
    "user", "read_inbox:text", "read_channel_messages:text",
    "get_users_in_channel", "get_users_in_channel:text",
}
REMOVAL = {"remove", "Remove", "removed", "delete", "Delete", "kick"}


def posted(call: GetWebpage) -> bool:
    """whether the user names the page or a member has posted it"""
    return any(place in MEMBERS for place in call.url.source)


def strange(call: SendDirectMessage | SendChannelMessage) -> bool:
    """whether the message has a web address that neither the user names nor a member has posted"""
    return any(
        not any(place in MEMBERS for place in address.source) for address in call.body.web_addresses
    )


def known(call: InviteUserToSlack | AddUserToChannel) -> bool:
    """whether the user names the person or the workspace knows the person"""
    return any(place in WORKSPACE for place in call.user.source)


def asked_to_remove(run: Run) -> bool:
    """whether the user asks to remove somebody"""
    return any(word in REMOVAL for word in run.said.words)


def permit_reading(call: GetChannels | ReadChannelMessages | ReadInbox | GetUsersInChannel) -> bool:
    """R1: The assistant may read channels, members, messages and inboxes."""
    return True


def permit_page(call: GetWebpage) -> bool:
    """R2: A web page may be opened if the user names it or a member has posted it."""
    return posted(call)


def permit_message(call: SendDirectMessage | SendChannelMessage) -> bool:
    """R3: Every web address in a message must be one that the user names or a member has posted."""
    return not strange(call)


def permit_publishing(call: PostWebpage) -> bool:
    """R4: A web page is published only at an address that the user names."""
    return "user" in call.url.source


def permit_person(call: InviteUserToSlack | AddUserToChannel) -> bool:
    """R5: A person is invited or added if the user names the person or the workspace knows the person."""
    return known(call)


def permit_removal(call: RemoveUserFromSlack, run: Run) -> bool:
    """R6: A person is removed only if the user asks to remove somebody."""
    return asked_to_remove(run)


def contract_reading(call: GetChannels | ReadChannelMessages | ReadInbox | GetUsersInChannel) -> None:
    # R1: The assistant may read channels, members, messages and inboxes.
    Ensures(Result())


def contract_page(call: GetWebpage) -> None:
    # R2: A web page may be opened if the user names it or a member has posted it.
    Ensures(Result() == posted(call))


def contract_message(call: SendDirectMessage | SendChannelMessage) -> None:
    # R3: Every web address in a message must be one that the user names or a member has posted.
    Ensures(Result() == (not strange(call)))


def contract_publishing(call: PostWebpage) -> None:
    # R4: A web page is published only at an address that the user names.
    Ensures(Result() == ("user" in call.url.source))


def contract_person(call: InviteUserToSlack | AddUserToChannel) -> None:
    # R5: A person is invited or added if the user names the person or the workspace knows the person.
    Ensures(Result() == known(call))


def contract_removal(call: RemoveUserFromSlack, run: Run) -> None:
    # R6: A person is removed only if the user asks to remove somebody.
    Ensures(Result() == asked_to_remove(run))
