"""Other processors, as far as this one can stand in for them, and commands whose answers hold many computed numbers.

    PYTHONPATH=src:tests python -m determinism.processors FOLDER PART

makes files in FOLDER and prints JSON: the digest of what each command prints and writes. PART is `quick` or `all`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from determinism.answers import digest
from golden.run import type_command

OLD_LIBM = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"}
"""The C library without its kernels for fused multiplication; both spellings, the second for glibc before 2.33."""


def without(*features: str) -> dict[str, str]:
    """What makes numpy leave out the kernels for these features, as far as it has any; all of them, if none is named."""
    try:
        from numpy._core._multiarray_umath import __cpu_dispatch__ as known  # type: ignore[attr-defined]
    except ImportError:
        from numpy.core._multiarray_umath import __cpu_dispatch__ as known
    left_out = [name for name in known if not features or name.startswith(features)]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(left_out)}


PROCESSORS = {
    "no AVX-512": without("AVX512", "X86_V4") | {"OPENBLAS_CORETYPE": "Haswell"},
    "an old one": without() | OLD_LIBM | {"OPENBLAS_CORETYPE": "Prescott"},
    "old libraries": OLD_LIBM | {"OPENBLAS_CORETYPE": "Nehalem"},
    "new BLAS": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "other BLAS": {"OPENBLAS_CORETYPE": "Zen"},
}
"""A processor, and the surroundings in which libraries behave as they would on it."""
QUICK = ("no AVX-512", "an old one")


def told(done: subprocess.CompletedProcess[str]) -> Any:
    """What a child printed as JSON; None where it met an instruction that this processor does not have.

    Any other way to die is a crash, and no reason to pass over a test.
    """
    if done.returncode == -signal.SIGILL:
        return None
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


MEASURES = " ".join(
    f"-m {name}"
    for name in (
        "nDCG",
        "nDCG(tool=ntcir)",
        "nDCG(gains=exp)@10",
        "DCG",
        "RBP(p=0.95)",
        "RBPresidual",
        "ERR",
        "YAAP",
        "binG",
        "G",
    )
)
COMPARE = "compare scores.csv --resamples 500 --format csv"
FILES = (
    "standardise fit scores.csv -o factors.csv",
    "sample s --topics 15 --systems 8 --documents 2000 --depth 30 --length 500 --seed 1",
)
COMMANDS = {
    "tukey": f"{COMPARE} --test tukey",
    "t": f"{COMPARE} --test t",
    "randomisation": f"{COMPARE} --show pairs",
    "leaderboard": "leaderboard scores.csv --resamples 500 --format json",
    "variance": "variance scores.csv --method percentile95 --method two_way --format json",
    "reliability": "reliability scores.csv --format csv",
    "monitor": "monitor scores.csv --per-look 10 --anytime --show last --format csv",
    "looks": "design looks --variance-of-difference 0.04 --min-diff 0.07 --show looks --format json",
    "anova": "design anova --variance 0.05 --systems 10 --topics 40 --format json",
    "cdf": "standardise apply scores.csv --factors factors.csv --to cdf --format csv",
    "measures": f"evaluate s/qrels.txt s/runs -q --format csv {MEASURES}",
}
MORE = {
    **{f"compare {test}": f"{COMPARE} --test {test}" for test in ("welch", "wilcoxon", "sign", "bootstrap-t")},
    "curve": f"{COMPARE} --show curve",
    "interval": "design interval --scores scores.csv --topics 30 --format csv",
    "pairs": "design pairs --scores scores.csv --systems 6 --min-diff 0.2 --format csv",
    "recommend": "design recommend scores.csv --systems 6 --min-diff 0.2 --format json",
    "effect": "standardise effect scores.csv --systems 6 --min-diff 0.1 --resamples 200 --format csv",
    "correlate": "correlate scores.csv more.csv --resamples 500 --format json",
    "tau": "reliability scores.csv --show tau --format csv",
    "views": "reliability scores.csv --show views --format csv",
    "pocock": "monitor scores.csv --per-look 10 --spending pocock --format csv",
    "replicates": "replicates s/qrels.txt s/runs -m nDCG --splits 3 --resamples 200 --show pairs --format csv",
    "reuse": "reuse s/qrels.txt s/runs -m RBP(p=0.9) --depth 5 --resamples 200 --team-prefix [a-z]+ --show systems --format csv",
    "cost": "cost s/qrels.txt s/runs -m nDCG --depth 5 --width 0.2 --format csv",
    "simulate": "simulate tests scores.csv --trials 40 --test t --format csv",
    "simulated": "simulate scores scores.csv --format csv",
    "gate": "gate scores.csv --baseline s0 --candidate s1 --margin 0.1 --format json",
    "paper": "table scores.csv --intervals --resamples 500 --format csv",
    "report": "report s/qrels.txt s/runs --resamples 300 -o made.html",
    "chart": f"{COMPARE} --test t --plot made.svg",
}


def answer(words: str) -> str:
    """The digest of what a command prints and writes."""
    printed = type_command(words.split())
    assert printed.code == 0 or words.startswith("gate"), f"{words}: {printed.stderr}"
    made = [path for path in (Path("made.html"), Path("made.svg")) if str(path) in words.split()]
    return digest(printed.stdout.encode() + printed.stderr.encode() + b"".join(path.read_bytes() for path in made))


def table(seed: int) -> str:
    """Scores of 47 topics and 23 systems with all their digits."""
    values = np.random.default_rng(seed).random((47, 23)).tolist()
    rows = [f"t{i}," + ",".join(map(repr, row)) for i, row in enumerate(values)]
    return "topic," + ",".join(f"s{j}" for j in range(23)) + "\n" + "\n".join(rows) + "\n"


def main(folder: str, part: str) -> None:
    """Make the files, ask every command, print the digests."""
    Path(folder).mkdir(parents=True)
    os.chdir(folder)
    Path("scores.csv").write_text(table(4))
    Path("more.csv").write_text(table(5))
    for words in FILES:
        type_command(words.split())
    commands = COMMANDS if part == "quick" else COMMANDS | MORE
    sys.stdout.write(json.dumps({name: answer(words) for name, words in commands.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
