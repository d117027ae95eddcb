"""The screen in a browser on this machine: one address with a secret, one session, one window."""
