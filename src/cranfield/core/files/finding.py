"""Every file that names, directories and globs stand for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from cranfield.core.errors import FileError
from cranfield.core.files.names import STDIN, NamedFile, is_dataset, is_file, is_folder, is_url, split_sheet
from cranfield.core.files.reading import filesystem, reaching, unreadable
from cranfield.core.labels import natural_sorted, summary

_STRAY = re.compile(
    r"\..*|~\$.*|thumbs\.db|desktop\.ini|(readme|licen[cs]e)(\.txt)?|changelog|makefile|md5sums|sha256sums|checksums\.txt|"
    r".*\.(md|rst|html?|pdf|png|jpe?g|gif|svg|py|sh|ipynb|zip|tar(\.(gz|bz2|xz))?|tgz|docx?|pptx?|md5|sha256|bak|"
    r"swp|lock)",
    re.DOTALL,
)


def _remote_files(name: str, skipped: list[str]) -> list[str]:
    """The files a URL stands for: itself, those of a directory, or those that match its stars."""
    if name.startswith(("http://", "https://")):
        return [name]  # a question mark there is no pattern, and there are no directories
    system, path = filesystem(name)
    scheme = name.partition("://")[0]
    with reaching(name):
        if "*" in path:
            return natural_sorted(f"{scheme}://{one.lstrip('/')}" for one in system.glob(path)) or [name]
        if not system.isdir(path):
            return [name]
        names = {one["name"]: one["type"] == "directory" for one in system.ls(path, detail=True)}
    kept = _without_strays(name, {f"{scheme}://{one.lstrip('/')}": folder for one, folder in names.items()}, skipped)
    return natural_sorted(kept)


def _is_stray(name: str) -> bool:
    """Whether the name of a file shows that it is not data.

    >>> [_is_stray(name) for name in ("README.md", "Thumbs.db", ".DS_Store", "bm25.run", "results.tar.gz", "notes.txt")]
    [True, True, True, False, True, False]
    """
    return _STRAY.fullmatch(name.casefold()) is not None


def _without_strays(folder: str, names: dict[str, bool], skipped: list[str]) -> list[str]:
    """The files of a folder that may be data; the others are added to `skipped`, in one sentence."""
    kept = [name for name, is_folder in names.items() if not is_folder and not _is_stray(Path(name).name)]
    gone = [Path(name).name + "/" * is_folder for name, is_folder in names.items() if name not in kept]
    if gone:
        skipped.append(f"{folder}: skipped {summary(natural_sorted(gone), most=8)} (not data, or a folder)")
    if not kept:
        text = "is a directory without files" + (
            f" that may hold data ({summary(natural_sorted(gone))})" if gone else ""
        )
        raise FileError(folder, text)
    return kept


class Files(list[str]):
    """Names of files, and what was passed over on the way: `skipped`, one sentence each."""

    skipped: tuple[str, ...] = ()


def expand(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> Files:
    """Every file the names stand for: files, the files of directories, and globs, in numeric-aware order.

    What is clearly no data in a directory (hidden files, README.md, Thumbs.db, pictures, folders, …) is passed over
    and named in `Files.skipped`. A name that leads to no file is a `FileError`.
    """
    skipped: list[str] = []
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    matched: list[str] = []
    for given in paths:
        name = os.fspath(given)
        if name == STDIN or isinstance(name, NamedFile) or is_dataset(name) or is_file(split_sheet(name)[0]):
            matched.append(name)
            continue
        if is_url(name):
            matched.extend(_remote_files(name, skipped))
            continue
        if is_folder(name):
            try:
                inside = {str(one): is_folder(one) for one in Path(name).iterdir()}
            except OSError as error:
                raise unreadable(name, error) from None
            matched.extend(natural_sorted(_without_strays(name, inside, skipped)))
            continue
        import glob

        if glob.has_magic(name) and (matches := natural_sorted(glob.glob(name, recursive=True))):
            matched.extend(match for match in matches if is_file(match))
        else:
            matched.append(name)  # reading it will say what is wrong
    files = Files(dict.fromkeys(matched))
    files.skipped = tuple(dict.fromkeys(skipped))
    return files
