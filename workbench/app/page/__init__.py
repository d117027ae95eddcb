"""A session as one page for an audit or a pull request: Markdown, or one HTML file with its plots."""

from workbench.app.page.render import SessionPage, render_html, render_markdown

__all__ = ["SessionPage", "render_html", "render_markdown"]
