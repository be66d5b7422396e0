/* The implicit Runge-Kutta method Radau IIA of order 5: Hairer and Wanner, Solving Ordinary Differential
   Equations II, IV.5 and IV.8.

   SIZE stands before it, and x' and its slopes behind. All three stages are solved for at once by Newton's
   method with the slopes at the begin of the step; the error is that of an embedded method of order 3, made
   smooth by the slopes. Between steps the motion is the polynomial through the stages. */
ROUTH_APART void motion_slope(
    const double *t, const double *x, const double *p, const double *u, double *J);

#define STAGES 3
#define WIDE (STAGES * SIZE)
#define ROUNDS 6          /* of Newton's method */
#define REAL 3.637834252744496 /* the real eigenvalue of A^-1 */

ROUTH_CONSTANT double radau_c[STAGES] = {0.1550510257216822, 0.6449489742783178, 1.0};
ROUTH_CONSTANT double radau_A[STAGES][STAGES] = {
    {0.1968154772236604, -0.06553542585019839, 0.02377097434822015},
    {0.3944243147390873, 0.2920734116652285, -0.04154875212599793},
    {0.37640306270046725, 0.5124858261884216, 0.1111111111111111}};
ROUTH_CONSTANT double radau_e[STAGES] = {-10.048809399827416, 1.382142733160749, -0.3333333333333333};

typedef struct {
    double Z[STAGES][SIZE]; /* the stages less x, of the last step */
    double J[SIZE * SIZE];
    double last_h, last_error;
    int known;              /* whether there was a step before */
} Radau;

/* What the polynomial of the last step has at a share of it, less its begin. */
ROUTH void radau_inside(const Radau *own, double share, double *z)
{
    const double s = share, *c = radau_c;
    const double l0 = s * (s - c[1]) * (s - 1) / (c[0] * (c[0] - c[1]) * (c[0] - 1));
    const double l1 = s * (s - c[0]) * (s - 1) / (c[1] * (c[1] - c[0]) * (c[1] - 1));
    const double l2 = s * (s - c[0]) * (s - c[1]) / ((1 - c[0]) * (1 - c[1]));
    EACH z[i] = l0 * own->Z[0][i] + l1 * own->Z[1][i] + l2 * own->Z[2][i];
}

/* Newton's method for the stages of a step; how many rounds it took, or 0. */
ROUTH_APART int radau_stages(
    Dop853 *r, const Radau *own, double h, double Z[STAGES][SIZE], const double *p, const double *u)
{
    double M[WIDE * WIDE], change[WIDE], F[STAGES][SIZE], at[SIZE];
    int order[WIDE];
    for (int a = 0; a < WIDE; a++)
        for (int b = 0; b < WIDE; b++)
            M[a * WIDE + b] = (a == b) - h * radau_A[a / SIZE][b / SIZE]
                * own->J[(a % SIZE) * SIZE + b % SIZE];
    if (!lu_factors(WIDE, M, order)) return 0;
    const double tolerance = fmax(10 * 0x1p-52 / r->rtol, fmin(0.03, sqrt(r->rtol)));
    double before = 0.0;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int s = 0; s < STAGES; s++) {
            EACH at[i] = r->x[i] + Z[s][i];
            dop853_rate(r->t + radau_c[s] * h, at, p, u, F[s]);
        }
        r->evaluations[0] += STAGES;
        for (int s = 0; s < STAGES; s++)
            EACH change[s * SIZE + i] = h * (radau_A[s][0] * F[0][i] + radau_A[s][1] * F[1][i]
                + radau_A[s][2] * F[2][i]) - Z[s][i];
        lu_solve(WIDE, M, order, 1, change);
        double sum = 0.0;
        for (int s = 0; s < STAGES; s++)
            EACH {
                const double part = change[s * SIZE + i] / (r->atol + fabs(r->x[i]) * r->rtol);
                sum += part * part;
                Z[s][i] += change[s * SIZE + i];
            }
        const double size = sqrt(sum / WIDE), rate = before > 0 ? size / before : 0.0;
        if (!isfinite(size) || rate >= 1) return 0;
        if (before > 0 && pow(rate, ROUNDS - round) / (1 - rate) * size > tolerance) return 0;
        if (size == 0.0 || (before > 0 && rate / (1 - rate) * size < tolerance)) return round;
        before = size;
    }
    return 0;
}

