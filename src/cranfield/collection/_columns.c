/* Lines of fields: as columns for `collection.lines`, and runs judged for `measures.stream`, in one loop over the bytes.
 *
 * columns(data, kinds, marks) gives a record batch of the Arrow C data interface (two capsules), or None at the first
 * doubt; what is accepted is defined by the careful parser in lines.py. judged(index, data) accepts the same of a run,
 * and ranks and looks up its documents; what it must find is defined by measures/ranking.py. Both run without the
 * interpreter's lock.
 * Memory of the columns is malloc's, so that whoever holds them may free them in any thread. */

#define _GNU_SOURCE /* strtod_l */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

enum { MOST = 8 }; /* fields of a line */

/* ── Numbers ────────────────────────────────────────────────────────────────────────────────────────────────── */

static locale_t plain; /* with a point, whatever the program's locale has */

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if defined(__SIZEOF_INT128__) && defined(__GNUC__)
#define WIDE 1
enum { REACH = 64 };
static uint64_t tens[2 * REACH + 1]; /* the leading 64 bits of 10^(at − REACH), cut off */
static int tens_exponent[2 * REACH + 1]; /* 10^e lies in [tens, tens + 1) × 2^tens_exponent, but for 2^-50 of an ulp */

/* The powers with 128 bits, each from its neighbour; what is cut off on the way is below 64 × 2^-120 of the value. */
static void make_tens(void) {
    const unsigned __int128 top = (unsigned __int128)1 << 127;
    unsigned __int128 up = top, down = top;
    int up_exponent = -127, down_exponent = -127;
    for (int e = 0; e <= REACH; e++) {
        tens[REACH + e] = (uint64_t)(up >> 64);
        tens_exponent[REACH + e] = up_exponent + 64;
        tens[REACH - e] = (uint64_t)(down >> 64);
        tens_exponent[REACH - e] = down_exponent + 64;
        up = (up >> 4) * 10, up_exponent += 4; /* 10 / 16 of it, exact but for the four lowest bits */
        if (!(up & top)) up <<= 1, up_exponent--;
        unsigned __int128 tenth = down / 10, rest = down % 10;
        down_exponent -= 3, tenth = (tenth << 3) | (rest << 3) / 10;
        if (!(tenth & top)) down_exponent--, tenth <<= 1;
        down = tenth;
    }
}

/* digits × 10^exponent rounded to nearest where 64 bits of the power settle it. The product of the leading bits is cut
 * off by less than 8 units of its 64th bit; unless that could reach or leave the middle of two doubles, they decide. */
static int rounded(uint64_t digits, int exponent, double *value) {
    int shift = __builtin_clzll(digits);
    unsigned __int128 product = (unsigned __int128)(digits << shift) * tens[REACH + exponent];
    int twos = tens_exponent[REACH + exponent] - shift + 64;
    if (!(product >> 127)) product <<= 1, twos--;
    uint64_t high = (uint64_t)(product >> 64), mantissa = high >> 11, rest = high & 0x7FF;
    if (rest + 8 >= 0x400 && rest <= 0x400) return 0;
    mantissa += rest > 0x400;
    /* Normal in any case: 2^-213 < value < 2^277. A mantissa of 2^53 carries into the exponent. */
    uint64_t bits = ((uint64_t)(twos + 11 + 1075) << 52) + (mantissa - ((uint64_t)1 << 52));
    memcpy(value, &bits, sizeof bits);
    return 1;
}
#endif

static int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* The finite number in a field, as lines.py takes it: a sign, digits with a point among or around them, an exponent.
 * Behind the field is a byte that no number goes on with. */
static int decimal(const char *field, const char *end, double *value) {
    const char *p = field;
    int negative = *p == '-';
    p += negative || *p == '+';
    uint64_t digits = 0;
    int64_t significant = 0, exponent = 0;
    const char *begin = p;
    for (; p < end && is_digit(*p); p++) {
        significant += significant || *p != '0';
        if (significant <= 19) digits = 10 * digits + (uint64_t)(*p - '0');
    }
    int64_t some = p - begin;
    if (p < end && *p == '.') {
        begin = ++p;
        for (; p < end && is_digit(*p); p++) {
            significant += significant || *p != '0';
            if (significant <= 19) digits = 10 * digits + (uint64_t)(*p - '0');
        }
        some += p - begin;
        exponent = begin - p;
    }
    if (!some) return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int below = ++p < end && *p == '-';
        p += below || (p < end && *p == '+');
        int64_t written = 0;
        begin = p;
        for (; p < end && is_digit(*p); p++)
            if (written < 100000) written = 10 * written + (*p - '0');
        if (p == begin) return 0;
        exponent += below ? -written : written;
    }
    if (p < end) return 0;
    if (!digits) {
        *value = negative ? -0.0 : 0.0;
        return 1;
    }
