"""The compiled parser is built where that is possible, left out where it is not, and never half written."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "cranfield" / "collection" / "_columns.c"
can_compile = pytest.mark.skipif(
    shutil.which("cc") is None or not Path(sysconfig.get_path("include"), "Python.h").is_file(),
    reason="no C compiler, or no headers of Python",
)


def loaded(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Hook:
    """What hatchling hands its hooks."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.app = types.SimpleNamespace(display_warning=self.said.append)


@pytest.fixture
def building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """hatch_build.py, writing elsewhere."""
    interface = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = Hook  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    for part in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    monkeypatch.delenv("CRANFIELD_PURE", raising=False)
    monkeypatch.delenv("CC", raising=False)
    module = loaded("hatch_build", ROOT / "hatch_build.py")
    place = tmp_path / "a" / "b" / "c" / "_columns.abi3.so"
    place.parent.mkdir(parents=True)
    monkeypatch.setattr(module, "BUILT", place)
    monkeypatch.setattr(module, "SOURCE", SOURCE)
    return module


@can_compile
def test_what_is_built_works(building: Any) -> None:
    assert building.build() == ""
    assert [one.name for one in building.BUILT.parent.iterdir()] == ["_columns.abi3.so"]
    module = loaded("_columns", building.BUILT)
    assert module.columns(b"a 1\n", "sl", "#") is not None
    assert module.columns(b"a b\n", "sl", "#") is None


@can_compile
def test_the_source_has_no_warnings(building: Any, tmp_path: Path) -> None:
    words = building.command(tmp_path / "x.so", "-Werror", "-Wshadow", "-Wconversion", "-Wno-sign-conversion")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"), [("CRANFIELD_PURE", "1", "CRANFIELD_PURE is set"), ("CC", "false", "exit"), ("CC", "no-such-compiler", "No such file")]
)  # fmt: skip
def test_without_a_compiler_the_wheel_is_one_for_all(
    building: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    building.BUILT.write_bytes(b"an old one")
    monkeypatch.setenv(name, value)
    hook, data = building.CustomBuildHook(), {"pure_python": True, "artifacts": []}
    hook.initialize("standard", data)
    assert data == {"pure_python": True, "artifacts": []}
    assert len(hook.said) == 1
    assert words in hook.said[0]
    assert list(building.BUILT.parent.iterdir()) == [], "what an older source gave is gone"


@can_compile
def test_with_a_compiler_the_wheel_says_for_which_platform(building: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "build", lambda: "")
    monkeypatch.setattr(building, "BUILT", SOURCE.with_name("_columns.abi3.so"))
    data: dict[str, Any] = {"pure_python": True, "artifacts": []}
    building.CustomBuildHook().initialize("standard", data)
    assert data["pure_python"] is False
    assert data["tag"].startswith("cp311-abi3-")
    assert data["artifacts"] == ["/src/cranfield/collection/_columns.abi3.so"]


def test_the_compiled_parser_calls_only_what_it_needs() -> None:
    """Memory, numbers and Python objects: no file, no process, no import."""
    code = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", SOURCE.read_text(), flags=re.DOTALL)
    called = set(re.findall(r"\b([A-Za-z_]\w*)\s*\(", code))
    ours = set(re.findall(r"^(?:static |PyMODINIT_FUNC )[\w *]*?\b(\w+)\(", code, flags=re.MULTILINE))
    words = {"if", "while", "for", "switch", "return", "sizeof", "defined", "PyMODINIT_FUNC", "void", "release", "int"}
    assert called - ours - words == {
        "calloc", "free", "isfinite", "malloc", "memcmp", "memcpy", "memset", "qsort", "realloc", "strlen", "strspn",
        "__builtin_bswap64", "__builtin_clzll", "__builtin_ctzll", "PyArg_ParseTuple", "PyBytes_AsStringAndSize",
        "PyCapsule_GetPointer", "PyCapsule_New", "PyErr_Clear", "PyErr_NoMemory", "PyErr_Occurred", "PyErr_SetString",
        "PyDict_New", "PyDict_SetItem", "PyDict_Size", "Py_CLEAR", "PyModule_Create", "PyTuple_Pack",
        "newlocale", "strtod_l", "PyUnicode_DecodeUTF8", "PyUnicode_FromStringAndSize",
        "Py_BuildValue", "Py_NewRef", "Py_XDECREF",
    }  # fmt: skip
