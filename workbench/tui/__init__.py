"""The screen: five views of one session, drawn from its state."""
