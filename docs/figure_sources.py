"""Where every figure of the documentation comes from; see ``docs/figures.py``."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from typing import Any

import numpy as np
from figures import ROOT, SHARED, Texts, figures

import cranfield as cf
from cranfield.core.errors import quietly

MATRICES = (
    "robust2003-new.AP", "robust2004-new.AP", "terabyte2006.AP", "trec3-adhoc.AP", "trec8-adhoc.AP", "web2012-adhoc.AP",
    "web2012-adhoc.ERR@20", "web2012-adhoc.P@20", "web2012-adhoc.nDCG@20",
)  # fmt: skip
"""The public matrices of docs/standardise.md."""


def short(value: float, digits: int = 3) -> str:
    """A number below 1 as papers print it: without the 0 before the point."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def table(header: str, rows: list[list[str]]) -> str:
    """A pipe table; columns whose heading starts with ``>`` are set flush right."""
    names = [name.strip() for name in header.split("|")]
    rule = ["--:" if name.startswith(">") else ":--" for name in names]
    head = [f"| {' | '.join(name.lstrip('>') for name in names)} |", f"|{'|'.join(rule)}|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


@cache
def matrix(name: str) -> cf.ScoreMatrix:
    return cf.read_scores(SHARED / "matrices" / f"{name}.csv").only()


@cache
def robust() -> dict[str, cf.ScoreMatrix]:
    return {name: matrix(name) for name in ("robust2003-new.AP", "robust2004-new.AP")}


# ── exact ─────────────────────────────────────────────────────────────────────────────────────────────────


@figures("exact")
def pool_cost() -> Texts:
    """EVIA 2014's example of pool depth and cost."""
    from cranfield.questions.cost.cost import cost_from_figures
    from cranfield.questions.cost.pools import PoolFigure

    evia = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
    shallow, deep = cost_from_figures(evia, width=0.15).to_frame().sort("depth").iter_rows(named=True)
    return {
        "evia-cost": f"{deep['topics']} topics to depth 100 cost {deep['judgments']:,} judgments, {shallow['topics']} "
        f"topics to depth 10 cost {shallow['judgments']:,}: {shallow['ratio']:.1f} times less"
    }


@figures("exact")
def resamples() -> Texts:
    """What a large family takes by Monte Carlo."""
    from cranfield.questions.compare.corrections import resamples_needed

    return {"resamples-for-8256": f"{2 * resamples_needed(8256, 0.05):,}"}


@figures("exact")
def selection_bias() -> Texts:
    """The printed output of `cranfield selection-bias`, and what is said of it."""
    import sys

    words = "selection-bias --settings 50 --topics 50 --folds 10"
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", *words.split()], capture_output=True, text=True, check=True, cwd=ROOT
    )
    shown = done.stdout.split("\n\n")
    result = cf.selection_bias(50, 50, folds=10)
    rows = result.to_frame()
    near = cf.selection_bias(50, 50, folds=10, correlation=0.9, n_experiments=10)
    return {
        "selection-bias-output": f"```console\n$ cranfield {words}\n{shown[0]}\n\n{shown[1]}\n```",
        "selection-bias-advantage": short(rows["advantage"][0]),
        "selection-bias-declared": f"{rows['declared_better'][0]:.0%}",
        "selection-bias-theory": short(result.expected, 4),
        "selection-bias-theory-near": short(near.expected, 4),
    }


@figures("exact")
def spherical_epsilon() -> Texts:
    """Greenhouse–Geisser's ε of spherical scores: 30 topics, 143 systems."""
    from cranfield.questions.variance.sphericity import greenhouse_geisser, unbiased_epsilon

    rng = np.random.default_rng(1)
    drawn = [rng.normal(size=(30, 143)) for _ in range(20)]
    return {
        "epsilon-gg-143": short(float(np.mean([greenhouse_geisser(np.cov(x.T)) for x in drawn])), 2),
        "epsilon-unbiased-143": short(float(np.mean([unbiased_epsilon(np.cov(x.T), 30) for x in drawn])), 2),
    }


# ── from public matrices ──────────────────────────────────────────────────────────────────────────────────


