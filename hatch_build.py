"""Build the compiled parser beside its source, where a C compiler and Python's headers are; without them, go on.

hatchling calls it for wheels and for editable installs; ``python hatch_build.py`` does the same in a checkout. A wheel
with the parser is one for this platform and for every Python from 3.11 on (the limited API); without it, for any.
CRANFIELD_PURE=1 builds none.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent / "src" / "cranfield" / "collection" / "_columns.c"
BUILT = SOURCE.with_name("_columns.abi3.so")
FLAGS = ["-std=c11", "-O3", "-fPIC", "-Wall", "-Wextra"]


def command(built: Path = BUILT, *more: str) -> list[str]:
    """What compiles the parser: the compiler of $CC, or the system's."""
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    headers = f"-I{sysconfig.get_path('include')}"
    return [*shlex.split(os.environ.get("CC", "cc")), *FLAGS, *more, *shared, headers, "-o", str(built), str(SOURCE)]


def build() -> str:
    """Compile the parser; what hindered it, or nothing."""
    BUILT.unlink(missing_ok=True)
    if os.environ.get("CRANFIELD_PURE", "") not in ("", "0"):
        return "CRANFIELD_PURE is set"
    if sys.platform == "win32" or not sysconfig.get_config_var("SOABI") or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "not on this platform"
    made = BUILT.with_suffix(f".{os.getpid()}")
    try:
        subprocess.run(command(made), check=True, capture_output=True, text=True)
        made.replace(BUILT)  # whole, or not at all
    except (OSError, subprocess.CalledProcessError) as error:
        made.unlink(missing_ok=True)
        return str(getattr(error, "stderr", "") or error).strip()
    return ""


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # called by hand
    pass
else:

    class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
        """The parser as a file of the wheel."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Compile, and say for which platforms the wheel is."""
            if hindrance := build():
                self.app.display_warning(f"The compiled parser is left out, so reading is slower: {hindrance}")
                return
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{platform}"
            build_data["artifacts"].append(f"/{BUILT.relative_to(SOURCE.parents[3]).as_posix()}")


if __name__ == "__main__":
    sys.exit(build() or None)
