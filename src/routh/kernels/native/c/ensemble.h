/* Runs of an ensemble: so many steps of each from where it is, with the outputs that lie within them.

   Runs are side by side in lanes; where one comes to its end the next one takes its place. SIZE, N
   (coordinates), EVENTS, PARAMETERS, SIGNALS and WORKS (whether the last number of a state is work) stand
   before it, and `motion_energy` behind: v . L_v - L, and the same at rest. What is kept of the energy
   and of the states at the ends of all steps are the FACTS below, and the least and the largest of each
   q and v. */
ROUTH_APART void motion_energy(
    const lanes *t, const lanes *x, const lanes *p, const lanes *u, lanes *two);

enum { GOING, ARRIVED, STUCK };
enum { FIRST, OFF, KINETIC, LEAST, MOST, WHOLE, WORK, FACTS };
enum { STEPS, EVALUATIONS, PLACE, STATE, COUNTS };
#define TOLD (FACTS + 4 * N + 2 * EVENTS)

typedef struct {
    Dop853 r;
    lanes p[PARAMETERS + 1], u[SIGNALS + 1], told[TOLD];
    long long id[LANES], counts[LANES][COUNTS];
    int going[LANES], in[LANES], fresh[LANES], taken[LANES], steps[LANES];
} Lot;

#define RUNS \
    const double *P, const double *U, const double *TOLERANCES, const double *TIMES, \
    const double *BOUNDS, const long long *SIZES, double *NOW, double *X, double *FACTS_, \
    long long *COUNTS_, double *STATES
#define RUN_ARRAYS P, U, TOLERANCES, TIMES, BOUNDS, SIZES, NOW, X, FACTS_, COUNTS_, STATES

ROUTH void ensemble_load(Lot *e, int j, long long id, long long count, RUNS)
{
    e->id[j] = id;
    e->steps[j] = e->r.refused[j] = e->r.evaluations[j] = 0;
    for (int k = 0; k < PARAMETERS; k++) LANE(e->p[k], j) = P[AT(k, PARAMETERS)];
    for (int k = 0; k < SIGNALS; k++) LANE(e->u[k], j) = U[AT(k, SIGNALS)];
    for (int k = 0; k < TOLD; k++) LANE(e->told[k], j) = FACTS_[AT(k, TOLD)];
    for (int k = 0; k < COUNTS; k++) e->counts[j][k] = COUNTS_[AT(k, COUNTS)];
    EACH LANE(e->r.x[i], j) = X[AT(i, SIZE)];
    LANE(e->r.t, j) = NOW[AT(0, 2)];
    LANE(e->r.h, j) = NOW[AT(1, 2)];
    LANE(e->r.rtol, j) = TOLERANCES[AT(0, 2)];
    LANE(e->r.atol, j) = TOLERANCES[AT(1, 2)];
}

ROUTH void ensemble_store(Lot *e, int j, long long count, RUNS)
{
    const long long id = e->id[j];
    e->going[j] = 0;
    e->counts[j][EVALUATIONS] += e->r.evaluations[j];
    for (int k = 0; k < TOLD; k++) FACTS_[AT(k, TOLD)] = LANE(e->told[k], j);
    for (int k = 0; k < COUNTS; k++) COUNTS_[AT(k, COUNTS)] = e->counts[j][k];
    EACH X[AT(i, SIZE)] = LANE(e->r.x[i], j);
    NOW[AT(0, 2)] = LANE(e->r.t, j);
    NOW[AT(1, 2)] = LANE(e->r.h, j);
}

#if EVENTS
ROUTH_APART void watch_begin(Lot *e);
ROUTH_APART void watch_step(Lot *e, double gap);
#endif

/* What is told of the lanes that are `there`, at the ends of their steps. */
ROUTH_APART void ensemble_look(Lot *e, const int *there)
{
    const Dop853 *r = &e->r;
    lanes two[2], *told = e->told;
    marks here = lanes_bits(ALL_LANES(0.0));
    EACH_LANE LANE(here, j) = there[j] == 1 ? -1 : 0;
    motion_energy(&r->t, r->x, e->p, e->u, two);
    const lanes work = WORKS ? r->x[SIZE - 1] : ALL_LANES(0.0);
#define TELL(k, value) told[k] = lanes_pick(here, value, told[k])
    TELL(FIRST, lanes_pick(told[FIRST] != told[FIRST], two[0], told[FIRST]));
    TELL(OFF, lanes_fmax(told[OFF], lanes_fabs(two[0] - told[FIRST] - work)));
    TELL(KINETIC, lanes_fmax(told[KINETIC], lanes_fabs(two[0] - two[1])));
    TELL(LEAST, lanes_fmin(told[LEAST], two[1]));
    TELL(MOST, lanes_fmax(told[MOST], two[1]));
    TELL(WHOLE, lanes_fmax(told[WHOLE], lanes_fabs(two[0])));
    TELL(WORK, lanes_fmax(told[WORK], lanes_fabs(work)));
    for (int i = 0; i < 2 * N; i++) {
        TELL(FACTS + i, lanes_fmin(told[FACTS + i], r->x[i]));
        TELL(FACTS + 2 * N + i, lanes_fmax(told[FACTS + 2 * N + i], r->x[i]));
    }
}

