/* The instructions of a function carried out one after the other, each at WIDTH places side by side.

   A tape has `count` rows (code, to, first, second). Numbers of one name lie lane beside lane, in `w`, in
   what goes in and in what comes out. TAPE_CASES, what each code does, stands before it: TAPE_PUT of an
   expression in a[l] and b[l]. A result may go to the place of an argument. The text stands once for each
   WIDTH, as a function TAPE_RUN. */
#ifndef TAPE_PUT
#define EACH(width) for (int l = 0; l < (width); l++)
#define TAPE_PUT(value) \
    { \
        double r[WIDTH]; \
        EACH(WIDTH) r[l] = (value); \
        EACH(WIDTH) to[l] = r[l]; \
    } \
    break;

typedef struct {
    const int *rows;
    const double *constants;
    long long count;
    double *w;
} Tape;
#endif

ROUTH_APART void TAPE_RUN(const Tape *tape, const double *given, double *found)
{
    double *w = tape->w;
    const int *row = tape->rows;
    for (long long k = 0; k < tape->count; k++, row += 4) {
        double *to = w + row[1] * WIDTH;
        const double *a = w + row[2] * WIDTH, *b = w + row[3] * WIDTH;
        switch (row[0]) {
        case TAPE_INPUT:
            a = given + row[2] * WIDTH;
            TAPE_PUT(a[l])
        case TAPE_CONSTANT: {
            const double value = tape->constants[row[2]];
            TAPE_PUT(value)
        }
        case TAPE_OUTPUT:
            to = found + row[1] * WIDTH;
            TAPE_PUT(a[l])
        TAPE_CASES
        default:
            TAPE_PUT(NAN)
        }
    }
}