@figures("shared")
def robust_designs() -> Texts:
    """Estimators and designs on the Robust collections."""
    with quietly():
        pooled = cf.variances(robust())
        by_name = {one.estimator: one for one in pooled if one.collection == "pooled"}
        ttest = {name: cf.design_ttest(one, 0.05).n_topics for name, one in by_name.items()}
        published = cf.design_anova(robust(), 20, 0.1, blocked=False).n_topics
        advised = cf.design_all_pairs(robust(), 20, 0.1).n_topics
    return {
        "robust-ttest-two-way": str(ttest["two_way"]),
        "robust-ttest-percentile95": str(ttest["percentile95"]),
        "robust-ttest-residual": str(ttest["residual"]),
        "robust-one-way-20": str(published),
        "robust-all-pairs-20": str(advised),
    }


@figures("shared")
def best_on_trec8() -> Texts:
    """The systems of TREC-8 that may be the best."""
    with quietly():
        found = cf.compare(matrix("trec8-adhoc.AP"))
    apart = len(found.unseparated_from_best) - 1
    return {
        "trec8-may-be-best": f"{len(found.may_be_best)} of {len(found.systems)}",
        "trec8-unseparated": str(apart),
        "trec8-pairs": f"{int(found.significant.sum()):,}",
    }


def row_of(name: str, alternative: str) -> str:
    """Pairs of a TREC matrix that the randomisation test separates at .05 and at .01, uncorrected."""
    with quietly():
        found = cf.compare(
            matrix(f"{name}-adhoc.AP"),
            test="randomisation",
            alternative=alternative,  # type: ignore[arg-type]
            n_resamples=200_000,
        )
    p = found.p
    return f"{(p <= 0.05).sum()} / {(p <= 0.01).sum()}"


@figures("shared", slow=True)
def tests_on_trec() -> Texts:
    """How many pairs every test separates."""
    rows = []
    for test in ("randomisation", "t", "wilcoxon", "sign", "tukey", "randomised-tukey", "unpaired-t", "welch"):
        row = [test]
        for name in ("trec3-adhoc.AP", "trec8-adhoc.AP"):
            with quietly():
                found = cf.compare(matrix(name), test=test, n_resamples=200_000)
            p = found.p
            row += [
                "" if "tukey" in test else f"{(p <= 0.05).sum()} / {(p <= 0.01).sum()}",
                str(found.significant.sum()),
            ]
        rows.append(row)
    texts = {}
    for name in ("trec3", "trec8"):
        two_sided, observed = (row_of(name, alternative) for alternative in ("two-sided", "greater"))
        texts |= {f"{name}-randomisation": two_sided, f"{name}-observed-direction": observed}
    texts["tests-on-trec"] = table("test | >TREC-3, 780 pairs | >Holm | >TREC-8, 8,256 pairs | >Holm", rows)
    return texts


@figures("shared", slow=True)
def covid_pool() -> Texts:
    """What was judged of the pool of 40 TREC-COVID runs."""
    from cranfield.questions.cost.pools import pool_by_topic, price_of

    here = SHARED / "runs" / "trec-covid-r5"
    with quietly():
        runs = [cf.read_run(file) for file in sorted((here / "runs").iterdir())]
        row = price_of([pool_by_topic(cf.read_qrels(here / "qrels.txt"), runs, [100])]).row(0, named=True)
    return {
        "covid-runs": str(len(runs)),
        "covid-pool": f"{row['pool_per_topic']:,.0f}",
        "covid-judged": f"{row['judged_per_topic']:.0f}",
    }


@cache
def effects() -> dict[str, cf.StandardisationEffect]:
    with quietly():
        return {name: cf.standardisation_effect(matrix(name)) for name in MATRICES}


