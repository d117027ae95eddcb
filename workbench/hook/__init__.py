"""Hooks of coding agents: a process for each event, one that stays and decides, their installation."""
