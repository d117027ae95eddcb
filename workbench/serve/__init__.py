"""The screen in a browser on this machine: one address with a secret in it, one session, one window."""
