/* One step of exponential collocation: the forces at its nodes, found by going round.

   N (coordinates) and SIZE (numbers of a state: q, q', sums) stand before it. There are LANES nodes, and
   numbers at them lie side by side; x' is a tape of t, x and what is given beside.
   `numerics/exponential` says what the method is and makes the weights; the rules by which rounds end
   are those of its `collocation`.

   Oscillators are as many as coordinates; SUMS numbers are summed up beside. */
#define EACH_LANE EACH(LANES)
#define SUMS (SIZE - 2 * N)
#define FORCES (N + SUMS)

enum { SETTLED, UNSETTLED };

typedef struct {
    const double *shapes, *inverse, *w, *d;                       /* n*n, n*n, n, n */
    const double *free_nodes, *free_end, *nodes, *end, *tails;   /* see `step_numbers` */
    const double *sums;                                           /* 2, n */
} Linear;

/* The forces at one place with the rates f, the same at all lanes. */
ROUTH void start_forces(
    const Linear *own, const double *y, const double *f, double *forces)
{
    for (int m = 0; m < N; m++) {
        double a = 0.0;
        for (int i = 0; i < N; i++) a += own->inverse[m * N + i] * f[N + i];
        EACH_LANE forces[m * LANES + l] = a + y[N + m] * 2 * own->d[m] + y[m] * own->w[m];
    }
    for (int i = 0; i < SUMS; i++) EACH_LANE forces[(N + i) * LANES + l] = f[2 * N + i];
}

/* The forces at all lanes, where states are x; f are lanes of rates. */
ROUTH void lane_forces(const Linear *own, const double *x, const double *f, double *forces)
{
    for (int m = 0; m < N; m++) {
        double a[LANES], v[LANES], q[LANES];
        EACH_LANE a[l] = v[l] = q[l] = 0.0;
        for (int i = 0; i < N; i++) {
            const double part = own->inverse[m * N + i];
            EACH_LANE a[l] += part * f[(N + i) * LANES + l];
            EACH_LANE v[l] += part * x[(N + i) * LANES + l];
            EACH_LANE q[l] += part * x[i * LANES + l];
        }
        EACH_LANE forces[m * LANES + l] = a[l] + v[l] * 2 * own->d[m] + q[l] * own->w[m];
    }
    for (int i = 0; i < SUMS; i++)
        EACH_LANE forces[(N + i) * LANES + l] = f[(2 * N + i) * LANES + l];
}

/* The states at all nodes that forces lead to, from x on, whose oscillators are y (2 n). */
ROUTH void lane_states(
    const Linear *own, const double *x, const double *y, const double *forces, double *states)
{
    double moved[2 * N][LANES];
    for (int am = 0; am < 2 * N; am++) {
        const double *free = own->free_nodes + 2 * am * LANES, *nodes = own->nodes + am * LANES * LANES;
        const int m = am % N;
        EACH_LANE moved[am][l] = free[l] * y[m] + free[LANES + l] * y[N + m];
        for (int j = 0; j < LANES; j++) {
            const double force = forces[m * LANES + j];
            EACH_LANE moved[am][l] += nodes[j * LANES + l] * force;
        }
    }
    for (int i = 0; i < 2 * N; i++) {
        double sum[LANES];
        EACH_LANE sum[l] = 0.0;
        for (int m = 0; m < N; m++) {
            const double shape = own->shapes[i % N * N + m];
            EACH_LANE sum[l] += shape * moved[(i / N) * N + m][l];
        }
        EACH_LANE states[i * LANES + l] = x[i] + sum[l];
    }
    for (int i = 0; i < SUMS; i++) {
        const double *nodes = own->nodes + 2 * N * LANES * LANES;
        double sum[LANES];
        EACH_LANE sum[l] = 0.0;
        for (int j = 0; j < LANES; j++)
            EACH_LANE sum[l] += nodes[j * LANES + l] * forces[(N + i) * LANES + j];
        EACH_LANE states[(2 * N + i) * LANES + l] = x[2 * N + i] + sum[l];
    }
}

/* The same at the end of the step. */
ROUTH void end_state(
    const Linear *own, const double *x, const double *y, const double *forces, double *end)
{
    double moved[2 * N];
    for (int am = 0; am < 2 * N; am++) {
        const int m = am % N;
        double sum = own->free_end[2 * am] * y[m] + own->free_end[2 * am + 1] * y[N + m];
        for (int j = 0; j < LANES; j++) sum += own->end[am * LANES + j] * forces[m * LANES + j];
        moved[am] = sum;
    }
    for (int i = 0; i < 2 * N; i++) {
        double sum = 0.0;
        for (int m = 0; m < N; m++) sum += own->shapes[i % N * N + m] * moved[(i / N) * N + m];
        end[i] = x[i] + sum;
    }
    for (int i = 0; i < SUMS; i++) {
        double sum = 0.0;
        for (int j = 0; j < LANES; j++)
            sum += own->end[2 * N * LANES + j] * forces[(N + i) * LANES + j];
        end[2 * N + i] = x[2 * N + i] + sum;
    }
}