@figures("shared", slow=True)
def standardisation() -> Texts:
    """Variance, ranking and F before and after std-AB."""
    variance, free, needed = [], [], []
    for name, effect in effects().items():
        x, row = matrix(name), effect.variance.row(0, named=True)
        variance.append([
            name, f"{x.n_topics}×{x.n_systems}", short(row["variance_raw"], 4), short(row["variance_standardised"], 4),
            short(row["tau"]), short(row["tau_corrected"]), f"[{short(row['tau_lower'])}, {short(row['tau_upper'])}]",
            str(row["clipped"]),
        ])  # fmt: skip
        with quietly():
            cdf = cf.standardisation_effect(x, to="cdf", n_resamples=0).scale_free
        ab = effect.scale_free
        rows = [ab.row(0, named=True), ab.row(1, named=True), cdf.row(1, named=True)]
        free.append([name, *(f"{one['blocked_f']:.2f}" for one in rows), *(str(one["topics"]) for one in rows)])
        sizes: dict[tuple[int, float], Any] = {
            (one["systems"], round(one["min_diff"], 2)): one for one in effect.topics_needed.iter_rows(named=True)
        }
        asked = [(2, 0.05), (2, 0.1), (10, 0.1), (50, 0.1)]
        needed.append([name, *(f"{sizes[key]['raw']} / {sizes[key]['standardised']}" for key in asked)])
    return {
        "standardise-variance": table(
            "matrix | >topics × systems | >variance, raw | >std-AB | >τ | >corrected | 95% interval | >clipped cells",
            variance,
        ),
        "standardise-free": table("matrix | >F raw | >F std-AB | >F std-CDF | >topics, raw | >std-AB | >std-CDF", free),
        "standardise-needed": table("matrix | >m = 2, .05 | >m = 2, .10 | >m = 10, .10 | >m = 50, .10", needed),
    }


@figures("shared")
def standardisation_left_out() -> Texts:
    """Systems scored by factors fitted without them."""
    rows = []
    for name in MATRICES:
        with quietly():
            row = cf.standardisation_robustness(matrix(name)).by_measure().row(0, named=True)
        rows.append([
            name, str(row["left_out"]), short(row["mean_difference"], 4), short(row["largest_difference"], 4),
            short(row["largest_topic_difference"]), str(row["ranks_changed"]), str(row["largest_rank_change"]),
            short(row["lowest_tau"]),
        ])  # fmt: skip
    header = (
        "matrix | >left out | >mean moves, average | >at most | >one topic's score, at most | >ranks changed "
        "| >by at most | >lowest τ"
    )
    return {"standardise-left-out": table(header, rows)}


@figures("shared")
def tuned_runs() -> Texts:
    """The runs of Robust 2003 as if they were settings."""
    with quietly():
        found = cf.tune({"runs": matrix("robust2003-new.AP")}, folds=10).families[0]
    return {
        "tune-robust-best": short(found.in_sample_mean, 4),
        "tune-robust-held-out": short(found.held_out_mean, 4),
        "tune-robust-interval": f"{short(found.lower or 0, 4)} to {short(found.upper or 0, 4)}",
    }


@figures("exact")
def sigir2019_excerpt() -> Texts:
    """What docs/simulate.md shows of docs/sigir2019.md, which docs/sigir2019.py writes."""
    sections = (ROOT / "docs" / "sigir2019.md").read_text().split("\n### ")
    rows = {
        (section.split("\n")[0], cells[0]): cells[1:]
        for section in sections
        for line in section.split("\n")
        if line.startswith("| ") and (cells := line.strip("| ").replace("\\|", "¦").split(" | "))
    }
    rates = "AP: type I error, two-sided .05"
    trap = next(title for title, _ in rows if title.startswith("AP: exchangeable"))
    of_tests = [[test, *rows[rates, test]] for test in ("t", "randomisation", "bootstrap", "wilcoxon", "sign")]
    counted = re.search(r"\| measure \|.*?\n\n", sections[0], re.DOTALL)
    assert counted
    return {
        "sigir2019-type1": table(
            "test | " + " | ".join(f">{n} topics | >published" for n in (25, 50, 100)),
            [[row[0], *row[1:3], *row[4:6], *row[7:9]] for row in of_tests],
        ),
        "sigir2019-tied": ", ".join(cell[:5] for cell in rows[rates, "sign, ¦d¦ ≤ .01 tied"][::3]),
        "sigir2019-trap": table(
            "test | >exchangeable, 50 | >others, 50 | >exchangeable, 100 | >others, 100",
            [[test, *rows[trap, test][2:]] for test in ("t", "wilcoxon", "sign")],
        ),
        "sigir2019-near": counted.group().strip(),
    }


