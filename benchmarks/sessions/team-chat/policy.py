"""What the chat assistant may do in the workspace."""

from nagini_contracts.contracts import Ensures, Implies, Result

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
    Text,
)

DEFAULT = "deny"

# Where the user and the members write, and the lists of members.
MEMBERS = {"user", "read_channel_messages:text", "read_inbox:text"}
LISTS = {"get_users_in_channel", "get_users_in_channel:text"}
REMOVAL = {"remove", "removed", "delete", "kick"}


def is_posted(text: Text) -> bool:
    """whether the user or a member has written it"""
    return any(place in MEMBERS for place in text.source)


def is_known(call: InviteUserToSlack | AddUserToChannel) -> bool:
    """whether the user names the person, or a message or a list of members does"""
    return is_posted(call.user) or any(place in LISTS for place in call.user.source)


def asks_to_remove(run: Run) -> bool:
    """whether the user asks to remove somebody"""
    return any(word.lower() in REMOVAL for word in run.said.words)


def permit_reading(call: GetChannels | GetUsersInChannel | ReadChannelMessages | ReadInbox) -> bool:
    """R1: The assistant may read channels, members, messages and inboxes."""
    return True


def permit_page(call: GetWebpage) -> bool:
    """R2: It may open a web page that the user names, or that a member has posted in a channel or sent to an inbox."""
    return is_posted(call.url)


def permit_message(call: SendDirectMessage | SendChannelMessage) -> bool:
    """R5: Every web address in a message must be one that the user names or that a member has posted."""
    return all(is_posted(address) for address in call.body.web_addresses)


def permit_publishing(call: PostWebpage) -> bool:
    """R6: It may publish a web page only at an address that the user names."""
    return "user" in call.url.source


def permit_person(call: InviteUserToSlack | AddUserToChannel) -> bool:
    """R7: It may invite a person, or add one to a channel, only if the user names the person, or if the person is known from a message or from the list of a channel's members."""
    return is_known(call)


def permit_removal(call: RemoveUserFromSlack, run: Run) -> bool:
    """R8: It may remove a person only if the user asks to remove somebody."""
    return asks_to_remove(run)


def contract_reading(call: GetChannels | GetUsersInChannel | ReadChannelMessages | ReadInbox) -> None:
    # R1: The assistant may read channels, members, messages and inboxes.
    Ensures(Result())


def contract_page(call: GetWebpage) -> None:
    # R2: A page that the user or a member has written is opened.
    Ensures(Implies(is_posted(call.url), Result()))
    # R3: A link that stands only on a web page or in the name of a channel may not be opened.
    Ensures(Implies(not is_posted(call.url), not Result()))


def contract_message(call: SendDirectMessage | SendChannelMessage) -> None:
    # R4: It may write messages.
    Ensures(Implies(all(is_posted(address) for address in call.body.web_addresses), Result()))
    # R5: But none with an address that neither the user nor a member has written.
    Ensures(Implies(any(not is_posted(address) for address in call.body.web_addresses), not Result()))


def contract_publishing(call: PostWebpage) -> None:
    # R6: Only where the user says.
    Ensures(Result() == ("user" in call.url.source))


def contract_person(call: InviteUserToSlack | AddUserToChannel) -> None:
    # R7: Only a person who is known.
    Ensures(Result() == is_known(call))


def contract_removal(call: RemoveUserFromSlack, run: Run) -> None:
    # R8: Only if the user asks for it.
    Ensures(Result() == asks_to_remove(run))