/* The largest root mean square of a difference at the nodes and at the end; NaN where one is. */
ROUTH double lane_size(const double *lanes, const double *end, const double *scale)
{
    double squares[LANES], last = 0.0, most = 0.0;
    EACH_LANE squares[l] = 0.0;
    for (int i = 0; i < SIZE; i++) {
        EACH_LANE squares[l] += lanes[i * LANES + l] / scale[i] * (lanes[i * LANES + l] / scale[i]);
        last += end[i] / scale[i] * (end[i] / scale[i]);
    }
    EACH_LANE {
        if (!isfinite(squares[l])) return NAN;
        most = fmax(most, squares[l]);
    }
    return isfinite(last) ? sqrt(fmax(most, last) / SIZE) : NAN;
}

/* What the last two Legendre coefficients of the forces do, in units of what is allowed. */
ROUTH double left_out(const Linear *own, const double *tail, const double *forces, const double *scale)
{
    double c[FORCES][2], y[2 * N][LANES + 1], moved[SIZE * LANES], end[SIZE];
    for (int m = 0; m < FORCES; m++)
        for (int b = 0; b < 2; b++) {
            c[m][b] = 0.0;
            for (int j = 0; j < LANES; j++) c[m][b] += tail[b * LANES + j] * forces[m * LANES + j];
        }
    for (int am = 0; am < 2 * N; am++)
        for (int s = 0; s <= LANES; s++) {
            const double *own_tails = own->tails + (am * (LANES + 1) + s) * 2;
            y[am][s] = own_tails[0] * c[am % N][0] + own_tails[1] * c[am % N][1];
        }
    for (int s = 0; s <= LANES; s++)
        for (int i = 0; i < SIZE; i++) {
            double sum = 0.0;
            if (i < 2 * N) {
                for (int m = 0; m < N; m++) sum += own->shapes[i % N * N + m] * y[(i / N) * N + m][s];
            } else {
                const double *own_tails = own->tails + (2 * N * (LANES + 1) + s) * 2;
                sum = own_tails[0] * c[i - N][0] + own_tails[1] * c[i - N][1];
            }
            if (s < LANES) moved[i * LANES + s] = sum;
            else end[i] = sum;
        }
    return lane_size(moved, end, scale);
}

/* What is allowed beside rtol: atol, and what rounding of the forces leaves. */
ROUTH void floor_of(
    const Linear *own, const double *y, const double *forces, const double *atol, double *floor)
{
    double moved[2][N];
    for (int m = 0; m < N; m++) {
        const double felt = fabs(forces[m * LANES]) + fabs(own->w[m]) * fabs(y[m])
            + 2 * fabs(own->d[m]) * fabs(y[N + m]);
        for (int a = 0; a < 2; a++) moved[a][m] = 4 * 0x1p-52 * own->sums[a * N + m] * felt;
    }
    for (int i = 0; i < SIZE; i++) {
        double sum = 0.0;
        for (int m = 0; m < N && i < 2 * N; m++) sum += moved[i / N][m] * fabs(own->shapes[i % N * N + m]);
        floor[i] = atol[i] + sum;
    }
}

/* A step from x: the forces at the nodes, the state at the end, its error and the gain of rounds.
   `places` are the nodes in shares of the step. `given` has room for t and x in front of what else the
   tape takes, at the start, and `later` the same at the nodes. */
ROUTH int step_rounds(
    const Linear *own, const Tape *rate, double t, double h, double rtol, const double *x,
    double *given, double *later, const double *atol, const double *places, const double *tail,
    double settled, int rounds, double *forces, double *end, double *told)
{
    double *now = later + LANES, next[SIZE * LANES], f[SIZE * LANES];
    double y[2 * N], floor[SIZE], scale[SIZE], before[SIZE];
    for (int m = 0; m < N; m++) {
        y[m] = y[N + m] = 0.0;
        for (int i = 0; i < N; i++) {
            y[m] += own->inverse[m * N + i] * x[i];
            y[N + m] += own->inverse[m * N + i] * x[N + i];
        }
    }
    given[0] = t;
    for (int i = 0; i < SIZE; i++) given[1 + i] = x[i];
    EACH_LANE later[l] = t + h * places[l];
    tape_one(rate, given, f);
    start_forces(own, y, f, forces);
    floor_of(own, y, forces, atol, floor);
    lane_states(own, x, y, forces, now);
    end_state(own, x, y, forces, before);
    double off = INFINITY, gain = 1.0;
    for (int round = 0; round < rounds; round++) {
        tape_lanes(rate, later, f);
        told[2] += LANES;
        lane_forces(own, now, f, forces);
        lane_states(own, x, y, forces, next);
        end_state(own, x, y, forces, end);
        for (int i = 0; i < SIZE; i++) {
            double largest = fmax(fabs(x[i]), fabs(end[i]));
            EACH_LANE largest = fmax(largest, fabs(next[i * LANES + l]));
            scale[i] = floor[i] + rtol * largest;
            EACH_LANE now[i * LANES + l] = next[i * LANES + l] - now[i * LANES + l];
            before[i] = end[i] - before[i];
        }
        const double former = off;
        off = lane_size(now, before, scale);
        gain = isfinite(former) ? off / former : 1.0;
        if (!isfinite(off) || (gain > 0.5 && off > 1 && isfinite(former))) return UNSETTLED;
        for (int i = 0; i < SIZE; i++) {
            EACH_LANE now[i * LANES + l] = next[i * LANES + l];
            before[i] = end[i];
        }
        if (off * fmin(gain, 1.0) <= settled) {
            const double error = left_out(own, tail, forces, scale);
            if (!isfinite(error)) return UNSETTLED;
            told[0] = fmax(error, off * gain);
            told[1] = gain;
            return SETTLED;
        }
    }
    return UNSETTLED;
}
