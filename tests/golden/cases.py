"""What the golden tests ask: commands as typed, and addresses of the page. Only spellings that users know."""

from __future__ import annotations

from dataclasses import dataclass

ENDINGS = {"table": "txt", "json": "json", "csv": "csv", "markdown": "md", "latex": "tex"}
"""The formats of output, and how their golden files end."""

EVERY = tuple(ENDINGS)
SHORT = ("table", "json")
ONE = ("table",)
JSON = ("json",)


@dataclass(frozen=True)
class Case:
    """A command: its name in file names, its words, the formats it is asked in, and the file it writes, if any."""

    name: str
    words: str
    formats: tuple[str, ...] = EVERY
    writes: str = ""

    def argv(self, format: str) -> list[str]:
        """The words to type; a table is what comes without `--format`."""
        return self.words.split() + ([] if format == "table" else ["--format", format])

    def file(self, format: str) -> str:
        """The name of the golden file."""
        return f"{self.name}.{ENDINGS[format]}"


QUICK = "--resamples 1000 --seed 3"
REPLICATES = f"replicates s/qrels.txt s/runs --splits 3 {QUICK}"
MONITOR = "monitor ap.csv -m AP --per-look 4 --looks 4"
REUSE = "reuse s/qrels.txt s/runs --teams teams.txt -m AP --depth 3 --depth 10 --resamples 200"
JUDGES = (
    "judges --human s/judges/human.qrels --human s/judges/second.qrels --machine s/judges/machine.qrels s/runs -m AP "
    "--resamples 200"
)
POCOCK = "--spending pocock --looks 3"
TUNE = "tune settings.csv --folds 4"
TESTS = ("bootstrap", "bootstrap-t", "t", "wilcoxon", "sign", "unpaired-t", "welch", "tukey", "randomised-tukey")
SHOWN_OF_REPLICATES = ("pairs", "agreement", "comparison", "anova", "splits")
TWO_RUNS = "--baseline s/runs/alder-2.run.gz --candidate s/runs/alder-4.run.gz"
PRICE = "cost s/qrels.txt s/runs --depth 3 --depth 10"