/* Runs from `next` on in the lanes that are free; whether any is going. */
ROUTH int ensemble_fill(Lot *e, long long *next, long long end, long long count, RUNS)
{
    int some = 0, came = 0;
    EACH_LANE {
        e->in[j] = e->fresh[j] = 0;
        while (!e->going[j] && *next < end) {
            const long long id = (*next)++;
            if (COUNTS_[AT(STATE, COUNTS)] != GOING) continue;
            ensemble_load(e, j, id, count, RUN_ARRAYS);
            e->going[j] = e->in[j] = came = 1;
            e->fresh[j] = e->counts[j][STEPS] == 0;
        }
        some |= e->going[j];
    }
    if (came) {
        dop853_begin(&e->r, e->in, e->fresh, e->p, e->u);
        ensemble_look(e, e->fresh);
#if EVENTS
        watch_begin(e);
#endif
    }
    return some;
}

/* The outputs within the steps that were taken. `times` are so many rising ones, of which
   counts[PLACE] are behind. */
ROUTH void ensemble_outputs(
    Lot *e, long long count, const double *times, long long outputs, double gap, double *STATES)
{
    Dop853 *r = &e->r;
    int inside = 0;
    EACH_LANE {
        const long long place = e->counts[j][PLACE];
        const int due = place < outputs && times[place] < LANE(r->t, j);
        if (e->taken[j] != 1 || !(EVENTS || due)) continue;
        r->evaluations[j] += 3;
        inside = 1;
    }
    if (inside) dop853_look(r, e->p, e->u);
#if EVENTS
    if (inside) watch_step(e, gap);
#endif
    EACH_LANE {
        const long long id = e->id[j];
        long long *place = &e->counts[j][PLACE];
        for (; e->taken[j] == 1 && *place < outputs && times[*place] <= LANE(r->t, j); (*place)++) {
            double x[SIZE];
            if (times[*place] < LANE(r->t, j)) dop853_inside(r, j, times[*place], x);
            else EACH x[i] = LANE(r->x[i], j);
            EACH STATES[AT(*place * SIZE + i, outputs * SIZE)] = x[i];
        }
    }
}

/* Runs from one number up to another; those in hand are stored where `*stop` is raised. */
ROUTH void ensemble_runs(
    long long begin, long long end, long long count, const volatile int *stop, RUNS)
{
    const long long outputs = SIZES[0], most = SIZES[1];
    long long next = begin;
    Lot e;
    EACH_LANE {  /* lanes that stay free have numbers too */
        ensemble_load(&e, j, begin, count, RUN_ARRAYS);
        e.going[j] = 0;
        e.in[j] = e.fresh[j] = 1;
    }
    e.r.last = BOUNDS[0];
    e.r.longest = BOUNDS[1];
    dop853_begin(&e.r, e.in, e.fresh, e.p, e.u);
    while (!*stop && ensemble_fill(&e, &next, end, count, RUN_ARRAYS)) {
        dop853_try(&e.r, e.going, e.taken, e.p, e.u);
        EACH_LANE {
            if (!e.going[j]) e.taken[j] = 0;
            if (e.taken[j] < 0) e.counts[j][STATE] = STUCK;
            e.counts[j][STEPS] += e.taken[j] == 1;
            e.steps[j] += e.taken[j] == 1;
        }
        ensemble_look(&e, e.taken);
        ensemble_outputs(&e, count, TIMES, outputs, BOUNDS[2], STATES);
        EACH_LANE {
            if (!e.going[j]) continue;
            if (e.counts[j][STATE] == GOING && e.counts[j][PLACE] == outputs) e.counts[j][STATE] = ARRIVED;
            if (e.counts[j][STATE] != GOING || (e.taken[j] == 1 && e.steps[j] >= most))
                ensemble_store(&e, j, count, RUN_ARRAYS);
        }
    }
    EACH_LANE if (e.going[j]) ensemble_store(&e, j, count, RUN_ARRAYS);
}
