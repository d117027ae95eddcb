"""What a front end can ask of an open session, and what it gets."""
