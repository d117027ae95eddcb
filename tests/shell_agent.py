"""An agent with one tool, which runs commands of a shell in a folder."""

SHELL_AGENT = """
name = "coder"

[tools.bash]
cwd = "/repo"
shell = "bash"
fields = {command = {type = "command"}}
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
"""