@figures("shared", slow=True)
def simulated_trec8() -> Texts:
    """`simulate tests` and `simulate design` on TREC-8."""
    with quietly():
        tests = cf.simulate_tests(matrix("trec8-adhoc.AP"), n_topics=50)
        design = cf.simulate_design(matrix("trec8-adhoc.AP"), 20, 0.1, n_pilots=6, n_trials=300)
    shown: dict[str, list[str]] = {"all": [], "exchangeable": []}
    for row in tests.pairs_frame().iter_rows(named=True):
        if row["pairs"] == "all" or row["test"] in ("wilcoxon", "sign"):
            shown[row["pairs"]].append(f"{row['test']} {short(row['lower'])}–{short(row['upper'])}")
    return {
        "simulated-trec8": ", ".join(shown["all"]),
        "simulated-trec8-swapped": ", ".join(shown["exchangeable"]),
        "simulated-trec8-sentence": tests.summary(),
        "simulated-design-trec8": design.summary(),
    }


# ── measured ──────────────────────────────────────────────────────────────────────────────────────────────

DESIGN = ("questions/design/all_pairs.py", "questions/design/jackknife.py", "questions/variance/squares.py",
          "questions/variance/sphericity.py", "questions/design/power.py")  # fmt: skip
CALIBRATED = (
    "questions/compare/randomisation.py",
    "questions/compare/classical.py",
    "questions/compare/family.py",
    "questions/compare/bootstrap.py",
)


@figures("measured", command="python docs/advice_study.py --pilots 50 --trials 3000", sources=DESIGN)
def advice() -> Texts:
    """The promise of `recommend`, simulated."""
    import advice_study as study

    return {"advice-table": study.table(study.everything(50, 3000))}


@figures("measured", command="python docs/advice_study.py --held-out --pilots 30 --trials 2000", sources=DESIGN)
def advice_held_out() -> Texts:
    """The same on populations that were not used while the method was made."""
    import advice_study as study

    return {"advice-held-out": study.table(study.everything(30, 2000, held_out=True))}


