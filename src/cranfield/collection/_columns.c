/* Lines of fields as columns: what `collection.lines` asks of a columnar parser, in one loop over the bytes.
 *
 * columns(data, kinds, marks) gives a record batch of the Arrow C data interface (two capsules), or None at the first
 * doubt; what is accepted is defined by the careful parser in lines.py. judged(index, data) does the same for a run, and
 * ranks and looks up its documents at once; what it must find is defined by measures/ranking.py. Both run without the
 * interpreter's lock.
 * Memory of the columns is malloc's, so that whoever holds them may free them in any thread. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

enum { MOST = 8 }; /* fields of a line */

/* One column while it is filled. Text is a view of 16 bytes for each row (Arrow's "vu"): the length, and the text itself
 * or its first four bytes and its place among `text`. */
typedef struct {
    char kind;
    unsigned char *values, *text;
    int64_t used, text_room;
    const char *last; /* the field of the line before */
    size_t last_size;
    const void *buffers[4];
} Column;

static const char NAMES[MOST][2] = {"0", "1", "2", "3", "4", "5", "6", "7"};

static size_t width(char kind) { return kind == 's' ? 16 : kind == 'i' ? 4 : 8; }

static void free_column(Column *column) {
    if (column) {
        free(column->values);
        free(column->text);
        free(column);
    }
}

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

/* ── Numbers ────────────────────────────────────────────────────────────────────────────────────────────────── */

enum Number { WRONG, EXACT, HARD }; /* HARD: a number whose nearest double PyOS_string_to_double finds */

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
static enum Number rounded(uint64_t digits, int exponent, double *value) {
    int shift = __builtin_clzll(digits);
    unsigned __int128 product = (unsigned __int128)(digits << shift) * tens[REACH + exponent];
    int twos = tens_exponent[REACH + exponent] - shift + 64;
    if (!(product >> 127)) product <<= 1, twos--;
    uint64_t high = (uint64_t)(product >> 64), mantissa = high >> 11, rest = high & 0x7FF;
    if (rest + 8 >= 0x400 && rest <= 0x400) return HARD;
    mantissa += rest > 0x400;
    /* Normal in any case: 2^-213 < value < 2^277. A mantissa of 2^53 carries into the exponent. */
    uint64_t bits = ((uint64_t)(twos + 11 + 1075) << 52) + (mantissa - ((uint64_t)1 << 52));
    memcpy(value, &bits, sizeof bits);
    return EXACT;
}
#endif

static int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* The number in a field, as lines.py takes it: a sign, digits with a point among or around them, an exponent. */
static enum Number decimal(const char *p, const char *end, double *value) {
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
    if (!some) return WRONG;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int below = ++p < end && *p == '-';
        p += below || (p < end && *p == '+');
        int64_t written = 0;
        begin = p;
        for (; p < end && is_digit(*p); p++)
            if (written < 100000) written = 10 * written + (*p - '0');
        if (p == begin) return WRONG;
        exponent += below ? -written : written;
    }
    if (p < end) return WRONG;
    if (significant > 19) return HARD;
    enum Number outcome = HARD;
    if (!digits) {
        *value = 0.0;
        outcome = EXACT;
    }
#if FLT_EVAL_METHOD == 0
    else if (digits <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        /* Both are doubles, so that one operation rounds once (Clinger 1990). */
        *value = exponent < 0 ? (double)digits / POWERS[-exponent] : (double)digits * POWERS[exponent];
        outcome = EXACT;
    }
#endif
#ifdef WIDE
    else if (exponent >= -REACH && exponent <= REACH)
        outcome = rounded(digits, (int)exponent, value);
#endif
    if (outcome == EXACT && negative) *value = -*value;
    return outcome;
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

/* The blanks and the control characters among 64 bytes, a bit for each: most fields then end at the next bit. */
typedef struct {
    const char *begin, *end;
    uint64_t low;
} Ends;

