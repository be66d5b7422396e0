/* One run of an ensemble: so many steps from where it is, with the outputs that lie within them.

   SIZE, N (coordinates) and WORKS (whether the last number of a state is work) stand before it, and
   `motion_energy` behind: v . L_v - L, and the same at rest. What is kept of the energy and of the states
   at the ends of all steps are the FACTS below, and the least and the largest of each q and v. */
ROUTH_APART void motion_energy(
    double t, const double *x, const double *p, const double *u, double *two);

enum { GOING, ARRIVED, STUCK };
enum { FIRST, OFF, KINETIC, LEAST, MOST, WHOLE, WORK, FACTS };
enum { STEPS, EVALUATIONS, PLACE, STATE, COUNTS };
#define TOLD (FACTS + 4 * N)

ROUTH_APART void ensemble_look(const Dop853 *r, double *told, const double *p, const double *u)
{
    double two[2];
    motion_energy(r->t, r->x, p, u, two);
    const double work = WORKS ? r->x[SIZE - 1] : 0.0;
    if (isnan(told[FIRST])) told[FIRST] = two[0];
    told[OFF] = fmax(told[OFF], fabs(two[0] - told[FIRST] - work));
    told[KINETIC] = fmax(told[KINETIC], fabs(two[0] - two[1]));
    told[LEAST] = fmin(told[LEAST], two[1]);
    told[MOST] = fmax(told[MOST], two[1]);
    told[WHOLE] = fmax(told[WHOLE], fabs(two[0]));
    told[WORK] = fmax(told[WORK], fabs(work));
    for (int i = 0; i < 2 * N; i++) {
        told[FACTS + i] = fmin(told[FACTS + i], r->x[i]);
        told[FACTS + 2 * N + i] = fmax(told[FACTS + 2 * N + i], r->x[i]);
    }
}

/* `times` are `outputs` rising ones, of which counts[PLACE] are behind; no step goes beyond `last`. */
ROUTH void ensemble_run(
    Dop853 *r, const double *p, const double *u, double *told, long long *counts, double *states,
    const double *times, long long outputs, long long most, long long id, long long count)
{
    if (counts[STEPS] == 0) {
        dop853_begin(r, p, u);
        ensemble_look(r, told, p, u);
    } else {
        motion_rate(r->t, r->x, p, u, r->f);  /* not counted: pauses change no number */
    }
    for (long long step = 0; step < most && counts[STATE] == GOING; step++) {
        if (!dop853_step(r, p, u)) {
            counts[STATE] = STUCK;
            break;
        }
        counts[STEPS] += 1;
        ensemble_look(r, told, p, u);
        if (counts[PLACE] < outputs && times[counts[PLACE]] < r->t) dop853_look(r, p, u);
        while (counts[PLACE] < outputs && times[counts[PLACE]] <= r->t) {
            const double t = times[counts[PLACE]];
            double x[SIZE];
            if (t < r->t) dop853_inside(r, t, x);
            else EACH x[i] = r->x[i];
            EACH states[AT(counts[PLACE] * SIZE + i, outputs * SIZE)] = x[i];
            counts[PLACE] += 1;
        }
        if (counts[PLACE] == outputs) counts[STATE] = ARRIVED;
    }
    counts[EVALUATIONS] += r->evaluations;
}
