"""Files that no sane tool writes: every one of them is an error with its place, and none a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cranfield import DataError, FileError, ScoreMatrix, read_order, read_qrels, read_run, read_scores
from cranfield.collection.intents import read_intents
from cranfield.collection.teams import read_teams
from cranfield.core.labels import natural_sorted
from cranfield.questions.standardise.fit import Standardisation

LONG = "9" * 5000
DEEP = "[" * 100_000
LARGE = "topic,system,measure,score\n" + "".join(f"{topic},a,AP,0.5\n" for topic in range(8000))
"""So large that the fast parser is asked first."""
HEADER = "topic,measure,mean,sd\n"
CASES: list[tuple[Callable[[str], object], str, str, str]] = [
    (read_run, "a.run", f"1 Q0 d 1 {LONG} t\n", ":1: expected a finite number as score"),
    (read_run, "a.json", '{"1": {"a": 1,\n"b": ' + LONG + "}}", ":2: holds a number of 5,000 digits; at most 300"),
    (read_run, "a.json", '{"1": {"a": ' + "9" * 320 + "}}", ":1: holds a number of 320 digits"),
    (read_run, "a.json", '{"1": ' + DEEP, ": nests more than 64 objects; is the file damaged?"),
    (read_run, "a.json", '{"1": ' + "[" * 500 + "]" * 500 + "}", ": nests more than 64 objects"),
    (read_run, "a.json", '{"1": {"\\ud800": 1}}', ": holds half of a pair of surrogates"),
    (read_run, "a.jsonl", '{"topic": "1", "document": "d", "score": ' + LONG + "}\n", ":1: holds a number of 5,000"),
    (read_run, "a.tsv", f"1\td\t{LONG}\n", ":1: expected a whole number as rank"),
    (read_qrels, "q.tsv", 'query-id\tcorpus-id"\tscore\n1\td1\t1\n', ":1: no column holds the document; found "),
    (read_qrels, "q.txt", f"1 0 d {LONG}\n", ":1: expected an integer"),
    (read_qrels, "q.json", '{"1": {"d": ' + LONG + "}}", ":1: holds a number of 5,000 digits"),
    (read_scores, "s.json", '{"a": {"1": ' + LONG + "}}", ":1: holds a number of 5,000 digits"),
    (read_scores, "s.jsonl", '{"topic": "1", "a": ' + LONG + "}\n", ":1: holds a number of 5,000 digits"),
    (read_scores, "s.jsonl", '{"topic": "1", "a": 1}\n{"topic": "2", "a": 1e400}\n', ":2: the 'a' is infinite"),
    (Standardisation.load, "f.json", '{"rows": ' + DEEP, ": nests more than 64 objects"),
    (Standardisation.load, "f.json", '{"rows": [{"topic": "1"}]}', ": lacks the column 'measure'"),
    (
        Standardisation.load, "f.json",
        '{"rows": [{"topic": "1", "measure": "AP", "mean": 1, "sd": 1}, {"topic": "2", "measure": "AP", "sd": 1}]}',
        ": row 2 of its factors lacks the column 'mean'; it has: topic, measure, sd",
    ),
    (
        Standardisation.load, "f.json",
        '{"rows": [{"topic": "1", "measure": "AP", "mean": 1, "sd": 1, "systems": Infinity}]}',
        "topic '1', AP: inf is not a number of systems",
    ),
    (Standardisation.load, "f.json", '{"rows": [{"topic": "1", "measure": "AP", "mean": ' + LONG + "}]}", ":1: holds a"),
    (Standardisation.load, "f.json", '{"rows": [], "provenance": 3}', "no list"),
    (Standardisation.load, "f.csv", HEADER + "1,AP,0.1\r,0.2\n", ":3: expected 4 fields"),
    (Standardisation.load, "f.csv", HEADER + f"1,AP,{LONG},0.2\n", ":2: topic '1', AP: '9999"),
    (Standardisation.load, "f.csv", HEADER + '1,AP,"0.1,0.2\n' + "x" * 200_000, "is not a well-formed table"),
    (Standardisation.load, "f.csv", "topic,measure," + "x" * 9000 + ",sd\n1,AP,1,1\n", ": lacks the column 'mean'"),
    (read_scores, "s.csv", "topic,system,measure,score\n" + "x" * 9000 + ",a,AP,1\n2,b,AP,1\n", ": AP: 2 of 4 scores are"),
    (read_qrels, "q.tsv", "query-id\tcorpus-id\tscore\n1\td1\t" + "x" * 9000 + "\n", ":2: topic '1', document 'd1' has"),
    (Standardisation.load, "f.csv", "topic,measure,mean,sd,Mean\n1,AP,0.5,0.1,0.9\n", ":1: column 'mean' comes twice; keep"),
    # A slip in the first row must not make a header of it.
    (
        read_scores, "s.txt", "0.5 O.25\n0.75 1\n0.5 0.5\n",
        ":1: cannot tell whether the first row is a header: '0.5' is a number, 'O.25' is not. Correct it, name "
        "the topic column 'topic', or use header=True or header=False.",
    ),
    (read_scores, "s.csv", "# made\n401,0.5,0.2٣5\n402,0.75,1\n", ":2: cannot tell whether the first row is a header"),
    (read_scores, "s.csv", "topic,a,b\n ,0.5,0.25\n2,0.75,1\n", ": a topic label must be a non-empty string; got ' '"),
    (read_order, "o.txt", "system,score\n", ": contains no systems"),
    (read_order, "o.txt", "\x1c\n", ":1: contains the control character U+001C"),
    (read_order, "o.txt", "a,1\n,2\n", ":2: expected the name of a system, found none: ',2'"),
    (read_order, "o.txt", "a,1\nb,inf\n", ":2: expected a finite score after the system, found 'inf'"),
    (read_order, "o.txt", "a,nan\nb,1\n", ":1: expected a finite score after the system, found 'nan'"),
    # Digits of other scripts are letters to every other tool.
    (read_scores, "s.csv", "topic,a,b\n1,0.5,0.25\n2,٠.٥,1\n", ":3: expected a finite number"),
    (read_scores, "s.csv", "topic,system,measure,score\n1,a,AP,０.５\n", ":2: expected a finite number as value"),
    (read_scores, "bm25.eval", "map\t1\t٠.٥\n", ":1: expected a finite number"),
    (read_qrels, "q.jsonl", '{"topic": "1", "document": "d", "relevance": "١"}\n' * 2, "'١'"),
    (read_run, "a.run", "1 Q0 d 1 ٠.٥ t\n", ":1: expected a finite number as score"),
    (read_order, "o.txt", "a,٣\nb,1\n", ":1: expected a finite score after the system, found '٣'"),
    (read_order, "o.txt", "a,1_000\nb,1\n", ":1: expected a finite score after the system, found '1_000'"),
    (read_intents, "i.txt", "1 1 ٠.٥\n", ":1: expected a probability between 0 and 1 (field 3), found '٠.٥'"),
    (Standardisation.load, "f.csv", HEADER + "1,AP,٠.١,0.2\n", ":2: topic '1', AP: '٠.١' is not a finite number"),
    # Nobody sees a control character; some of them end a line for Python and for nobody else.
    (read_scores, "s.csv", "topic,a,b\n1,0.5,0.25\n\x07,1,1\n", ":3: contains the control character U+0007; remove it"),
    (read_scores, "s.csv", LARGE.replace("measure", "measu\x0bre", 1), ":1: contains the control character U+000B; remove it"),
    (read_scores, "s.csv", LARGE.replace("measure", "note", 1) + "1,b,\x07,0.5\n", f":{LARGE.count(chr(10)) + 1}: contains the control"),
    (read_scores, "s.csv", LARGE + "1,b,AP,0.5,", f":{LARGE.count(chr(10)) + 1}: expected 4 fields as in the first row, found 5"),
    (read_scores, "s.csv", LARGE + "\x7f1,a,AP,0.5\n", f":{LARGE.count(chr(10)) + 1}: contains the control character U+007F"),
    # One that turns the direction makes a name look like another.
    (read_scores, "s.csv", "topic,a,b\n1,0.5,0.25\n\u202e2,1,1\n", ":3: contains the control character U+202E; remove it"),
    (read_scores, "s.csv", LARGE + "1,a\u2067,AP,0.5\n", f":{LARGE.count(chr(10)) + 1}: contains the control character U+2067"),
    (read_teams, "t.csv", "a,x\nb\u2069c,x\n", ":2: contains the control character U+2069"),
    (read_order, "o.txt", "a\r\nb\rc\n\x1bd\n", ":4: contains the control character U+001B"),
    (read_teams, "t.csv", "a,x\nb\x85c,x\n", ":2: contains the control character U+0085"),
    (read_intents, "i.txt", "1 1 0.5\x0c2 1 0.5\n", ":1: contains the control character U+000C"),
    (Standardisation.load, "f.zscores", "1 map 0.5 0.1\x0c2 map 0.4 0.2\n", ":1: contains the control character U+000C"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "name", "text", "said"), CASES, ids=[str(at) for at in range(len(CASES))])
def test_hostile_files_are_errors_with_a_place(
    tmp_path: Path, read: Callable[[str], object], name: str, text: str, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(text.encode())
    with pytest.raises(FileError) as caught:
        read(str(file))
    assert str(file) in str(caught.value)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1200


def test_names_made_in_memory_hold_no_control_character_either() -> None:
    with pytest.raises(DataError, match=r"^topic 'a\\x07' contains an invisible control character; rename it$"):
        ScoreMatrix([[1.0]], ["a\x07"], ["s"])
    with pytest.raises(DataError, match=r"^system '\\u202esb' contains an invisible control character; "):
        ScoreMatrix([[1.0]], ["a"], ["\u202esb"])
    ScoreMatrix([[1.0]], ["\u200fאב\u200c"], ["می\u200cخواهم"])  # marks and joiners belong to words


def test_long_numbers_in_labels_are_sorted_by_value() -> None:
    labels = ["t" + LONG + "1", "t" + LONG, "t2", "t10"]
    assert natural_sorted(labels) == ["t2", "t10", "t" + LONG, "t" + LONG + "1"]


def test_a_rank_of_many_digits_is_no_rank(tmp_path: Path) -> None:
    file = tmp_path / "a.run"
    file.write_text(f"1 Q0 d {LONG} 0.5 t\n")
    assert read_run(file).notes == ("1 ranks are not integers, so this run cannot be ordered by rank",)
