"""What identifies the inputs of a long job, for its work file."""

from __future__ import annotations

import hashlib
import io
import os

from cranfield.collection.intents import Intents
from cranfield.collection.types import Qrels, Run


def fingerprint(source: Qrels | Run | Intents | str) -> str:
    """What identifies an input: a file by name, size and time of change; columns by their content."""
    if isinstance(source, str):
        try:
            status = os.stat(source)  # noqa: PTH116 (a name may be - or not exist; reading it will tell)
        except OSError:
            return source
        return f"{source} {status.st_size} {status.st_mtime_ns}"
    if isinstance(source, Intents):
        content = repr(sorted(source.probability.items())).encode()
    else:
        out = io.BytesIO()
        source.frame.write_ipc(out)
        content = out.getvalue()
    name = source.system if isinstance(source, Run) else source.name
    return f"{name} {hashlib.blake2b(content, digest_size=16).hexdigest()}"