ANSWERS = [
    # From files to scores.
    Case("sample", "sample again --topics 3 --systems 2 --documents 100 --depth 5 --length 10 --force"),
    Case("check", "check s/qrels.txt s/runs ap.csv"),
    Case("check-problems", "check bad.run nonsense.csv s/qrels.txt"),
    Case("check-kind", "check s/qrels.txt --kind run", SHORT),
    Case("evaluate", "evaluate s/qrels.txt s/runs"),
    Case("evaluate-one", "evaluate s/qrels.txt s/runs -m AP"),
    Case("evaluate-per-topic", "evaluate s/qrels.txt s/runs/alder-1.run.gz -m AP -m P@5 -q"),
    Case("evaluate-trec", "evaluate s/qrels.txt s/runs/alder-1.run.gz -m AP -m P@10 -q --trec", ONE),
    Case("evaluate-many", "evaluate s/qrels.txt s/runs -m nDCG@5 -m RBP(p=0.8) -m ERR@10 -m map -m num_rel_ret"),
    Case("evaluate-settings", "evaluate s/qrels.txt s/runs -m Q -m nDCG --level 2 --gains 1:3 --name tag", SHORT),
    Case("convert", "convert short.csv -m AP"),
    Case("convert-wide", "convert scores.csv -m AP --layout wide -o made.csv", ONE, "made.csv"),
    Case("convert-long", "convert ap.csv -m AP -o made.tsv", ONE, "made.tsv"),
    Case("measures", "measures"),
    Case("measures-named", "measures AP nDCG"),
    Case("pool", "pool s/qrels.txt s/runs --depth 3"),
    Case("pool-written", "pool s/qrels.txt s/runs --depth 1 -o made.qrels", ONE, "made.qrels"),
    # Which systems differ.
    Case("leaderboard", f"leaderboard ap.csv -m AP {QUICK}"),
    Case("leaderboard-measures", f"leaderboard scores.csv {QUICK}"),
    Case("leaderboard-baselines", f"leaderboard scores.csv -b alder-1 -b apple-2 {QUICK}"),
    Case("leaderboard-groups", f"leaderboard ap.csv -m AP --show-groups {QUICK}"),
    Case("leaderboard-tukey", "leaderboard ap.csv -m AP --test tukey", SHORT),
    Case("compare", f"compare ap.csv -m AP {QUICK}"),
    Case("compare-measures", f"compare scores.csv {QUICK}"),
    Case("compare-across", f"compare scores.csv --across-measures --correction by {QUICK}", SHORT),
    Case("compare-baseline", f"compare scores.csv -b alder-1 {QUICK}"),
    Case("compare-baselines", f"compare ap.csv -m AP -b alder-1 -b apple-1 --alternative greater {QUICK}"),
    Case("compare-power", f"compare scores.csv --show power {QUICK}"),
    Case("compare-power-one", f"compare ap.csv -m AP --show power {QUICK}"),
    Case("compare-curve", f"compare scores.csv --show curve {QUICK}"),
    Case("compare-curve-one", f"compare ap.csv -m AP --show curve {QUICK}"),
    *(Case(f"compare-{test}", f"compare ap.csv -m AP --test {test} {QUICK}", SHORT) for test in TESTS),
    Case("compare-tukey-baseline", "compare scores.csv --test tukey -b apple-2", ("latex", "csv")),
    Case("compare-median", f"compare ap.csv -m AP --statistic median --correction none {QUICK}", SHORT),
    Case("compare-effect", f"compare ap.csv -m AP --test t --effect-size residual --alternative less {QUICK}", SHORT),
    Case("compare-written", "compare ap.csv -m AP --test t -o made.json", ONE, "made.json"),
    Case("compare-tuned", f"compare settings.csv -m AP --tune --folds 4 {QUICK}"),
    Case("compare-runs", "compare s/qrels.txt s/runs -m map --test t", SHORT),
    Case("compare-pair", "compare scores.csv --test t -s alder-1 -s apple-2", SHORT),
    Case("compare-topics", "compare scores.csv -m AP --test t -s alder-1 -s apple-2 --show topics"),
    # The table of a paper, and the gate.
    Case("table", "table scores.csv -b alder-1 -b apple-2 --test t"),
    Case("table-all", "table s/qrels.txt s/runs -m AP -m P@5 -b alder-1 --test t --intervals --wins --explain"),
    Case("table-html", "table scores.csv -b alder-1 --test t -o made.html", ONE, "made.html"),
    Case("table-letters", f"table ap.csv -m AP --digits 3 {QUICK}"),
    Case("gate-pass", "gate scores.csv --baseline alder-1 --candidate apple-1 --margin 0.9"),
    Case("gate-fail", "gate ap.csv -m AP --baseline alder-2 --candidate apple-2 --margin 0.01"),
    Case("gate-undecided", f"gate s/qrels.txt {TWO_RUNS} -m AP --margin 0.01"),
    Case(
        "gate-junit",
        "gate ap.csv -m AP --baseline alder-1 --candidate alder-3 --better --junit made.xml",
        ONE,
        "made.xml",
    ),
    Case("correlate", f"correlate ap.csv ndcg.csv {QUICK}"),
    Case("correlate-measures", f"correlate scores.csv scores.csv -m AP --other-measure nDCG@10 {QUICK}"),
    Case("correlate-common", f"correlate scores.csv scores.csv {QUICK}", SHORT),
    Case("correlate-order", f"correlate ap.csv order.txt {QUICK}"),
    # Replicates.
    Case("replicates", f"{REPLICATES} -m AP"),
    Case("replicates-measures", f"{REPLICATES} -m AP -m P@5"),
    *(Case(f"replicates-{show}", f"{REPLICATES} --show {show}") for show in SHOWN_OF_REPLICATES),
    Case("replicates-pairs-measures", f"{REPLICATES} -m AP -m P@5 --show pairs", SHORT),
    Case("replicates-teams", f"{REPLICATES} --show teams --teams teams.txt"),
    Case("replicates-team-prefix", f"{REPLICATES} --show teams --team-prefix [a-z]+", SHORT),
    Case("replicates-published", f"{REPLICATES} --show pairs --published", SHORT),
    Case("replicates-options", f"{REPLICATES} --show pairs --merge cauchy --decide majority --empty redraw", SHORT),
    Case("replicates-additive", f"{REPLICATES} --no-interaction -x 3 --empty keep --correction holm", SHORT),
    # Tuning.
    Case("tune", f"{TUNE} {QUICK}"),
    Case("tune-summary", f"{TUNE} --show summary {QUICK}"),
    Case("tune-curve", f"{TUNE} --show curve {QUICK}"),
    Case("tune-holdout", f"tune settings.csv --holdout 0.25 --repeats 2 --stratified {QUICK}", SHORT),
    Case("tune-leave-one-out", f"tune settings.csv --leave-one-out --show summary {QUICK}", SHORT),
    Case("tune-pattern", f"tune patterned.csv --folds 3 --pattern {{family}}-mu{{mu}} {QUICK}", SHORT),
    Case("tune-held-out", f"{TUNE} {QUICK} --held-out made.csv", ONE, "made.csv"),
    Case("selection-bias", "selection-bias --settings 5 --topics 12 --folds 3 --experiments 40 --seed 3"),
    Case("selection-bias-holdout", "selection-bias --settings 4 --topics 10 --holdout 0.5 --experiments 30", SHORT),
    # Standardisation and variance.
    Case("standardise-fit", "standardise fit ap.csv -m AP"),
    Case("standardise-fit-measures", "standardise fit scores.csv"),
    Case("standardise-fit-written", "standardise fit scores.csv -m AP -o made.csv", ONE, "made.csv"),
    Case("standardise-fit-trec", "standardise fit scores.csv -m AP --trec -o made.zscores", ONE, "made.zscores"),
    Case("standardise-apply", "standardise apply ap.csv --factors factors.csv"),
    Case("standardise-apply-z", "standardise apply ap.csv --factors factors.csv --to z", SHORT),
    Case("standardise-apply-cdf", "standardise apply ap.csv --factors factors.csv --to cdf", ("csv",)),
    Case("standardise-effect", f"standardise effect ap.csv -m AP --systems 2 --systems 6 --min-diff 0.1 {QUICK}"),
    Case("standardise-effect-measures", f"standardise effect scores.csv --systems 6 --min-diff 0.1 {QUICK}"),
    Case("variance", "variance ap.csv -m AP"),
    Case("variance-measures", "variance scores.csv"),
    Case("variance-method", "variance ap.csv ndcg.csv -m AP --method within --method two_way"),
    Case("variance-anova", "variance ap.csv -m AP --anova"),
    Case("variance-anova-measures", "variance scores.csv --anova"),
    # Reliability, looks and reuse.
    Case("reliability", "reliability ap.csv -m AP --topics 12 --topics 50 --target 0.9 --target 0.95"),
    Case("reliability-drop", "reliability ap.csv -m AP --drop 0.25 --show components", SHORT),
    Case("reliability-targets", "reliability ap.csv -m AP --show targets", SHORT),
    Case("reliability-views", "reliability ap.csv -m AP --topics 12 --topics 50 --show views --seed 3", SHORT),
    Case("reliability-tau", "reliability ap.csv -m AP --show tau --seed 3", SHORT),
    Case("monitor", f"{MONITOR} --show last"),
    Case("monitor-looks", f"{MONITOR} --spending pocock --baseline alder-1", SHORT),
    Case("monitor-plan", "monitor ap.csv -m AP --per-look 6 --max-topics 30 --show plan", SHORT),
    Case("monitor-forecast", f"{MONITOR} --show forecast", SHORT),
    Case("monitor-reestimate", f"{MONITOR} --show reestimate --min-diff 0.1", SHORT),
    Case("monitor-anytime", "monitor ap.csv -m AP --per-look 6 --anytime --show last", SHORT),
    Case("reuse", f"{REUSE} --show worst"),
    Case("preferences", "preferences battles.csv"),
    Case("preferences-pairs", "preferences battles.csv --show pairs", SHORT),
    Case("judges", f"{JUDGES} --system-groups s/judges/groups.txt"),
    Case("judges-rankings", f"{JUDGES} --show rankings", SHORT),
    Case(
        "design-judges", "design judges --human s/qrels.txt --machine s/judges/machine.qrels s/runs --width 0.2", SHORT
    ),
    Case("reuse-teams", f"{REUSE} --leave-out alder", SHORT),
    Case("reuse-systems", f"{REUSE} --show systems", SHORT),
    # Design.
    Case("design-looks", "design looks --variance-of-difference 0.04 --min-diff 0.07"),
    Case(
        "design-looks-each", f"design looks --variance-of-difference 0.04 --min-diff 0.07 --show looks {POCOCK}", SHORT
    ),
    Case("design-anova", "design anova --variance 0.053 --systems 10 --min-diff 0.10"),
    Case("design-anova-detectable", "design anova --variance 0.053 --systems 10 --topics 50"),
    Case(
        "design-anova-power", "design anova --variance 0.053 --systems 5 --topics 50 --min-diff 0.1 --method published"
    ),
    Case("design-anova-systems", "design anova --variance 0.053 --topics 50 --min-diff 0.15 --power 0.7", SHORT),
    Case("design-anova-grid", "design anova --variance 0.05 --systems 2,10 --min-diff 0.05,0.1", SHORT),
    Case("design-anova-scores", "design anova --scores ap.csv -m AP --systems 6 --min-diff 0.2"),
    Case(
        "design-anova-blocked", "design anova --scores scores.csv --blocked --epsilon past --systems 6 --min-diff 0.2"
    ),
    Case("design-ttest", "design ttest --variance-of-difference 0.0429 --min-diff 0.05"),
    Case("design-ttest-detectable", "design ttest --scores scores.csv --topics 50"),
    Case("design-ttest-two-sample", "design ttest --variance 0.05 --topics 40 --min-diff 0.1 --two-sample", SHORT),
    Case("design-interval", "design interval --variance-of-difference 0.0441 --width 0.10"),
    Case("design-interval-width", "design interval --scores ap.csv -m AP --topics 30 --alpha 0.1"),
    Case("design-pairs", "design pairs --scores ap.csv -m AP --systems 6 --min-diff 0.2"),
    Case("design-anova-published", "design anova --published --variance 0.0530 --systems 10 --min-diff 0.1"),
    Case("design-recommend", "design recommend ap.csv -m AP --systems 6 --min-diff 0.2"),
    Case("design-recommend-measures", "design recommend scores.csv --systems 6 --min-diff 0.2", SHORT),
    Case("cost", f"{PRICE} -m AP --width 0.3"),
    Case("cost-anova", f"{PRICE} -m AP -m P@5 --systems 6 --min-diff 0.2 --topic-cost 5"),
    Case("cost-budget", f"{PRICE} -m AP --systems 6 --budget 1000"),
    Case("cost-collections", "cost --collection s/qrels.txt s/runs --depth 3 --depth 10 -m AP --width 0.3", SHORT),
]

