/* Events along the runs of an ensemble: whether one may have happened within the last step.

   Looked for at the places at which a run by itself is looked at (`event_watch.py`): at the ends of 8 to
   400 pieces of a step, and where a cubic through both ends of a piece with their slopes is least. A
   run in which a watched expression passes zero the watched way, touches it or is no number is left to
   others. EVENTS stands before it, and what is watched behind: values, and rates by x'. What is kept
   along a run are the side of zero of each expression, and the largest size that it had. */
ROUTH_APART void motion_watched(
    const lanes *t, const lanes *x, const lanes *p, const lanes *u, const lanes *f, lanes *values,
    lanes *rates);

#define PIECES 8
#define MOST_PIECES 400
#define NOISE 1e-15
#define SIDES (FACTS + 4 * N)
#define LARGEST (SIDES + EVENTS)

/* Values and rates at states, with x' there. */
ROUTH void watch_at(const Lot *e, lanes t, const lanes *x, lanes *values, lanes *rates)
{
    lanes f[SIZE];
    motion_rate(&t, x, e->p, e->u, f);
    motion_watched(&t, x, e->p, e->u, f, values, rates);
}

/* Sides at the start of runs that are `fresh`; one that is at zero there is left. */
ROUTH_APART void watch_begin(Lot *e)
{
    lanes values[EVENTS], rates[EVENTS];
    watch_at(e, e->r.t, e->r.x, values, rates);
    EACH_LANE {
        for (int k = 0; e->fresh[j] && k < EVENTS; k++) {
            const double value = LANE(values[k], j);
            LANE(e->told[SIDES + k], j) = value > 0.0 ? 1.0 : -1.0;
            LANE(e->told[LARGEST + k], j) = 0.0;
            if (!(value != 0.0 && value == value)) e->counts[j][STATE] = STUCK;
        }
    }
}

/* The places of the ends of a piece of the last step at which an expression may be beyond zero. */
ROUTH void watch_least(double a, double b, double da, double db, double *shares)
{
    const double A = 3.0 * (2.0 * (a - b) + da + db), B = 2.0 * (3.0 * (b - a) - 2.0 * da - db);
    const double root = sqrt(fmax(B * B - 4.0 * A * da, 0.0));
    const double sum = -0.5 * (B + (B < 0.0 ? -root : root));
    shares[0] = A != 0.0 ? fmin(fmax(sum / A, 0.0), 1.0) : 0.5;
    shares[1] = sum != 0.0 ? fmin(fmax(da / sum, 0.0), 1.0) : 0.5;
}

/* Whether expressions dip below zero within a piece, in the lanes and events that may. */
ROUTH_APART void watch_dips(Lot *e, lanes low, lanes high, const lanes *ends, const int (*dips)[EVENTS])
{
    const lanes *value = ends, *rate = ends + EVENTS, *after = ends + 2 * EVENTS, *slope = ends + 3 * EVENTS;
    lanes x[SIZE], found[EVENTS], rates[EVENTS];
    for (int k = 0; k < EVENTS; k++) {
        for (int way = 0; way < 2; way++) {
            lanes t = low;
            int some = 0;
            EACH_LANE {
                const double side = LANE(e->told[SIDES + k], j), h = LANE(high, j) - LANE(low, j);
                double shares[2];
                if (!dips[j][k]) continue;
                watch_least(
                    side * LANE(value[k], j), side * LANE(after[k], j), side * LANE(rate[k], j) * h,
                    side * LANE(slope[k], j) * h, shares);
                LANE(t, j) = LANE(low, j) + shares[way] * h;
                some = 1;
            }
            if (!some) continue;
            dop853_within(&e->r, t, x);
            watch_at(e, t, x, found, rates);
            EACH_LANE {
                const double side = LANE(e->told[SIDES + k], j);
                if (dips[j][k] && !(side * LANE(found[k], j) > 0.0)) e->counts[j][STATE] = STUCK;
            }
        }
    }
}

/* The runs whose steps were taken, with what lies within them; dop853_look stands before. */
ROUTH_APART void watch_step(Lot *e, double gap)
{
    const double directions[EVENTS] = DIRECTIONS;
    Dop853 *r = &e->r;
    lanes ends[4 * EVENTS], x[SIZE], low = r->old, high = r->old;
    int pieces[LANES], most = 0, dips[LANES][EVENTS];
    motion_watched(&r->old, r->before, e->p, e->u, r->K[0], ends, ends + EVENTS);
    EACH_LANE {
        const double share = 4.0 * LANE(r->step, j) / gap;
        pieces[j] = share < PIECES ? PIECES : share > MOST_PIECES ? MOST_PIECES : (int)share;
        if (e->taken[j] == 1 && pieces[j] > most) most = pieces[j];
    }
    for (int piece = 1; piece <= most; piece++) {
        int some = 0;
        EACH_LANE LANE(high, j) = piece >= pieces[j]
            ? LANE(r->t, j)
            : LANE(r->old, j) + piece * (LANE(r->step, j) / pieces[j]);
        dop853_within(r, high, x);
        EACH EACH_LANE if (piece >= pieces[j]) LANE(x[i], j) = LANE(r->x[i], j);
        watch_at(e, high, x, ends + 2 * EVENTS, ends + 3 * EVENTS);
        EACH_LANE {
            for (int k = 0; k < EVENTS; k++) {
                const double after = LANE(ends[2 * EVENTS + k], j), side = LANE(e->told[SIDES + k], j);
                const double rate = LANE(ends[EVENTS + k], j), slope = LANE(ends[3 * EVENTS + k], j);
                dips[j][k] = 0;
                if (e->taken[j] != 1 || piece > pieces[j]) continue;
                const double size = fmax(LANE(e->told[LARGEST + k], j), fabs(after));
                LANE(e->told[LARGEST + k], j) = size;
                if (!(fabs(after) > NOISE * size)) {
                    e->counts[j][STATE] = STUCK;
                } else if (side * after < 0.0) {
                    if (directions[k] == 0.0 || directions[k] == -side) e->counts[j][STATE] = STUCK;
                    LANE(e->told[SIDES + k], j) = -side;
                } else if (side * rate < 0.0 && side * slope > 0.0) {
                    dips[j][k] = some = 1;
                }
            }
        }
        if (some) watch_dips(e, low, high, ends, (const int (*)[EVENTS])dips);
        for (int k = 0; k < 2 * EVENTS; k++) ends[k] = ends[2 * EVENTS + k];
        low = high;
    }
}