static void look(Ends *ends, const char *p) {
    char last[64] = {0};
    const char *from = p;
    if (ends->end - p < 64) from = memcpy(last, p, (size_t)(ends->end - p)); /* nothing is read behind the data */
    ends->begin = p;
    ends->low = 0;
    for (int at = 0; at < 8; at++) {
        const uint64_t ones = 0x0101010101010101u;
        uint64_t word;
        memcpy(&word, from + 8 * at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        uint64_t high = ((word & 0x7F * ones) + 0x5F * ones) | word; /* its top bits: bytes above a blank */
        ends->low |= ((~high & 0x80 * ones) >> 7) * 0x0102040810204080u >> 56 << 8 * at;
    }
}

static const char *end_of_field(Ends *ends, const char *p) {
    for (;; p++) {
        while (p - ends->begin >= 64 || !(ends->low >> (p - ends->begin))) {
            if (p - ends->begin < 64) p = ends->begin + 64;
            if (p >= ends->end) return ends->end;
            look(ends, p);
        }
        p += __builtin_ctzll(ends->low >> (p - ends->begin));
        if (p >= ends->end) return ends->end;
        if (is_blank(*p) || *p == '\n') return p;
    }
}

/* The field as a view; a long one is that of the line before where it is the same, as tags are. 0 where memory ends. */
static int put_text(Column *column, int64_t row, const char *field, size_t size) {
    unsigned char *view = column->values + 16 * row;
    if (size > 12 && size == column->last_size && !memcmp(field, column->last, size)) {
        memcpy(view, view - 16, 16);
        return 1;
    }
    column->last = field;
    column->last_size = size;
    uint32_t length = (uint32_t)size;
    memset(view, 0, 16);
    memcpy(view, &length, 4);
    if (size <= 12) {
        for (size_t at = 0; at < size; at++) view[4 + at] = (unsigned char)field[at];
        return 1;
    }
    if (column->used + (int64_t)size > column->text_room) {
        int64_t room = 2 * column->text_room + (int64_t)size + (1 << 16);
        unsigned char *more = realloc(column->text, (size_t)room);
        if (!more) return 0;
        column->text = more;
        column->text_room = room;
    }
    uint32_t place = (uint32_t)column->used;
    memcpy(view + 4, field, 4);
    memcpy(view + 12, &place, 4);
    memcpy(column->text + column->used, field, size);
    column->used += (int64_t)size;
    return 1;
}

typedef struct {
    int64_t row;
    Column *column;
    const char *field;
} Later;

typedef struct {
    const char *kinds;
    char marks[256]; /* whether no line may begin with the byte */
    int fields;
    Column *columns[MOST];
    int64_t room, rows;
    Later *later; /* numbers that need the interpreter */
    int64_t waiting, later_room;
    int no_memory;
} Table;

/* Fills the columns; 0 at a doubt, or where memory ends. */
static int fill(Table *table, const char *p, const char *end) {
    Ends ends = {p, end, 0};
    if (p < end) look(&ends, p);
    for (;;) {
        while (p < end && (is_blank(*p) || *p == '\n')) p++;
        if (p == end) return table->rows > 0;
        if (table->marks[(unsigned char)*p]) return 0;
        if (table->rows == table->room) return 0; /* never: every row has its bytes */
        for (int at = 0; at < table->fields; at++) {
            const char *field = p;
            p = end_of_field(&ends, p);
            if (p == field) return 0; /* too few fields */
            Column *column = table->columns[at];
            int64_t row = table->rows, number = 0;
            double value = 0;
            switch (column ? column->kind : 0) {
            case 's':
                if (put_text(column, row, field, (size_t)(p - field))) break;
                table->no_memory = 1;
                return 0;
            case 'g':
                switch (decimal(field, p, &value)) {
                case WRONG:
                    return 0;
                case HARD:
                    if (table->waiting == table->later_room) {
                        int64_t room = 2 * table->later_room + 64;
                        Later *more = realloc(table->later, (size_t)room * sizeof *more);
                        if (!more) {
                            table->no_memory = 1;
                            return 0;
                        }
                        table->later = more;
                        table->later_room = room;
                    }
                    table->later[table->waiting++] = (Later){row, column, field};
                    break;
                case EXACT:
                    break;
                }
                memcpy(column->values + 8 * row, &value, 8);
                break;
            case 'l':
            case 'i':
                if (!whole(field, p, &number)) return 0;
                if (column->kind == 'l') {
                    memcpy(column->values + 8 * row, &number, 8);
                } else {
                    int32_t small = (int32_t)number;
                    if (small != number) return 0;
                    memcpy(column->values + 4 * row, &small, 4);
                }
                break;
            }
            while (p < end && is_blank(*p)) p++;
        }
        if (p < end && *p != '\n') return 0; /* too many fields */
        table->rows++;
    }
}

/* ── Judged documents ───────────────────────────────────────────────────────────────────────────────────────── */

enum { MOST_PROBES = 64 }; /* reached by ids that were made to share slots */

/* An id. One of up to 12 bytes has zeros behind it up to the twelfth, as in a view. */
typedef struct {
    uint64_t key;
    const char *text;
    uint32_t size;
} Id;

typedef struct {
    char text[12];
} Head;

/* The judged documents of each topic, and behind them the topics: groups of ids, each with slots of its own. */
typedef struct {
    Id *ids;
    Head *heads; /* of the short ones */
    int64_t *first, *slots_of, groups; /* where the ids and the slots of each group begin, and where the last end */
    int32_t *slots;
    PyObject *texts; /* keeps the ids alive */
} Index;

static uint64_t mixed(uint64_t key, const char *p, size_t size) {
    uint64_t word = 0;
    memcpy(&word, p, size);
    key = (key ^ word) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
}

static uint64_t hashed(const char *text, size_t size) {
    if (size <= 12) return mixed(mixed(size, text, 8), text + 8, 4);
    uint64_t key = size;
    for (size_t at = 0; at + 8 < size; at += 8) key = mixed(key, text + at, 8);
    return mixed(key, text + size - 8, 8);
}

static Id id_of(const Column *column, int64_t row) {
    const char *view = (const char *)column->values + 16 * row;
    uint32_t place;
    Id id;
    memcpy(&id.size, view, 4);
    memcpy(&place, view + 12, 4);
    id.text = id.size <= 12 ? view + 4 : (const char *)column->text + place;
    id.key = hashed(id.text, id.size);
    return id;
}

static int same_id(const Id *one, const Id *other) {
    if (one->key != other->key || one->size != other->size) return 0;
    return one->size <= 12 ? !memcmp(one->text, other->text, 12) : !memcmp(one->text, other->text, one->size);
}

/* The slot of an id in a group, or the free one where it belongs; NULL where that takes too long. */
static int32_t *slot_of(const Index *index, int64_t group, const Id *id) {
    int32_t *slots = index->slots + index->slots_of[group];
    uint64_t last = (uint64_t)(index->slots_of[group + 1] - index->slots_of[group] - 1), at = id->key & last;
    for (int probe = 0; probe < MOST_PROBES; probe++, at = (at + 1) & last)
        if (slots[at] < 0 || same_id(&index->ids[slots[at]], id)) return &slots[at];
    return NULL;
}

/* A document of a ranking: its id, its score, and its number among the judged ones, or -1. */
typedef struct {
    Id id;
    double score;
    int32_t number;
} Ranked;

/* Score descending, id descending by bytes. */
static int in_order(const void *one, const void *other) {
    const Ranked *a = one, *b = other;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    uint32_t least = a->id.size < b->id.size ? a->id.size : b->id.size;
    int below = memcmp(a->id.text, b->id.text, least);
    return below ? -below : (a->id.size < b->id.size) - (a->id.size > b->id.size);
}

/* What is found of a run: how many documents of each topic, and topic, rank and number of each judged one. */
typedef struct {
    int64_t *retrieved, *found, *unjudged; /* `unjudged` has the first row of each topic without judgments */
    int64_t hits, strangers;
    Ranked *ranking;
    int32_t *seen;
} Found;

/* One topic's rows, ranked and looked up; 0 where a document may come twice. */
static int judge(const Table *table, const Index *index, Found *found, int64_t from, int64_t to, int64_t topic) {
    int64_t rows = to - from, room = 4;
    while (room < 3 * rows) room *= 2;
    memset(found->seen, 0, (size_t)room * sizeof *found->seen);
    int ordered = 1;
    for (int64_t row = 0; row < rows; row++) {
        Ranked *one = &found->ranking[row];
        one->id = id_of(table->columns[2], from + row);
        memcpy(&one->score, table->columns[4]->values + 8 * (from + row), 8);
        uint64_t at = (one->id.key >> 20) & (uint64_t)(room - 1);
        for (int probe = 0; found->seen[at]; at = (at + 1) & (uint64_t)(room - 1))
            if (found->ranking[found->seen[at] - 1].id.key == one->id.key || ++probe == MOST_PROBES) return 0;
        found->seen[at] = (int32_t)row + 1;
        int32_t *slot = topic < 0 ? NULL : slot_of(index, topic, &one->id);
        if (!slot && topic >= 0) return 0;
        one->number = slot ? *slot : -1;
        ordered = ordered && (!row || in_order(one - 1, one) < 0);
    }
    if (!ordered) qsort(found->ranking, (size_t)rows, sizeof *found->ranking, in_order);
    for (int64_t row = 0; row < rows; row++) {
        if (found->ranking[row].number < 0) continue;
        int64_t hit[] = {topic, row + 1, found->ranking[row].number};
        memcpy(found->found + 3 * found->hits++, hit, sizeof hit);
    }
    return 1;
}

/* All topics of a run whose lines have one tag and whose topics stand together; 0 at a doubt, or where memory ends. */
static int judge_all(Table *table, const Index *index, Found *found) {
    const unsigned char *topics = table->columns[0]->values, *tags = table->columns[5]->values;
    int64_t last = index->groups - 1, most = 0, from = 0;
    for (int64_t row = 1; row <= table->rows; row++) {
        if (row < table->rows && memcmp(tags + 16 * row, tags, 16)) return 0;
        if (row < table->rows && !memcmp(topics + 16 * row, topics + 16 * (row - 1), 16)) continue;
        if (row - from > most) most = row - from;
        from = row;
    }
    found->retrieved = calloc((size_t)last + 1, sizeof(int64_t));
    found->found = malloc((size_t)table->rows * 3 * sizeof(int64_t));
    found->unjudged = malloc((size_t)table->rows * sizeof(int64_t));
    found->ranking = malloc((size_t)most * sizeof *found->ranking);
    found->seen = malloc(((size_t)most * 6 + 4) * sizeof *found->seen);
    table->no_memory = !found->retrieved || !found->found || !found->unjudged || !found->ranking || !found->seen;
    if (table->no_memory) return 0;
    for (int64_t start = 0, row = 1; row <= table->rows; row++) {
        if (row < table->rows && !memcmp(topics + 16 * row, topics + 16 * (row - 1), 16)) continue;
        Id label = id_of(table->columns[0], start);
        int32_t *slot = slot_of(index, last, &label);
        if (!slot) return 0;
        int64_t topic = *slot < 0 ? -1 : *slot - index->first[last];
        if (topic < 0)
            found->unjudged[found->strangers++] = start;
        else if (found->retrieved[topic])
            return 0; /* it was there before */
        else
            found->retrieved[topic] = row - start;
        if (!judge(table, index, found, start, row, topic)) return 0;
        start = row;
    }
    return 1;
}

static void free_index(Index *index) {
    if (index) {
        free(index->ids), free(index->heads), free(index->first), free(index->slots_of), free(index->slots);
        Py_XDECREF(index->texts);
        free(index);
    }
}

static void drop_index(PyObject *capsule) { free_index(PyCapsule_GetPointer(capsule, "index")); }

/* Room for so many groups and ids; 0 where memory ends. */
static int open_index(Index *index, PyObject *groups) {
    int64_t count = index->groups = PyTuple_Size(groups);
    index->first = calloc((size_t)count + 1, sizeof *index->first);
    index->slots_of = calloc((size_t)count + 1, sizeof *index->slots_of);
    if (!index->first || !index->slots_of) return 0;
    for (int64_t group = 0; group < count; group++) {
        int64_t ids = PyTuple_Size(PyTuple_GetItem(groups, group)), room = 4;
        while (room < 4 * ids) room *= 2;
        index->first[group + 1] = index->first[group] + ids;
        index->slots_of[group + 1] = index->slots_of[group] + room;
    }
    size_t ids = (size_t)index->first[count] + 1, slots = (size_t)index->slots_of[count] * sizeof *index->slots;
    index->ids = malloc(ids * sizeof *index->ids);
    index->heads = calloc(ids, sizeof *index->heads);
    index->slots = malloc(slots);
    if (!index->ids || !index->heads || !index->slots) return 0;
    memset(index->slots, 0xFF, slots);
    return 1;
}

/* A tuple of tuples of ids as an index; None where ids share too many slots. */
static PyObject *make_index(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *groups;
    if (!PyArg_ParseTuple(arguments, "O!", &PyTuple_Type, &groups)) return NULL;
    if (!PyTuple_Size(groups)) return Py_NewRef(Py_None);
    for (Py_ssize_t group = 0; group < PyTuple_Size(groups); group++)
        if (PyTuple_Size(PyTuple_GetItem(groups, group)) < 0) return NULL; /* no tuple */
    Index *index = calloc(1, sizeof *index);
    if (!index) return PyErr_NoMemory();
    index->texts = Py_NewRef(groups);
    int shared = 0, sound = open_index(index, groups);
    if (!sound) PyErr_NoMemory();
    for (int64_t group = 0; sound && group < index->groups; group++)
        for (int64_t at = index->first[group]; sound && !shared && at < index->first[group + 1]; at++) {
            Id *id = &index->ids[at];
            Py_ssize_t size;
            id->text = PyUnicode_AsUTF8AndSize(
                PyTuple_GetItem(PyTuple_GetItem(groups, group), at - index->first[group]), &size);
            sound = id->text != NULL;
            if (!sound) break;
            id->size = (uint32_t)size;
            if (size <= 12) id->text = memcpy(index->heads[at].text, id->text, (size_t)size);
            id->key = hashed(id->text, (size_t)size);
            int32_t *slot = slot_of(index, group, id);
            if (slot) *slot = (int32_t)at;
            shared = !slot;
        }
    if (sound && !shared) return PyCapsule_New(index, "index", drop_index);
    free_index(index);
    return sound ? Py_NewRef(Py_None) : NULL;
}

/* ── To Python ──────────────────────────────────────────────────────────────────────────────────────────────── */

static int make_room(Table *table, const char *data, Py_ssize_t size) {
    int64_t ends = 1;
    for (Py_ssize_t at = 0; at < size;) {
        unsigned char some = 0; /* narrow, so that the compiler counts 16 bytes at once */
        for (Py_ssize_t stop = size - at < 255 ? size : at + 255; at < stop; at++) some = (unsigned char)(some + (data[at] == '\n'));
        ends += some;
    }
    int64_t most = size / (2 * table->fields) + 1; /* a field has a byte, and one behind it */
    table->room = ends < most ? ends : most;
    for (int at = 0; at < table->fields; at++) {
        if (table->kinds[at] == '-') continue;
        Column *column = table->columns[at] = calloc(1, sizeof *column);
        if (!column) return 0;
        column->kind = table->kinds[at];
        column->last_size = SIZE_MAX;
        column->values = malloc((size_t)table->room * width(column->kind));
        if (!column->values) return 0;
    }
    return 1;
}

/* The numbers that waited for the interpreter; 0 where one is not finite. */
static int finish(Table *table) {
    for (int64_t at = 0; at < table->waiting; at++) {
        Later *one = &table->later[at];
        char *stop;
        double value = PyOS_string_to_double(one->field, &stop, NULL); /* it ends at what follows the field */
        if (PyErr_Occurred() || !isfinite(value)) return 0;
        memcpy(one->column->values + 8 * one->row, &value, 8);
    }
    return 1;
}

static PyObject *exported(Table *table) {
    int n = 0;
    for (int at = 0; at < table->fields; at++) n += table->columns[at] != NULL;
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
    for (int at = 0, child = 0; at < table->fields; at++) {
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

/* Reads the lines, and looks their documents up where an index is given; 0 at a doubt, or with an error set. */
static int filled(Table *table, PyObject *bytes, const char *marks, const Index *index, Found *found) {
    char *data;
    Py_ssize_t size;
    int done = 0;
    for (; *marks; marks++) table->marks[(unsigned char)*marks] = 1;
    table->fields = (int)strlen(table->kinds);
    if (PyBytes_AsStringAndSize(bytes, &data, &size)) return 0;
    if (size > INT32_MAX || !is_utf8(data, size)) return 0; /* a view has 32 bits for a place */
    Py_BEGIN_ALLOW_THREADS
    table->no_memory = !make_room(table, data, size);
    if (!table->no_memory) done = fill(table, data, data + size);
    if (done && table->waiting) {
        Py_BLOCK_THREADS
        done = finish(table);
        Py_UNBLOCK_THREADS
    }
    if (done && index) done = judge_all(table, index, found);
    Py_END_ALLOW_THREADS
    if (table->no_memory) PyErr_NoMemory();
    return done;
}

static void free_table(Table *table) {
    for (int at = 0; at < table->fields; at++) free_column(table->columns[at]);
    free(table->later);
}

static PyObject *columns(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *bytes;
    const char *marks;
    Table table = {0};
    if (!PyArg_ParseTuple(arguments, "Sss", &bytes, &table.kinds, &marks)) return NULL;
    size_t fields = strlen(table.kinds);
    if (!fields || fields > MOST || strspn(table.kinds, "slig-") != fields) {
        PyErr_SetString(PyExc_ValueError, "kinds must be one to eight of s, l, i, g and -");
        return NULL;
    }
    PyObject *result = NULL;
    if (filled(&table, bytes, marks, NULL, NULL))
        result = exported(&table);
    else if (!PyErr_Occurred())
        result = Py_NewRef(Py_None);
    free_table(&table);
    return result;
}

static PyObject *text_in(const Column *column, int64_t row) {
    Id id = id_of(column, row);
    return PyUnicode_FromStringAndSize(id.text, id.size);
}

static PyObject *judged(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *bytes, *capsule, *result = NULL;
    Table table = {.kinds = "s-slgs"};
    Found found = {0};
    if (!PyArg_ParseTuple(arguments, "OS", &capsule, &bytes)) return NULL;
    const Index *index = PyCapsule_GetPointer(capsule, "index");
    if (!index) return NULL;
    if (filled(&table, bytes, "#<", index, &found)) {
        PyObject *strangers = PyDict_New();
        for (int64_t at = 0; strangers && at < found.strangers; at++) {
            PyObject *label = text_in(table.columns[0], found.unjudged[at]);
            if (!label || PyDict_SetItem(strangers, label, Py_None)) Py_CLEAR(strangers);
            Py_XDECREF(label);
        }
        if (strangers && PyDict_Size(strangers) < found.strangers)
            result = Py_NewRef(Py_None); /* one of them comes back */
        else if (strangers)
            result = Py_BuildValue("NOy#y#", text_in(table.columns[5], 0), strangers, found.retrieved,
                                   (Py_ssize_t)(8 * (index->groups - 1)), found.found, (Py_ssize_t)(24 * found.hits));
        Py_XDECREF(strangers);
    } else if (!PyErr_Occurred()) {
        result = Py_NewRef(Py_None);
    }
    free(found.retrieved), free(found.found), free(found.unjudged), free(found.ranking), free(found.seen);
    free_table(&table);
    return result;
}

static PyMethodDef METHODS[] = {
    {"columns", columns, METH_VARARGS, "A record batch from lines of fields, or None at a doubt."},
    {"index", make_index, METH_VARARGS, "Ids in groups, to look documents up among."},
    {"judged", judged, METH_VARARGS, "The judged documents of a run's lines with their ranks, or None at a doubt."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_columns", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__columns(void) {
#ifdef WIDE
    make_tens();
#endif
    return PyModule_Create(&MODULE);
}