/* The error of a step with these stages, in units of what is allowed. */
ROUTH_APART double radau_error(
    Dop853 *r, const Radau *own, double h, double Z[STAGES][SIZE], int doubtful, const double *p,
    const double *u)
{
    double M[SIZE * SIZE], error[SIZE], tail[SIZE], at[SIZE], size = 0.0;
    int order[SIZE];
    for (int k = 0; k < SIZE * SIZE; k++) M[k] = -own->J[k];
    EACH M[i * SIZE + i] += REAL / h;
    if (!lu_factors(SIZE, M, order)) return INFINITY;
    EACH {
        tail[i] = (radau_e[0] * Z[0][i] + radau_e[1] * Z[1][i] + radau_e[2] * Z[2][i]) / h;
        error[i] = r->f[i] + tail[i];
    }
    for (int again = 0; again < 2; again++) {
        lu_solve(SIZE, M, order, 1, error);
        double sum = 0.0;
        EACH {
            const double next = r->x[i] + Z[2][i];
            const double part = error[i] / (r->atol + fmax(fabs(r->x[i]), fabs(next)) * r->rtol);
            sum += part * part;
        }
        size = sqrt(sum / SIZE);
        if (again || !doubtful || !(size > 1)) break;
        EACH at[i] = r->x[i] + error[i];
        dop853_rate(r->t, at, p, u, error);
        r->evaluations[0] += 1;
        EACH error[i] += tail[i];
    }
    return size;
}

/* One step; 0 where none is small enough, or the state is not finite. */
ROUTH_APART int radau_step(Dop853 *r, Radau *own, const double *p, const double *u)
{
    const double least = 10.0 * (nextafter(r->t, (double)INFINITY) - r->t);
    double Z[STAGES][SIZE], h = fmax(fmin(r->h, r->longest), least), error, factor, t;
    int refused = 0;
    motion_slope(&r->t, r->x, p, u, own->J);
    for (;;) {
        if (!(h >= least)) return 0;
        t = fmin(r->t + h, r->last);
        h = t - r->t;
        for (int s = 0; s < STAGES; s++) {
            EACH Z[s][i] = 0.0;
            if (own->known) {
                radau_inside(own, 1 + radau_c[s] * h / own->last_h, Z[s]);
                EACH Z[s][i] -= own->Z[2][i];
            }
        }
        const int rounds = radau_stages(r, own, h, Z, p, u);
        if (!rounds) {
            h *= 0.5;
            refused = 1;
            continue;
        }
        error = radau_error(r, own, h, Z, refused || !own->known, p, u);
        const double safety = 0.9 * (2 * ROUNDS + 1) / (2 * ROUNDS + rounds);
        const double past = own->known && error > 0
            ? h / own->last_h * pow(own->last_error / error, 0.25) : 1.0;
        factor = safety * fmin(1.0, past) * (error > 0 ? pow(error, -0.25) : 10.0);
        if (error <= 1) break;
        h *= isfinite(error) ? fmax(0.2, factor) : 0.2;
        refused = 1;
    }
    double sum = 0.0;
    r->old = r->t;
    r->step = h;
    EACH {
        r->before[i] = r->x[i];
        r->x[i] += Z[2][i];
        for (int s = 0; s < STAGES; s++) own->Z[s][i] = Z[s][i];
        sum += r->x[i] - r->x[i];
    }
    r->t = t;
    r->h = h * (refused ? fmin(1.0, factor) : fmin(10.0, factor));
    own->last_h = h;
    own->last_error = fmax(error, 1e-4);
    own->known = 1;
    dop853_rate(r->t, r->x, p, u, r->f);
    r->evaluations[0] += 1;
    return sum == 0.0;
}

/* So many steps of the run in the one lane, as `ensemble_runs` by the explicit method. */
ROUTH void stiff_run(
    Lot *e, long long count, const double *times, long long outputs, long long most, double *states)
{
    Radau own;
    Dop853 *r = &e->r;
    const double *p = e->p, *u = e->u;
    long long *counts = e->counts[0];
    const long long id = e->id[0];
    const int yes = 1, fresh = counts[STEPS] == 0;
    own.known = 0;
    dop853_begin(r, &yes, &fresh, p, u);
    ensemble_look(e, &fresh);
    for (long long step = 0; step < most && counts[STATE] == GOING; step++) {
        if (!radau_step(r, &own, p, u)) {
            counts[STATE] = STUCK;
            break;
        }
        counts[STEPS] += 1;
        ensemble_look(e, &yes);
        while (counts[PLACE] < outputs && times[counts[PLACE]] <= r->t) {
            const double t = times[counts[PLACE]];
            double x[SIZE];
            if (t < r->t) {
                radau_inside(&own, (t - r->old) / r->step, x);
                EACH x[i] += r->before[i];
            } else EACH x[i] = r->x[i];
            EACH states[AT(counts[PLACE] * SIZE + i, outputs * SIZE)] = x[i];
            counts[PLACE] += 1;
        }
        if (counts[PLACE] == outputs) counts[STATE] = ARRIVED;
    }
}