@figures(
    "measured",
    command="python -m benchmarks simulate",
    sources=("questions/simulate/copula.py", "questions/simulate/trials.py"),
)
def simulate_times() -> Texts:
    """Processor time and seconds of simulations."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.simulate import run

    rows = [f"{row.what} {row.note}, {row.seconds:.0f} s by the clock" for row in run()]
    return {"simulate-times": "; ".join(rows) + "."}


SIMULATED = (
    "questions/simulate/population.py",
    "questions/simulate/trials.py",
    "questions/compare/classical.py",
    "questions/compare/family.py",
)


@figures("measured", command="python docs/asymmetry_study.py --trials 2048", sources=SIMULATED)
def asymmetry() -> Texts:
    """Tests by the skewness of differences."""
    import asymmetry_study as study

    header = ">topics | skewness | >share of pairs | >t | >wilcoxon | >sign"
    return {"asymmetry-rates": table(header, study.by_skewness(2048))}


@figures("measured", command="python docs/asymmetry_study.py --trials 1024 --groups 3", sources=SIMULATED)
def asymmetry_pointer() -> Texts:
    """Where `compare` speaks of asymmetric differences."""
    import asymmetry_study as study

    found = study.pointed(1024, 3)
    return {"asymmetry-pointer": table(study.POINTER, study.pointer(found)), "pointer-overall": study.overall(found)}


@figures("measured", command="python docs/asymmetry_study.py --trials 1024 --groups 4 --held-out", sources=SIMULATED)
def asymmetry_held_out() -> Texts:
    """The same on collections that were not looked at when its thresholds were chosen."""
    import asymmetry_study as study

    found = study.pointed(1024, 4, study.HELD_OUT)
    return {"asymmetry-held-out": table(study.POINTER, study.pointer(found)), "held-out-overall": study.overall(found)}


@figures("measured", command="python docs/figures.py --measure bootstrap-few",
         sources=(*SIMULATED, "questions/compare/bootstrap.py"))  # fmt: skip
def bootstrap_few() -> Texts:
    """The bootstrap-shift test with few topics."""
    from asymmetry_study import COLLECTIONS, HELD_OUT

    tests, sizes = ["bootstrap", "t"], [15, 25, 35, 45, 50, 75]
    header = "test | " + " | ".join(f">{n} topics" for n in sizes)
    texts = {}
    for figure, collections in {"bootstrap-few": COLLECTIONS, "bootstrap-few-held-out": HELD_OUT}.items():
        scores = [matrix(name) for name in collections]
        with quietly():
            found = [cf.simulate_tests(one, n_topics=sizes, tests=tests, n_trials=4096) for one in scores]
        rates = np.mean([one.to_frame()["rate"].to_numpy() for one in found], axis=0).reshape(len(sizes), len(tests))
        texts[figure] = table(header, [[test, *map(short, rates[:, at])] for at, test in enumerate(tests)])
    return texts


@figures("measured", command="python docs/calibration_study.py", sources=CALIBRATED)
def calibration_of_pairs() -> Texts:
    """Type I error of every test."""
    from calibration_study import pair_table

    return {"calibration-pairs": "\n".join(pair_table()).split("\n\n")[1]}


@figures("measured", command="python docs/calibration_study.py", sources=CALIBRATED)
def calibration_of_families() -> Texts:
    """Family-wise error of tests with their corrections."""
    from calibration_study import family_table

    return {"calibration-families": "\n".join(family_table()).split("\n\n")[1]}


@figures("measured", command="python docs/figures.py --measure best-of-skewed", sources=("questions/compare/max_t.py",))
def best_of_skewed() -> Texts:
    """How often the set holds the better-hidden of two equal systems, by the skewness of their differences."""
    from fast_tests import max_t, ranks, topic_shares

    rng, trials, rows = np.random.default_rng(1), 1000, []
    pair = (np.array([0]), np.array([1]))
    for sigma in (0.3, 0.6, 1.0, 1.5):
        row = [short(sigma, 1), f"{(np.exp(sigma**2) + 2) * np.sqrt(np.exp(sigma**2) - 1):.1f}"]
        spread = np.array([sigma, sigma / 6])
        for topics in (25, 50, 100):
            drawn = np.exp(rng.normal(size=(trials, topics, 2)) * spread - spread**2 / 2)
            shares = topic_shares(topics, 499)
            lower = [ranks(max_t(x, *pair, shares.next(rng), 0.05, each=True), *pair, 2)[0][0] for x in drawn]
            row.append(short(np.mean(np.array(lower) == 1)))
        rows.append(row)
    return {"best-of-skewed": table("σ | >skewness | >25 topics | >50 topics | >100 topics", rows)}


@figures(
    "measured",
    command="cranfield selection-bias --settings 50 --topics 50 --experiments 4000 --correlation RHO --folds N",
    sources=("questions/tune/selection_bias.py", "questions/tune/held_out.py"),
)
def held_out_tests() -> Texts:
    """Tests on held-out scores of equally good settings."""
    ways: dict[str, dict[str, Any]] = {
        "hold-out of 20%": {"holdout": 0.2}, "2-fold": {"folds": 2}, "5-fold": {"folds": 5}, "10-fold": {"folds": 10},
        "leave-one-out": {"leave_one_out": True}, "10-fold, drawn 10 times": {"folds": 10, "n_repeats": 10},
    }  # fmt: skip
    rates: dict[str, list[str]] = {"in-sample": [], **{name: [] for name in ways}}
    for rho in (0.0, 0.5, 0.9):
        for name, how in ways.items():
            many = 2000 if "n_repeats" in how else 4000
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = cf.selection_bias(50, 50, correlation=rho, n_experiments=many, **how).to_frame()
            rates[name].append(short(found["declared_better"][1]))
            if name == "10-fold":
                rates["in-sample"].append(short(found["declared_better"][0]))
    rows = [[name, *shares] for name, shares in rates.items()] + [["should be", ".025", ".025", ".025"]]
    header = " | >ρ = 0: as unlike as different systems | >ρ = .5 | >ρ = .9: neighbours on a grid"
    return {"held-out-tests": table(header, rows)}


@figures(
    "measured",
    command="python examples/tune_search_engine.py",
    sources=("questions/tune/held_out.py", "questions/tune/folds.py"),
)
def tuned_engine() -> Texts:
    """The worked example of docs/tuning.md."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("tune_search_engine", ROOT / "examples" / "tune_search_engine.py")
    assert spec
    assert spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with quietly():
        tuning, comparison = example.main()
        curve = tuning.curve()
    names = {"bm25": ("k1", "b"), "feedback": ("k1", "b", "lambda")}
    rows, texts = [], {}
    for family in tuning.families:
        setting = family.family.settings[family.family.scores.systems.index(family.final)]
        shown = ", ".join(f"{'λ' if name == 'lambda' else name} = {setting[name]}" for name in names[family.name])
        folds = f"{round(family.agreement * len(family.choices))} of {len(family.choices)} folds"
        held = f"{short(family.held_out_mean, 4)} [{short(family.lower or 0, 4)}, {short(family.upper or 0, 4)}]"
        rows.append([
            family.name, shown, folds, str(family.n_distinct), short(family.in_sample_mean, 4), held,
            short(family.optimism, 4),
        ])  # fmt: skip
    header = "family | final setting | >chosen in | >settings chosen | >in-sample | >held-out [95%] | >optimism"
    texts["tuned-families"] = table(header, rows)
    here = curve.filter((curve["family"] == "feedback") & (curve["k1"] == 1.5) & (curve["b"] == 0.6)).sort("lambda")
    texts["tuned-curve"] = table(
        "λ | >AP | band | >chosen in",
        [
            [f"{row['lambda']:.1f}", short(row["mean"], 4), f"{short(row['lower'], 4)} – {short(row['upper'], 4)}",
             f"{row['folds']} of 10 folds" if row["folds"] else ""]
            for row in here.iter_rows(named=True)
        ],
    )  # fmt: skip
    pair = comparison.to_frame().row(0, named=True)
    texts["tuned-difference"] = (
        f"{short(pair['difference'], 4)} on held-out topics (95% interval {short(pair['lower'], 4)} to "
        f"{short(pair['upper'], 4)}, randomisation test p = {short(pair['p'], 4)})"
    )
    texts["tuned-best"] = short(tuning["feedback"].in_sample_mean, 4)
    return texts


