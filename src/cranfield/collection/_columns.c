/* Lines of fields as columns: what `collection.lines` asks of a columnar parser, in one loop over the bytes.
 *
 * columns(data, kinds, marks) gives a record batch of the Arrow C data interface (two capsules), or None at the first
 * doubt; what is accepted is defined by the careful parser in lines.py. The loop runs without the interpreter's lock.
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

/* ── To Python ──────────────────────────────────────────────────────────────────────────────────────────────── */

static int make_room(Table *table, const char *data, Py_ssize_t size) {
    int64_t ends = 1;
    for (Py_ssize_t at = 0; at < size;) {
        unsigned char some = 0; /* narrow, so that the compiler counts 16 bytes at once */
        for (Py_ssize_t stop = size - at < 255 ? size : at + 255; at < stop; at++) some += data[at] == '\n';
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

static PyObject *columns(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *bytes;
    const char *marks;
    char *data;
    Py_ssize_t size;
    Table table = {0};
    if (!PyArg_ParseTuple(arguments, "Sss", &bytes, &table.kinds, &marks)) return NULL;
    for (; *marks; marks++) table.marks[(unsigned char)*marks] = 1;
    size_t fields = strlen(table.kinds);
    if (!fields || fields > MOST || strspn(table.kinds, "slig-") != fields) {
        PyErr_SetString(PyExc_ValueError, "kinds must be one to eight of s, l, i, g and -");
        return NULL;
    }
    table.fields = (int)fields;
    if (PyBytes_AsStringAndSize(bytes, &data, &size)) return NULL;
    if (size > INT32_MAX || !is_utf8(data, size)) Py_RETURN_NONE; /* a view has 32 bits for a place */
    int done = 0;
    Py_BEGIN_ALLOW_THREADS
    table.no_memory = !make_room(&table, data, size);
    if (!table.no_memory) done = fill(&table, data, data + size);
    Py_END_ALLOW_THREADS
    done = done && finish(&table);
    PyObject *result = NULL;
    if (done)
        result = exported(&table);
    else if (table.no_memory)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        result = Py_NewRef(Py_None);
    for (int at = 0; at < table.fields; at++) free_column(table.columns[at]);
    free(table.later);
    return result;
}

static PyMethodDef METHODS[] = {
    {"columns", columns, METH_VARARGS, "A record batch from lines of fields, or None at a doubt."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_columns", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__columns(void) {
#ifdef WIDE
    make_tens();
#endif
    return PyModule_Create(&MODULE);
}
