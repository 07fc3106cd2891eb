"""The manual as a site: ``make docs``. The reference pages are written from the program itself at each build."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent))  # Sphinx does not

import columns
import gallery

import cranfield as cf
from cranfield.cli.main import app as program

os.environ["COLUMNS"] = "96"  # the width of help texts

# Kernels of notebooks warn about a transport that does not leave this machine, charts would fetch a script, warnings
# name a file that is gone, and frames begin with their types.
profile = Path(__file__).parent / "_generated" / "ipython" / "profile_default"
profile.mkdir(parents=True, exist_ok=True)
(profile / "ipython_kernel_config.py").write_text("""c = get_config()
c.IPKernelApp.log_level = "ERROR"
c.InteractiveShellApp.exec_lines = [
    "import altair; altair.renderers.enable('svg'); del altair",
    "import warnings; warnings.formatwarning = lambda text, kind, *_: f'{kind.__name__}: {text}\\\\n'; del warnings",
    "import polars; polars.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True); del polars",
]
""")
os.environ["IPYTHONDIR"] = str(profile.parent)

project, author = "cranfield", "The cranfield developers"
copyright = f"{author}, Apache-2.0"
version = release = cf.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["_build", "images"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
myst_heading_anchors = 4
nb_execution_mode = "auto"  # notebooks are stored without output
nb_execution_in_temp = True
nb_execution_timeout = 600
nb_render_markdown_format = "myst"  # an answer in Markdown may be a table
nb_execution_raise_on_error = True
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()
autodoc_typehints = "none"
autosummary_generate = True
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = "cranfield"
html_favicon = html_logo = "../src/cranfield/web/static/icon.svg"
html_static_path = ["style"]
html_css_files = ["manual.css"]
html_search_scorer = str(Path(__file__).parent / "style" / "scorer.js")
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_sidebars = {"index": [], "start": [], "choose": [], "_generated/gallery": []}  # pages without a section
html_theme_options = {
    "navigation_with_keys": True,
    "logo": {"text": "cranfield", "alt_text": "cranfield"},
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
    "footer_start": ["copyright"],
    "footer_end": [],
}

HERE = Path(__file__).parent


def commands(group: click.Group, words: str) -> Iterator[tuple[str, click.Command, click.Context]]:
    """All commands below a group, with the words one types."""
    context = click.Context(group, info_name=words, max_content_width=96, terminal_width=96)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        typed = f"{words} {name}"
        if isinstance(command, click.Group):
            yield from commands(command, typed)
        else:
            yield typed, command, click.Context(command, info_name=typed, max_content_width=96, terminal_width=96)


def command_page() -> str:
    """Every command with the help it prints."""
    parts = ["# Commands", "", "What `cranfield COMMAND --help` prints, for every command.", ""]
    for typed, command, context in commands(program, "cranfield"):
        parts += [f"## {typed}", "", "```text", command.get_help(context).rstrip(), "```", ""]
    return "\n".join(parts)


def api_page() -> str:
    """Every public name, grouped by the folder that defines it."""
    stub = (Path(cf.__file__).parent / "__init__.pyi").read_text()
    folders: dict[str, list[str]] = {"scores": [], "collection": [], "measures": []}
    for module, name in re.findall(r"^from \.(\S+) import (\w+) as", stub, flags=re.MULTILINE):
        parts = module.split(".")
        folders.setdefault(".".join(parts[:2]) if parts[0] == "questions" else parts[0], []).append(name)
    folders["core"] = folders.pop("core")  # errors and charts, last
    page = ["# Python", "", "All public names. `import cranfield as cf`, then `cf.NAME`.", ""]
    for folder, names in folders.items():
        rows = "\n".join(f"   {name}" for name in names)
        about = str(importlib.import_module(f"cranfield.{folder}").__doc__).splitlines()[0]
        page += [f"## {folder.rpartition('.')[2]}", "", about, "", "```{eval-rst}", ".. currentmodule:: cranfield", "", ".. autosummary::",
                 "   :toctree: _api", "   :nosignatures:", "", rows, "```", ""]  # fmt: skip
    return "\n".join(page)


def write(name: str, text: str) -> None:
    page = HERE / "_generated" / name
    page.parent.mkdir(exist_ok=True)
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


write("commands.md", command_page())
write("python.md", api_page())
gallery.write(HERE / "_generated" / "gallery.md")
columns.write(HERE / "_generated" / "columns.md")