SCALED = ("measures/stream.py", "questions/compare/bootstrap.py", "questions/simulate/trials.py")


@figures("measured", command="python -m benchmarks scale", sources=SCALED)
def scale() -> Texts:
    """How work grows on one machine, and what follows for larger ones."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from benchmarks import scale as growth

    grown = growth.measure()
    rows = [
        [growth.WHAT[name], *(f"{size:,}: {took:.3g} s" for size, took in zip(sizes, seconds, strict=True)),
         f"{growth.exponent(sizes, seconds):.2f}"]
        for name, (sizes, seconds) in grown.items()
    ]  # fmt: skip
    sizes, seconds = grown["runs"]
    line = seconds[-1] / (sizes[-1] * 50 * growth.DEPTH)
    sizes, seconds = grown["topics"]
    line = max(line, seconds[-1] / (sizes[-1] * growth.DEPTH))
    jobs = {
        "100 runs × 50 topics × 1,000 documents (a large track)": 100 * 50 * 1000,
        "10,000 runs × 50 topics × 1,000 documents (all of TREC, roughly)": 10_000 * 50 * 1000,
        "1,000 runs × 6,980 topics × 1,000 documents (MS MARCO passage)": 1_000 * 6_980 * 1000,
    }
    cores = {"one core": 1, "laptop, 8 cores": 8, "server, 64 cores": 64, "cluster, 512 cores": 512}
    arithmetic = [
        [
            name,
            f"{lines:,}",
            f"{lines * 50 / 1e9:,.3g} GB",
            *(_duration(lines * line / many) for many in cores.values()),
        ]
        for name, lines in jobs.items()
    ]
    return {
        "scale-growth": table("what grows | >small | >ten times | >a hundred times | >exponent", rows),
        "scale-line": f"{line * 1e9:.0f} ns",
        "scale-arithmetic": table(" | >lines | >text | " + " | ".join(f">{name}" for name in cores), arithmetic),
        "scale-core-hours": f"{1_000 * 6_980 * 1000 * line / 3600:.1f}",
    }


def _duration(seconds: float) -> str:
    """Two digits of the largest fitting unit."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} s"