MESSAGES = [
    # Warnings: an answer, and what to know about it.
    Case("missing-zero", f"compare holes.csv --missing zero --test t {QUICK}", SHORT),
    Case("missing-drop-topic", f"leaderboard holes.csv --missing drop-topic {QUICK}", SHORT),
    Case("warning-flat", f"compare flat.csv --test t {QUICK}", SHORT),
    Case("standardise-fit-flat", "standardise fit flat.csv", SHORT),
    Case("warning-few-resamples", "compare ap.csv -m AP --resamples 20", ONE),
    Case("warning-empty", "evaluate s/qrels.full.txt.gz s/runs/alder-1.run.gz -m AP --level 3", ONE),
    # Errors: place, finding, remedy, and the exit code.
    Case("error-no-file", "compare nowhere.csv", ONE),
    Case("error-nonsense", "compare nonsense.csv", ONE),
    Case("error-bad-run", "evaluate s/qrels.txt bad.run", ONE),
    Case("error-missing", "compare holes.csv", ONE),
    Case("error-measure", "evaluate s/qrels.txt s/runs -m nDGC@10", ONE),
    Case("error-measure-of-scores", "variance scores.csv -m P@10", ONE),
    Case("error-baseline", "compare ap.csv -b alder-9", ONE),
    Case("error-test", "compare ap.csv --test anova", ONE),
    Case("error-alpha", "compare ap.csv --alpha 1.5", ONE),
    Case("error-resamples", "compare ap.csv --resamples 0", ONE),
    Case("error-statistic", "compare ap.csv --test t --statistic median", ONE),
    Case("error-option", "compare ap.csv --nonsense", ONE),
    Case("error-command", "contrast ap.csv", ONE),
    Case("error-design-nothing", "design anova --systems 10", ONE),
    Case("error-design-variance", "design anova --variance -1 --systems 10 --min-diff 0.1", ONE),
    Case("error-design-everything", "design ttest --variance 0.05 --min-diff 0.1 --topics 20 --power 0.8", ONE),
    Case("error-partitions", "replicates s/qrels.txt s/runs --partitions 1", ONE),
    Case("error-teams", "replicates s/qrels.txt s/runs --splits 1 --resamples 50 --show teams", ONE),
    Case("error-folds", "tune settings.csv --folds 13", ONE),
    Case("error-settings", "tune ap.csv --pattern {family}-mu{mu}", ONE),
    Case("error-factors", "standardise apply ndcg.csv --factors ap.csv", ONE),
    Case("error-depth", "pool s/qrels.txt s/runs --depth 0", ONE),
    Case("error-cost", "cost s/qrels.txt s/runs -m AP --depth 10", ONE),
    Case("error-ending", "compare ap.csv --test t -o answer.doc", ONE),
    Case("error-sample", "sample s --topics 3", ONE),
    Case("error-reuse", "reuse s/qrels.txt s/runs -m AP --depth 3", ONE),
    Case("error-team", f"{REUSE} --leave-out oak", ONE),
    Case("error-batches", "monitor ap.csv ap.csv -m AP", ONE),
    Case("error-reliability", "reliability short.csv", ONE),
    Case("error-one-topic", "compare short.csv --test t", ONE),
    Case("error-kind", "compare s/runs/alder-1.run.gz", ONE),
    Case("error-unwritable", "compare ap.csv -o nowhere/a.csv", ONE),
    Case("error-margin", "gate ap.csv --baseline alder-1 --candidate alder-2", ONE),
    Case("version", "--version", ONE),
]