#if FLT_EVAL_METHOD == 0
    if (significant <= 19 && digits <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        /* Both are doubles, so that one operation rounds once (Clinger 1990). */
        *value = exponent < 0 ? (double)digits / POWERS[-exponent] : (double)digits * POWERS[exponent];
        if (negative) *value = -*value;
        return 1;
    }
#endif
#ifdef WIDE
    if (significant <= 19 && exponent >= -REACH && exponent <= REACH && rounded(digits, (int)exponent, value)) {
        if (negative) *value = -*value;
        return 1;
    }
#endif
    *value = strtod_l(field, NULL, plain); /* slow, and exact */
    return isfinite(*value);
}

/* A whole number of at most 18 digits, zeros in front not counted. */
static int whole(const char *p, const char *end, int64_t *value) {
    int negative = *p == '-';
    p += negative || *p == '+';
    if (p == end) return 0;
    uint64_t number = 0;
    for (; p < end; p++) {
        if (!is_digit(*p) || number >= 100000000000000000) return 0;
        number = 10 * number + (uint64_t)(*p - '0');
    }
    *value = negative ? -(int64_t)number : (int64_t)number;
    return 1;
}

/* ── Lines ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

typedef struct {
    const char *text, *end;
} Field;

/* Lines that are being read. `low` has a bit for each of 64 bytes from `begin` that is a blank or a control character:
 * most fields then end at the next bit. */
typedef struct {
    const char *p, *end, *begin, *marks; /* `marks` are the bytes that no line may begin with */
    uint64_t low;
    int fields;
} Lines;

static void look(Lines *lines, const char *p) {
    char last[64] = {0};
    const char *from = p;
    if (lines->end - p < 64) from = memcpy(last, p, (size_t)(lines->end - p)); /* nothing is read behind the data */
    lines->begin = p;
    lines->low = 0;
    for (int at = 0; at < 8; at++) {
        const uint64_t ones = 0x0101010101010101u;
        uint64_t word;
        memcpy(&word, from + 8 * at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        uint64_t high = ((word & 0x7F * ones) + 0x5F * ones) | word; /* its top bits: bytes above a blank */
        lines->low |= ((~high & 0x80 * ones) >> 7) * 0x0102040810204080u >> 56 << 8 * at;
    }
}

static inline const char *end_of_field(Lines *lines, const char *p) {
    for (;; p++) {
        while (p - lines->begin >= 64 || !(lines->low >> (p - lines->begin))) {
            if (p - lines->begin < 64) p = lines->begin + 64;
            if (p >= lines->end) return lines->end;
            look(lines, p);
        }
        p += __builtin_ctzll(lines->low >> (p - lines->begin));
        if (p >= lines->end) return lines->end;
        if (is_blank(*p) || *p == '\n') return p;
    }
}

enum { END, LINE, BROKEN };
enum { NO_MEMORY = -1, DOUBT, DONE };

/* The fields of the next line. */
static inline int next_line(Lines *lines, Field *field) {
    const char *p = lines->p, *end = lines->end;
    while (p < end && (is_blank(*p) || *p == '\n')) p++;
    if (p == end) return END;
    for (const char *mark = lines->marks; *mark; mark++)
        if (*p == *mark) return BROKEN;
    for (int at = 0; at < lines->fields; at++) {
        field[at].text = p;
        field[at].end = p = end_of_field(lines, p);
        if (p == field[at].text) return BROKEN; /* too few */
        while (p < end && is_blank(*p)) p++;
    }
    lines->p = p;
    return p == end || *p == '\n' ? LINE : BROKEN; /* too many */
}

/* Whether text columns may hold these bytes. */
static int is_utf8(const char *data, Py_ssize_t size) {
    unsigned char high = 0;
    for (Py_ssize_t at = 0; at < size; at++) high |= (unsigned char)data[at];
    if (high < 0x80) return 1;
    PyObject *text = PyUnicode_DecodeUTF8(data, size, NULL);
    if (!text) PyErr_Clear();
    Py_XDECREF(text);
    return text != NULL;
}

/* The lines of a bytes object; 0 at a doubt, or with an error set. */
static int open_lines(Lines *lines, PyObject *bytes, int fields, const char *marks) {
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &data, &size)) return 0;
    *lines = (Lines){data, data + size, data, marks, 0, fields};
    if (!size || size > INT32_MAX || !is_utf8(data, size)) return 0; /* a view has 32 bits for a place */
    look(lines, data);
    return 1;
}

