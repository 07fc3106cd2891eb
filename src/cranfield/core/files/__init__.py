"""Bytes in and out: finding files, decompressing, decoding, and writing so that nothing is half-written."""

from cranfield.core.files.finding import Files, expand
from cranfield.core.files.names import (
    DATASET,
    STDIN,
    WORKBOOKS,
    NamedFile,
    is_dataset,
    is_elsewhere,
    is_file,
    is_folder,
    is_url,
    reason,
    split_sheet,
    system_name,
    whole_path,
)
from cranfield.core.files.reading import (
    ByteStream,
    is_read_once,
    line_blocks,
    no_memory,
    open_bytes,
    pipes_once,
    read_bytes,
)
from cranfield.core.files.text import (
    BOM,
    EMPTY,
    MISSING_MARKS,
    Problems,
    check_no_nul,
    check_text,
    check_utf8,
    decimal_comma,
    filled_lines,
    finite_number,
    plain_text,
    score_number,
    shown,
    text_lines,
    without_mark,
)
from cranfield.core.files.writing import NO_URL, beside, sweep, write_atomically, written_whole