@figures("exact")
def machines() -> Texts:
    """What a script may rely on: docs/json.md."""
    from cranfield.cli.main import EXIT_CODES
    from cranfield.core import defaults
    from cranfield.core.formats import JSON_SCHEMA

    resamples = [
        ["`randomisation`, bootstrap tests", f"{defaults.RESAMPLES:,}, or what the family needs"],
        [
            "`max-t`",
            f"{defaults.MAX_T_RESAMPLES:,}, and up to {defaults.MOST_MAX_T_RESAMPLES:,} until the critical value is precise",
        ],
        ["document partitions", f"{defaults.REPLICATES_RESAMPLES:,} in each split"],
        ["interval of τ", f"{defaults.TAU_RESAMPLES:,}"],
    ]
    return {
        "resamples-by-default": table("what | resamples", resamples),
        "json-schema": f"```json\n{json.dumps(JSON_SCHEMA, indent=1)}\n```",
        "exit-codes": table(">exit code | meaning", [[str(code), text] for code, text in EXIT_CODES.items()]),
    }


ANSWERS: dict[str, tuple[str, int]] = {
    "start.leaderboard": ("leaderboard SCORES", 14),
    "start.compare": ("compare SCORES --baseline alder-1", 10),
    "start.recommend": ("design recommend SCORES --systems 20 --min-diff 0.10", 27),
    "readme.leaderboard": ("leaderboard SCORES", 9),
    "readme.compare": ("compare SCORES --baseline alder-1", 8),
    "readme.recommend": ("design recommend SCORES --systems 20 --min-diff 0.10", 6),
    "questions.answer": (
        "compare sample/qrels.txt sample/runs/alder-1.run.gz sample/runs/alder-4.run.gz -m nDCG@10",
        7,
    ),
    "trec-eval.answer": ("trec_eval sample/qrels.txt sample/runs/alder-1.run.gz", 8),
    "table.answer": ("table both.parquet --baseline alder-1", 13),
    "gate.answer": ("gate SCORES --baseline alder-1 --candidate alder-4 --margin 0.01", 15),
    "formats.answer": ("check sample/qrels.txt sample/runs", 6),
    "variance.answer": ("variance SCORES", 9),
    "cost.answer": (
        "cost sample/qrels.txt sample/runs -m AP --depth 5 --depth 10 --depth 20 --depth 50 --systems 10 --min-diff 0.10",
        10,
    ),
    "reliability.answer": ("reliability SCORES --target 0.95", 6),
    "monitor.answer": ("monitor SCORES --per-look 10 --looks 5 --system alder-4 --system alder-1", 9),
    "reuse.answer": ("reuse sample/qrels.txt sample/runs --team-prefix [a-z]+ -m AP --depth 50", 10),
    "replicates.answer": ("replicates sample/qrels.txt sample/runs -m AP", 10),
    "correlate.answer": ("correlate both.parquet both.parquet --measure AP --other-measure P@10", 11),
    "standardise.answer": ("standardise effect SCORES", 23),
    "simulate.answer": ("simulate tests SCORES --topics 50 --trials 2000", 10),
    "pilots.answer": ("design anova --scores SCORES --systems 10 --min-diff 0.1", 24),
}
"""The command whose output a page begins with, and how many lines it shows. SCORES stands for AP of the sample."""


@figures("exact", slow=True)
def start() -> Texts:
    """What the commands of docs/start.md and the first commands of other pages print."""
    from click.testing import CliRunner

    from cranfield.cli.main import app

    runner = CliRunner(env={"COLUMNS": "80"})

    @cache
    def printed(words: str) -> list[str]:
        done = runner.invoke(app, words.split(), catch_exceptions=False)
        return [line.rstrip() for line in done.stdout.splitlines()]

    def typed(words: str, most: int) -> str:
        lines = printed(words.replace("SCORES", "scores.parquet --measure AP"))
        return "```text\n" + "\n".join(lines[:most] + ["…"] * (len(lines) > most)) + "\n```"

    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        printed("sample sample")
        printed("evaluate sample/qrels.txt sample/runs -m AP -q -o scores.parquet")
        printed("evaluate sample/qrels.txt sample/runs -m AP -m P@10 -q -o both.parquet")
        return {name: typed(words, most) for name, (words, most) in ANSWERS.items()}
