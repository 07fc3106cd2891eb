"""What data can reach: no code, no pickle, no name of a module; and what is written meanwhile nobody else can read."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import stat
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cranfield import UnknownNameError, read_run, read_scores
from cranfield.cli.main import app
from cranfield.core.writing import write_atomically
from cranfield.measures.names import parse_measure
from cranfield.measures.registry import no_imports
from cranfield.web.server.app import create_app
from cranfield.web.server.store import Workplace
from golden.run import Client, ask

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cranfield"
FORBIDDEN = {"eval", "exec", "compile", "__import__", "execfile"}
UNPACKERS = {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "yaml"}
PICKLE_ALLOWED = {
    "core/executors.py": "a function travels to processes that this one has started",
    "core/cluster.py": "work travels to the workers of a cluster that the user named, and results come back",
}
SHELLS = {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"}


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def faults(name: str, tree: ast.AST) -> list[str]:
    """What a source file does that no data should be able to reach."""
    wrong = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            bad = {module.split(".")[0] for module in modules} & UNPACKERS
            if bad and name not in PICKLE_ALLOWED:
                wrong.append(f"{name}:{node.lineno}: imports {', '.join(sorted(bad))}")
        if not isinstance(node, ast.Call):
            continue
        function = called(node)
        if function in FORBIDDEN or function in SHELLS:
            wrong.append(f"{name}:{node.lineno}: calls {function}")
        keywords = {one.arg: ast.unparse(one.value) for one in node.keywords}
        if keywords.get("allow_pickle") == "True" or keywords.get("shell") == "True":
            wrong.append(f"{name}:{node.lineno}: {function} with {keywords}")
        if function in ("np.load", "numpy.load", "tempfile.mktemp"):
            wrong.append(f"{name}:{node.lineno}: calls {function}")
    return wrong


def test_no_source_unpickles_or_runs_what_it_reads() -> None:
    files = {path.relative_to(SOURCE).as_posix(): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}
    assert [text for name, code in files.items() for text in faults(name, ast.parse(code))] == []


def test_the_rule_can_fail() -> None:
    bad = "import pickle\nfrom yaml import load\neval('1')\nimport numpy as np\nnp.load('x', allow_pickle=True)\nos.system('ls')"
    assert len(faults("bad.py", ast.parse(bad))) == 6
    assert faults("good.py", ast.parse("import json\nre.compile('a')\njson.loads('1')")) == []


def test_a_work_file_of_objects_is_no_way_in(tmp_path: Path) -> None:
    """An array of Python objects would be pickled; its kind is refused."""
    from cranfield.core.work_files import WorkFile, _line

    path = tmp_path / "job.work"
    WorkFile(path, {"seed": 1}).close()
    array = {"array": "gASVAA==", "type": "|O", "shape": [1]}
    with path.open("ab") as stream:
        stream.write(_line("part", {"values": array}).replace(b'"|O"', b'"|O"'))
    file = WorkFile(path, {"seed": 1})
    assert file.get("part") is None
    assert "line 2 (part)" in file.warnings[0]


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that leaves a mark when it is imported; the mark must not be there."""
    (tmp_path / "trap.py").write_text(f"from pathlib import Path\nPath({str(tmp_path / 'sprung')!r}).touch()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert "trap" not in sys.modules
    assert not (tmp_path / "sprung").exists()


def test_no_file_imports_a_module_by_its_labels(trap: Path) -> None:
    table = trap / "s.csv"
    table.write_text("topic,system,measure,score\n1,trap.x,trap.measure,0.5\n1,b,trap.measure,0.25\n")
    assert list(read_scores(table)) == ["trap.measure"]
    (trap / "a.run").write_text("1 Q0 trap.d 1 0.5 trap.x\n")
    read_run(trap / "a.run")
    ended = CliRunner().invoke(app, ["variance", str(table), "-m", "map"])
    assert ended.exit_code != 0
    assert "unknown measure 'map'" in ended.output
    CliRunner().invoke(app, ["check", str(table), str(trap / "a.run")])


PAGES = ("compare", "standardise", "replicates", "reliability", "reuse", "pair", "tuning")
NAMES = ("trap.measure", "trap:measure", "trap.measure@10", "irm:trap.measure")


def test_no_visitor_imports_a_module_by_a_measure(trap: Path) -> None:
    asked = [(page, name) for page in PAGES for name in NAMES] + [("report", "trap.measure")]
    with Client(create_app(), base_url="http://127.0.0.1") as client:
        for page, name in asked:
            status, body = ask(client, f"/api/{page}?data=sample&measure={name}&resamples=20&splits=1")
            assert status >= 400, body
    with no_imports(), pytest.raises(UnknownNameError):
        parse_measure("trap.measure")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions as POSIX has them")
def test_what_is_written_meanwhile_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = os.fsync

    def look(handle: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        real(handle)

    monkeypatch.setattr(os, "fsync", look)
    before = os.umask(0)
    try:
        write_atomically(tmp_path / "made.csv", b"data")
        place = Workplace(tmp_path)
        modes = [stat.S_IMODE(one.stat().st_mode) for one in (place.path, place.path.parent)]
        place.close()
    finally:
        os.umask(before)
    assert seen == [0o600]
    assert modes == [0o700, 0o700]
    with tempfile.TemporaryDirectory() as folder:
        assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700


def test_every_package_that_users_may_install_is_on_the_page_of_licences() -> None:
    root = Path(__file__).resolve().parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = [
        one
        for name, named in project["optional-dependencies"].items()
        if name not in ("dev", "bench", "docs")
        for one in named
    ]
    page = (root / "docs" / "dependencies.md").read_text()
    asked = {re.split("[<>=]", one)[0] for one in [*project["dependencies"], *extras]} - {"cranfield[charts]"}
    assert {name for name in asked if f"| {name} | " not in page} == set()


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([{"name": "click", "version": "8.2", "vulns": []}], 0, "1 of 1 packages were looked up, 0 known weaknesses"),
        (
            [{"name": "click", "version": "8.2", "vulns": [{"id": "PYSEC-1"}]}],
            1,
            "1 of 1 packages were looked up, 1 known weaknesses\nclick 8.2: PYSEC-1",
        ),
        (
            [{"name": "click", "skip_reason": "not found on PyPI"}],
            1,
            "0 of 1 packages were looked up, 0 known weaknesses\n"
            "audit: nothing is known of 1 packages (not found on PyPI); run it where",
        ),
        ([], 1, "0 of 0 packages were looked up"),
    ],
)
def test_an_audit_that_looks_nothing_up_does_not_pass(packages: list[object], code: int, words: str) -> None:
    place = SOURCE.parents[1] / "docs" / "dependencies.py"
    spec = importlib.util.spec_from_file_location("dependencies_page", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    told = module.verdict(packages)
    assert told[0] == code
    assert told[1].startswith(f"audit: {words}")
