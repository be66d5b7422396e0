/* Motions under constraints: accelerations and multipliers by one saddle point, and states moved onto the
   constraints after each step of the explicit method, as at the outputs.

   N (coordinates), C (constraints), H (those on positions), SIZE and WORKS stand before it, and functions
   of one system behind. Matrices are scaled and lie row by row; scales k are those of the coordinates (N)
   and of the constraints (C). What is nearly singular has no value, and the run is given up. */
#define D (N + C)
#define SINGULAR 1e-7 /* least share of the largest pivot: below it digits would be lost that count */
#define MOVES 12      /* steps of a projection; near a singular position they converge slowly */
#define NEAR 1e-7     /* a projection that moves less than this share is exact after it */
#define STILL 1e-13   /* one that moves less than this share of the scales has nothing to do */
#define VIOLATED 1e-6 /* share of the position by which constraints may be off after it */
#define NOTHING 1e-100

/* The matrix and right side of motion, of moves of q by phi, and of changes of v by the rates of phi. */
ROUTH_APART void saddle(
    const double *t, const double *x, const double *p, const double *u, const double *k, double *A,
    double *b);
ROUTH_APART void velocities(
    const double *t, const double *x, const double *p, const double *u, const double *k, double *A,
    double *b);
#if H
ROUTH_APART void places(
    const double *t, const double *x, const double *p, const double *u, const double *k, double *A,
    double *b);
#endif
#if WORKS
ROUTH_APART void power(
    const double *t, const double *x, const double *p, const double *u, const double *k,
    const double *a, const double *multipliers, double *w);
#endif

/* b becomes the solution of A y = b; A is lost. Whether A is far enough from singular. */
ROUTH_APART int saddle_solve(int n, double *A, double *b)
{
    int order[D];
    double least = INFINITY, most = 0.0;
    if (!lu_factors(n, A, order)) return 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(A[i * n + i]));
        most = fmax(most, fabs(A[i * n + i]));
    }
    lu_solve(n, A, order, 1, b);
    return least > SINGULAR * most;
}

/* x', NaN where it has no value. */
ROUTH void saddle_rate(
    double t, const double *x, const double *p, const double *u, const double *k, double *f)
{
    double A[D * D], b[D];
    saddle(&t, x, p, u, k, A, b);
    const int regular = saddle_solve(D, A, b);
    for (int i = 0; i < D; i++) b[i] = regular ? b[i] * k[i] : NAN;
    for (int i = 0; i < N; i++) {
        f[i] = x[N + i];
        f[N + i] = b[i];
    }
#if WORKS
    power(&t, x, p, u, k, b, b + N, f + 2 * N);
#endif
}

/* x becomes the nearest state that satisfies the constraints; whether there is one. */
ROUTH_APART int saddle_project(
    double t, double *x, const double *p, const double *u, const double *k)
{
    double A[D * D], b[D];
    for (int move = 0; move < MOVES; move++) {
        double moved = 0.0, size = 0.0, off = 0.0, sum = 0.0;
#if H
        places(&t, x, p, u, k, A, b);
        if (!saddle_solve(N + H, A, b)) return 0;
        for (int i = 0; i < N; i++) {
            moved = fmax(moved, fabs(b[i]));
            x[i] += k[i] * b[i];
        }
#endif
        velocities(&t, x, p, u, k, A, b);
        if (!saddle_solve(D, A, b)) return 0;
        for (int i = 0; i < N; i++) x[N + i] += k[i] * b[i];
        for (int i = 0; i < SIZE; i++) {
            if (fabs(x[i]) < NOTHING) x[i] = 0.0;
            sum += x[i] - x[i];
        }
        if (sum != 0.0) return 0;
        for (int i = 0; i < N; i++) size = fmax(size, fabs(x[i] / k[i]));
        if (moved > fmax(NEAR * size, STILL)) continue;
#if H
        places(&t, x, p, u, k, A, b);
        for (int i = N; i < N + H; i++) off = fmax(off, fabs(b[i]));
#endif
        return off <= fmax(VIOLATED * size, STILL);
    }
    return 0;
}

/* So many steps of the run in the one lane, as `ensemble_runs` without constraints. */
ROUTH void held_run(
    Lot *e, long long count, const double *times, long long outputs, long long most, double *states)
{
    Dop853 *r = &e->r;
    const double *p = e->p, *u = e->u, *k = p + SCALES;
    long long *counts = e->counts[0];
    const long long id = e->id[0];
    const int yes = 1, fresh = counts[STEPS] == 0;
    dop853_begin(r, &yes, &fresh, p, u);
    ensemble_look(e, &fresh);
    for (long long step = 0; step < most && counts[STATE] == GOING; step++) {
        counts[STATE] = STUCK;
        if (!dop853_step(r, p, u)) break;
        counts[STEPS] += 1;
        if (counts[PLACE] < outputs && times[counts[PLACE]] < r->t) dop853_look(r, p, u);
        if (!saddle_project(r->t, r->x, p, u, k)) break;
        dop853_rate(r->t, r->x, p, u, r->f);
        r->evaluations[0] += 1;
        ensemble_look(e, &yes);
        int held = 1;
        while (held && counts[PLACE] < outputs && times[counts[PLACE]] <= r->t) {
            const double t = times[counts[PLACE]];
            double x[SIZE];
            if (t < r->t) {
                dop853_inside(r, 0, t, x);
                held = saddle_project(t, x, p, u, k);
            } else EACH x[i] = r->x[i];
            EACH states[AT(counts[PLACE] * SIZE + i, outputs * SIZE)] = x[i];
            counts[PLACE] += 1;
        }
        if (!held) break;
        counts[STATE] = counts[PLACE] == outputs ? ARRIVED : GOING;
    }
}