/* An array with room for so many items; NULL where memory ends. */
static void *grown(void *array, int64_t *room, int64_t wanted, size_t size) {
    if (wanted <= *room) return array;
    void *more = realloc(array, (size_t)(2 * wanted) * size);
    if (more) *room = 2 * wanted;
    return more;
}

static PyObject *none_or_error(int outcome) {
    if (outcome == NO_MEMORY) return PyErr_NoMemory();
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* ── Columns ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* One column while it is filled. Text is a view of 16 bytes for each row (Arrow's "vu"): the length, and the text itself
 * or its first four bytes and its place among `text`. */
typedef struct {
    char kind;
    unsigned char *values, *text;
    int64_t used, text_room;
    Field last; /* of the line before */
    const void *buffers[4];
} Column;

typedef struct {
    Column *columns[MOST];
    int64_t rows;
} Table;

static size_t width(char kind) { return kind == 's' ? 16 : kind == 'i' ? 4 : 8; }

static void free_column(Column *column) {
    if (column) {
        free(column->values);
        free(column->text);
        free(column);
    }
}

static int make_room(Table *table, const Lines *lines, const char *kinds) {
    int64_t ends = 1, size = lines->end - lines->p, most = size / (2 * lines->fields) + 1; /* a field has two bytes */
    for (int64_t at = 0; at < size;) {
        unsigned char some = 0; /* narrow, so that the compiler counts 16 bytes at once */
        for (int64_t stop = size - at < 255 ? size : at + 255; at < stop; at++)
            some = (unsigned char)(some + (lines->p[at] == '\n'));
        ends += some;
    }
    for (int at = 0; at < lines->fields; at++) {
        if (kinds[at] == '-') continue;
        Column *column = table->columns[at] = calloc(1, sizeof *column);
        if (!column) return 0;
        column->kind = kinds[at];
        column->values = malloc((size_t)(ends < most ? ends : most) * width(kinds[at]));
        if (!column->values) return 0;
    }
    return 1;
}

/* The field as a view; a long one is that of the line before where it is the same, as tags are. 0 where memory ends. */
static int put_text(Column *column, int64_t row, Field field) {
    unsigned char *view = column->values + 16 * row;
    size_t size = (size_t)(field.end - field.text);
    if (size > 12 && field.end - field.text == column->last.end - column->last.text &&
        !memcmp(field.text, column->last.text, size)) {
        memcpy(view, view - 16, 16);
        return 1;
    }
    column->last = field;
    uint32_t length = (uint32_t)size, place = (uint32_t)column->used;
    memset(view, 0, 16);
    memcpy(view, &length, 4);
    if (size <= 12) {
        for (size_t at = 0; at < size; at++) view[4 + at] = (unsigned char)field.text[at];
        return 1;
    }
    unsigned char *text = grown(column->text, &column->text_room, column->used + (int64_t)size + (1 << 15), 1);
    if (!text) return 0;
    column->text = text;
    memcpy(view + 4, field.text, 4);
    memcpy(view + 12, &place, 4);
    memcpy(text + column->used, field.text, size);
    column->used += (int64_t)size;
    return 1;
}

/* Fills the columns. */
static int fill(Table *table, Lines *lines, const char *kinds) {
    Field field[MOST];
    int found;
    if (!make_room(table, lines, kinds)) return NO_MEMORY;
    for (int64_t row = 0; (found = next_line(lines, field)) == LINE; table->rows = ++row)
        for (int at = 0; at < lines->fields; at++) {
            Column *column = table->columns[at];
            int64_t number = 0;
            double value = 0;
            switch (kinds[at]) {
            case 's':
                if (!put_text(column, row, field[at])) return NO_MEMORY;
                break;
            case 'g':
                if (!decimal(field[at].text, field[at].end, &value)) return DOUBT;
                memcpy(column->values + 8 * row, &value, 8);
                break;
            case 'l':
                if (!whole(field[at].text, field[at].end, &number)) return DOUBT;
                memcpy(column->values + 8 * row, &number, 8);
                break;
            case 'i':
                if (!whole(field[at].text, field[at].end, &number) || (int32_t)number != number) return DOUBT;
                memcpy(column->values + 4 * row, &(int32_t){(int32_t)number}, 4);
                break;
            }
        }
    return found == END && table->rows ? DONE : DOUBT;
}

/* ── The Arrow C data interface ─────────────────────────────────────────────────────────────────────────────── */

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

static const char NAMES[MOST][2] = {"0", "1", "2", "3", "4", "5", "6", "7"};

static void release_column(struct ArrowArray *array) {
    free_column(array->private_data);
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array) {
    for (int64_t at = 0; at < array->n_children; at++) {
        struct ArrowArray *child = array->children[at];
        if (child->release) child->release(child);
    }
    free(array->private_data);
    array->release = NULL;
}

static void release_field(struct ArrowSchema *schema) { schema->release = NULL; }

static void release_schema(struct ArrowSchema *schema) {
    free(schema->private_data);
    schema->release = NULL;
}

static void drop_schema(PyObject *capsule) {
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema && schema->release) schema->release(schema);
    free(schema);
}

static void drop_array(PyObject *capsule) {
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array && array->release) array->release(array);
    free(array);
}

