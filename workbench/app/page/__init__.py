"""The report of a session as one page, in Markdown or as an HTML file with its plots."""

from workbench.app.page.fill_templates import SessionPage, render_html, render_markdown

__all__ = ["SessionPage", "render_html", "render_markdown"]
