"""Endpoints of models: where they are, what each can do, and how a call is put to it."""