CASES = ANSWERS + MESSAGES

COMMANDS = (
    "demo",
    "sample",
    "check",
    "convert",
    "evaluate",
    "measures",
    "leaderboard",
    "compare",
    "table",
    "gate",
    "correlate",
    "replicates",
    "tune",
    "selection-bias",
    "standardise fit",
    "standardise apply",
    "standardise effect",
    "variance",
    "design anova",
    "design ttest",
    "design interval",
    "design recommend",
    "design looks",
    "reliability",
    "monitor",
    "reuse",
    "cost",
    "pool",
    "preferences",
    "report",
    "serve",
)
"""Every command, for the spellings of its options."""

_FEW = "resamples=1000&seed=3"
ADDRESSES = {
    "design-anova": "/api/design?kind=anova&variance=0.053&systems=5,10&min_diff=0.1",
    "design-ttest": "/api/design?kind=ttest&variance_of_difference=0.0429&topics=50",
    "design-interval": "/api/design?kind=interval&data=RUNS&width=0.3&method=exact",
    "design-data": "/api/design?kind=anova&data=RUNS&measure=AP&systems=6&min_diff=0.2",
    "compare": f"/api/compare?data=RUNS&measure=AP&{_FEW}",
    "compare-baseline": f"/api/compare?data=RUNS&measure=P@10&baseline=alder-1&baseline=apple-1&{_FEW}",
    "compare-tukey": f"/api/compare?data=SCORES&test=randomised-tukey&{_FEW}",
    "compare-sample": f"/api/compare?data=sample&measure=AP&baseline=alder-1&correction=bh&{_FEW}",
    "pair": f"/api/compare/pair?data=RUNS&a=alder-1&b=apple-2&{_FEW}",
    "topic": "/api/topic?data=RUNS&topic=3&a=alder-1&b=apple-2",
    "standardise": f"/api/standardise?data=RUNS&measure=AP&{_FEW}",
    "standardise-z": "/api/standardise?data=SCORES&to=z&resamples=0",
    "replicates": f"/api/replicates?data=RUNS&splits=2&{_FEW}",
    "tuning": f"/api/tuning?data=SETTINGS&folds=4&{_FEW}",
    "tuning-holdout": f"/api/tuning?data=SETTINGS&holdout=0.25&repeats=2&{_FEW}",
    "reliability": "/api/reliability?data=RUNS&measure=AP&topics=12,50&target=0.9&seed=3",
    "monitor": "/api/monitor?data=RUNS&measure=AP&per_look=4&looks=4",
    "reuse": "/api/reuse?data=RUNS&measure=AP&depth=3,10&resamples=200",
    "report": f"/api/report?data=SCORES&skip=standardisation&skip=collection&skip=next&{_FEW}",
    "data": "/api/data",
    "data-runs": "/api/data/RUNS",
    "data-scores": "/api/data/SCORES",
    "error-number": "/api/design?kind=anova&variance=much&systems=5&min_diff=0.1",
    "error-nothing": "/api/design?kind=anova",
    "error-data": "/api/compare?data=nowhere",
    "error-setting": "/api/compare?data=RUNS&tests=t",
    "error-baseline": "/api/compare?data=RUNS&baseline=alder-9&resamples=200",
    "error-replicates": "/api/replicates?data=SCORES",
    "error-job": "/api/jobs/nowhere",
}
"""Questions to the page; RUNS, SCORES and SETTINGS stand for datasets that were uploaded."""

PAGES = ("/", "/data", "/data/RUNS", "/design", "/compare?data=RUNS", "/replicates", "/report")
"""Pages without an answer; those with one are the addresses above without `/api`."""

DOWNLOADS = ("design-anova", "compare-baseline", "pair", "replicates", "tuning")
"""Addresses whose pages' tables are fetched as files too."""

REPORTS = {
    "report-runs": f"report s/qrels.txt s/runs -m AP -m nDCG@10 --splits 2 --depth 3 --depth 10 {QUICK} -o made.html",
    "report-scores": f"report scores.csv --title Small --skip standardisation {QUICK} -o made.html",
}
"""Commands that write a report to `made.html`."""