static PyObject *exported(Table *table, int fields) {
    int n = 0;
    for (int at = 0; at < fields; at++) n += table->columns[at] != NULL;
    struct ArrowSchema *schema = calloc(1, sizeof *schema);
    struct ArrowArray *array = calloc(1, sizeof *array);
    struct {
        const void *none;
        struct ArrowArray *pointers[MOST], arrays[MOST];
    } *batch = calloc(1, sizeof *batch);
    struct {
        struct ArrowSchema *pointers[MOST], schemas[MOST];
    } *names = calloc(1, sizeof *names);
    if (!schema || !array || !batch || !names) {
        free(schema), free(array), free(batch), free(names);
        return PyErr_NoMemory();
    }
    *schema = (struct ArrowSchema){"+s", "", NULL, 0, n, names->pointers, NULL, release_schema, names};
    *array = (struct ArrowArray){table->rows, 0, 0, 1, n, &batch->none, batch->pointers, NULL, release_batch, batch};
    for (int at = 0, child = 0; at < fields; at++) {
        Column *column = table->columns[at];
        if (!column) continue;
        int text = column->kind == 's';
        const char *format = text ? "vu" : column->kind == 'i' ? "i" : column->kind == 'l' ? "l" : "g";
        names->pointers[child] = &names->schemas[child];
        names->schemas[child] = (struct ArrowSchema){format, NAMES[at], NULL, 0, 0, NULL, NULL, release_field, NULL};
        column->buffers[1] = column->values;
        column->buffers[2] = column->text ? column->text : column->values; /* an empty one has a place, too */
        column->buffers[3] = &column->used;
        batch->pointers[child] = &batch->arrays[child];
        batch->arrays[child] = (struct ArrowArray){
            table->rows, 0, 0, text ? 4 : 2, 0, column->buffers, NULL, NULL, release_column, column};
        table->columns[at] = NULL; /* it belongs to the array now */
        child++;
    }
    PyObject *first = PyCapsule_New(schema, "arrow_schema", drop_schema);
    PyObject *second = PyCapsule_New(array, "arrow_array", drop_array);
    if (!first) schema->release(schema), free(schema);
    if (!second) array->release(array), free(array);
    PyObject *both = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

/* ── Judged documents ───────────────────────────────────────────────────────────────────────────────────────── */

enum { MOST_PROBES = 64 }; /* reached by ids that were made to share slots */

typedef struct {
    uint64_t key;
    const char *text;
    uint32_t size;
} Id;

static uint64_t mixed(uint64_t key, uint64_t word) {
    key = (key ^ word) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
}

static uint64_t word_at(const char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

static Id id_of(Field field) {
    const char *p = field.text;
    size_t size = (size_t)(field.end - p);
    uint64_t key = 0;
    if (size >= 8) {
        for (; field.end - p > 8; p += 8) key = mixed(key, word_at(p));
        key = mixed(key, word_at(field.end - 8));
    } else if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4), memcpy(&last, field.end - 4, 4);
        key = mixed(key, first | (uint64_t)last << 32);
    } else {
        key = mixed(key, (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[size / 2] << 8 |
                             (uint64_t)(unsigned char)p[size - 1] << 16);
    }
    return (Id){mixed(key, size), field.text, (uint32_t)size};
}

static int is_same(Field one, Field other) {
    return one.end - one.text == other.end - other.text && !memcmp(one.text, other.text, (size_t)(one.end - one.text));
}

/* A place in a table of ids: the upper half of a key, and the number of its id from 1 on; 0 where free. */
typedef struct {
    uint32_t mark;
    int32_t number;
} Slot;

/* The slot of an id, or the free one where it belongs; NULL where that takes too long. */
static Slot *slot_of(Slot *slots, int64_t room, const Id *ids, const Id *id) {
    uint64_t last = (uint64_t)room - 1, at = id->key & last;
    for (int probe = 0; probe < MOST_PROBES; probe++, at = (at + 1) & last) {
        if (!slots[at].number) return &slots[at];
        const Id *known = &ids[slots[at].number - 1];
        if (slots[at].mark == id->key >> 32 && known->size == id->size && !memcmp(known->text, id->text, id->size))
            return &slots[at];
    }
    return NULL;
}

static int64_t room_for(int64_t ids) {
    int64_t room = 4;
    while (room < 3 * ids) room *= 2;
    return room;
}

/* The judged documents of each topic. Documents are numbered by the rows of the judgments. */
typedef struct {
    PyObject *lines; /* keeps the ids alive */
    int64_t rows, n_topics, topics_room;
    Id *documents, *topics;
    int64_t *first, *begin; /* the first row of each topic, and where its slots begin */
    Slot *of_documents, *of_topics;
} Index;

static void free_index(Index *index) {
    if (!index) return;
    free(index->documents), free(index->topics), free(index->first), free(index->begin);
    free(index->of_documents), free(index->of_topics);
    Py_XDECREF(index->lines);
    free(index);
}

static void drop_index(PyObject *capsule) { free_index(PyCapsule_GetPointer(capsule, "index")); }

static int make_index(Index *index, Lines *lines) {
    int64_t most = (lines->end - lines->p) / 8 + 1, row = 0; /* four fields and what ends them */
    int32_t *topic_of = malloc((size_t)most * sizeof *topic_of);
    int found, outcome = NO_MEMORY;
    Field field[MOST], before = {NULL, NULL};
    index->topics_room = room_for(most);
    index->documents = malloc((size_t)most * sizeof *index->documents);
    index->topics = malloc((size_t)most * sizeof *index->topics);
    index->first = malloc((size_t)most * sizeof *index->first);
    index->begin = calloc((size_t)most + 1, sizeof *index->begin);
    index->of_topics = calloc((size_t)index->topics_room, sizeof *index->of_topics);
    if (!topic_of || !index->documents || !index->topics || !index->first || !index->begin || !index->of_topics)
        goto end;
    outcome = DOUBT;
    for (; (found = next_line(lines, field)) == LINE; before = field[0], row++) {
        topic_of[row] = row ? topic_of[row - 1] : 0;
        if (!row || !is_same(field[0], before)) {
            Id id = id_of(field[0]);
            Slot *slot = slot_of(index->of_topics, index->topics_room, index->topics, &id);
            if (!slot) goto end;
            if (!slot->number) {
                index->topics[index->n_topics] = id;
                index->first[index->n_topics] = row;
                *slot = (Slot){(uint32_t)(id.key >> 32), (int32_t)++index->n_topics};
            }
            topic_of[row] = slot->number - 1;
        }
        index->documents[row] = id_of(field[2]);
        index->begin[topic_of[row] + 1]++;
    }
    index->rows = row;
    if (found != END || !row) goto end;
    for (int64_t topic = 0; topic < index->n_topics; topic++)
        index->begin[topic + 1] = index->begin[topic] + room_for(index->begin[topic + 1]);
    index->of_documents = calloc((size_t)index->begin[index->n_topics], sizeof *index->of_documents);
    outcome = NO_MEMORY;
    if (!index->of_documents) goto end;
    outcome = DOUBT;
    for (row = 0; row < index->rows; row++) {
        const int64_t *begin = &index->begin[topic_of[row]];
        Id *id = &index->documents[row];
        Slot *slot = slot_of(index->of_documents + begin[0], begin[1] - begin[0], index->documents, id);
        if (!slot) goto end;
        if (!slot->number) *slot = (Slot){(uint32_t)(id->key >> 32), (int32_t)row + 1};
    }
    outcome = DONE;
end:
    free(topic_of);
    return outcome;
}

/* A document of a ranking. */
typedef struct {
    Id id;
    double score;
} Ranked;

/* Score descending, id descending by bytes. */
static int in_order(const void *one, const void *other) {
    const Ranked *a = one, *b = other;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    uint32_t least = a->id.size < b->id.size ? a->id.size : b->id.size;
    int below = memcmp(a->id.text, b->id.text, least);
    return below ? -below : (a->id.size < b->id.size) - (a->id.size > b->id.size);
}

typedef struct {
    int64_t one, other;
} Pair;

/* What is found of a run: for each judged topic its first row among the judgments, and how many documents it has; for
 * each judged document its rank and its row; the topics without judgments. */
typedef struct {
    Pair *retrieved, *hits;
    Field *others, tag;
    int64_t n_retrieved, n_hits, n_others, retrieved_room, hits_room, others_room;
    Ranked *ranking;
    int64_t rows, ranking_room, seen_room;
    int32_t *seen;
    char *met; /* which topics have been */
} Found;

/* Ranks and looks up the documents of one topic; a doubt where one may come twice. */
static int judge(const Index *index, Found *found, Field topic) {
    int64_t rows = found->rows, room = room_for(rows);
    int32_t *seen = grown(found->seen, &found->seen_room, room, sizeof *seen);
    if (!seen) return NO_MEMORY;
    found->seen = memset(seen, 0, (size_t)room * sizeof *seen);
    int ordered = 1;
    for (int64_t row = 0; row < rows; row++) {
        const Ranked *one = &found->ranking[row];
        uint64_t at = (one->id.key >> 20) & (uint64_t)(room - 1);
        for (int probe = 0; seen[at]; at = (at + 1) & (uint64_t)(room - 1))
            if (found->ranking[seen[at] - 1].id.key == one->id.key || ++probe == MOST_PROBES) return DOUBT;
        seen[at] = (int32_t)row + 1;
        ordered = ordered && (!row || in_order(one - 1, one) < 0);
    }
    if (!ordered) qsort(found->ranking, (size_t)rows, sizeof *found->ranking, in_order);
    Id id = id_of(topic);
    const Slot *known = slot_of(index->of_topics, index->topics_room, index->topics, &id);
    if (!known) return DOUBT;
    if (!known->number) {
        Field *others = grown(found->others, &found->others_room, found->n_others + 1, sizeof *others);
        if (!others) return NO_MEMORY;
        found->others = others;
        others[found->n_others++] = topic;
        return DONE;
    }
    int64_t number = known->number - 1;
    if (found->met[number]++) return DOUBT; /* it was there before */
    Pair *retrieved = grown(found->retrieved, &found->retrieved_room, found->n_retrieved + 1, sizeof *retrieved);
    if (!retrieved) return NO_MEMORY;
    found->retrieved = retrieved;
    retrieved[found->n_retrieved++] = (Pair){index->first[number], rows};
    Pair *hits = grown(found->hits, &found->hits_room, found->n_hits + rows, sizeof *hits);
    if (!hits) return NO_MEMORY;
    found->hits = hits;
    Slot *slots = index->of_documents + index->begin[number];
    room = index->begin[number + 1] - index->begin[number];
    for (int64_t row = 0; row < rows; row++) {
        const Slot *slot = slot_of(slots, room, index->documents, &found->ranking[row].id);
        if (!slot) return DOUBT;
        if (slot->number) hits[found->n_hits++] = (Pair){row + 1, slot->number - 1};
    }
    return DONE;
}

/* All topics of a run whose lines have one tag and whose topics stand together. */
static int judge_all(const Index *index, Found *found, Lines *lines) {
    Field field[6], topic = {NULL, NULL};
    int line, outcome;
    found->met = calloc((size_t)index->n_topics, 1);
    if (!found->met) return NO_MEMORY;
    while ((line = next_line(lines, field)) == LINE) {
        int64_t rank;
        if (!found->tag.text) found->tag = field[5];
        if (!is_same(field[5], found->tag) || !whole(field[3].text, field[3].end, &rank)) return DOUBT;
        if (found->rows && !is_same(field[0], topic)) {
            if ((outcome = judge(index, found, topic)) != DONE) return outcome;
            found->rows = 0;
        }
        topic = field[0];
        Ranked *ranking = grown(found->ranking, &found->ranking_room, found->rows + 1, sizeof *ranking);
        if (!ranking) return NO_MEMORY;
        found->ranking = ranking;
        if (!decimal(field[4].text, field[4].end, &ranking[found->rows].score)) return DOUBT;
        ranking[found->rows++].id = id_of(field[2]);
    }
    return line == END && found->rows ? judge(index, found, topic) : DOUBT;
}

/* ── To Python ──────────────────────────────────────────────────────────────────────────────────────────────── */

static PyObject *columns(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *bytes, *result = NULL;
    const char *kinds, *marks;
    Table table = {0};
    Lines lines;
    int outcome = DOUBT;
    if (!PyArg_ParseTuple(arguments, "Sss", &bytes, &kinds, &marks)) return NULL;
    size_t fields = strlen(kinds);
    if (!fields || fields > MOST || strspn(kinds, "slig-") != fields) {
        PyErr_SetString(PyExc_ValueError, "kinds must be one to eight of s, l, i, g and -");
        return NULL;
    }
    if (open_lines(&lines, bytes, (int)fields, marks)) {
        Py_BEGIN_ALLOW_THREADS
        outcome = fill(&table, &lines, kinds);
        Py_END_ALLOW_THREADS
    }
    result = outcome == DONE ? exported(&table, (int)fields) : none_or_error(outcome);
    for (int at = 0; at < MOST; at++) free_column(table.columns[at]);
    return result;
}

static PyObject *judgments_of(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *bytes;
    Lines lines;
    int outcome = DOUBT;
    if (!PyArg_ParseTuple(arguments, "S", &bytes)) return NULL;
    Index *index = calloc(1, sizeof *index);
    if (!index) return PyErr_NoMemory();
    index->lines = Py_NewRef(bytes);
    if (open_lines(&lines, bytes, 4, "#")) {
        Py_BEGIN_ALLOW_THREADS
        outcome = make_index(index, &lines);
        Py_END_ALLOW_THREADS
    }
    if (outcome == DONE) return Py_BuildValue("NL", PyCapsule_New(index, "index", drop_index), (long long)index->rows);
    free_index(index);
    return none_or_error(outcome);
}

static PyObject *text_in(Field field) { return PyUnicode_FromStringAndSize(field.text, field.end - field.text); }

static PyObject *judged(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *bytes, *capsule, *result = NULL;
    Found found = {0};
    Lines lines;
    int outcome = DOUBT;
    if (!PyArg_ParseTuple(arguments, "OS", &capsule, &bytes)) return NULL;
    const Index *index = PyCapsule_GetPointer(capsule, "index");
    if (!index) return NULL;
    if (open_lines(&lines, bytes, 6, "#<")) {
        Py_BEGIN_ALLOW_THREADS
        outcome = judge_all(index, &found, &lines);
        Py_END_ALLOW_THREADS
    }
    PyObject *others = outcome == DONE ? PyDict_New() : NULL;
    for (int64_t at = 0; others && at < found.n_others; at++) {
        PyObject *label = text_in(found.others[at]);
        if (!label || PyDict_SetItem(others, label, Py_None)) Py_CLEAR(others);
        Py_XDECREF(label);
    }
    if (others && PyDict_Size(others) == found.n_others) /* else one of them comes back */
        result = Py_BuildValue("NOy#y#", text_in(found.tag), others, found.n_retrieved ? (char *)found.retrieved : "",
                               (Py_ssize_t)sizeof(Pair) * found.n_retrieved, found.n_hits ? (char *)found.hits : "",
                               (Py_ssize_t)sizeof(Pair) * found.n_hits);
    else
        result = none_or_error(outcome);
    Py_XDECREF(others);
    free(found.retrieved), free(found.hits), free(found.others), free(found.ranking), free(found.seen), free(found.met);
    return result;
}

static PyMethodDef METHODS[] = {
    {"columns", columns, METH_VARARGS, "A record batch from lines of fields, or None at a doubt."},
    {"judgments", judgments_of, METH_VARARGS, "Lines of judgments to look documents up among, and their number, or None."},
    {"judged", judged, METH_VARARGS, "The judged documents of a run's lines with their ranks, or None at a doubt."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_columns", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__columns(void) {
#ifdef WIDE
    make_tens();
#endif
    if (!plain) plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? PyModule_Create(&MODULE) : PyErr_NoMemory();
}
