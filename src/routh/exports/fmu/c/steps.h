/* The motion of a unit that integrates itself, and where within a step something happens. */

enum { PARTS = 8 };                 /* pieces of a step at whose ends events are looked at */

ROUTH_APART void motion_rate(
    const double *t, const double *x, const double *p, const double *u, double *f)
{
    if (model_rate(*t, x, u, p, f)) for (int i = 0; i < STATES; i++) f[i] = NAN;
}

static void asked_within(const Unit *unit, const Dop853 *run, double t, double *asked)
{
    double x[STATES];
    dop853_inside(run, 0, t, x);
    unit_ask(unit, x, t, asked);
}

/* Whether something has happened between what was known and a time within the last step. */
static bool has_happened(const Unit *unit, const Dop853 *run, double t, bool *due, int *fallen)
{
    double x[STATES], asked[AT_LEAST_ONE(ASKED)];
    dop853_inside(run, 0, t, x);
    *fallen = unit_fallen(unit, x, t) + 1;
    bool any = *fallen > 0;
    unit_ask(unit, x, t, asked);
    for (int k = 0; k < EVENTS; k++) {
        const int side = unit->now.side[k];
        const bool beyond = isnan(asked[WATCHED + k]) || is_beyond(unit, k, asked[WATCHED + k]);
        due[k] = is_watched(k, side) && beyond;
        any |= due[k];
    }
    return any;
}

/* A time at which an expression is beyond zero, although the ends of a piece are not: the least of the
   cubic through both ends with their slopes. The end of the piece where there is none. */
static double dip_within(const Unit *unit, const Dop853 *run, double low, double high)
{
    const double h = high - low, near = 1e-4;
    double first[AT_LEAST_ONE(ASKED)], second[AT_LEAST_ONE(ASKED)], third[AT_LEAST_ONE(ASKED)], fourth[AT_LEAST_ONE(ASKED)], there[AT_LEAST_ONE(ASKED)];
    asked_within(unit, run, low, first);
    asked_within(unit, run, low + near * h, second);
    asked_within(unit, run, high - near * h, third);
    asked_within(unit, run, high, fourth);
    for (int k = 0; k < EVENTS; k++) {
        const int w = WATCHED + k, side = unit->now.side[k];
        const double a = side * first[w], b = side * fourth[w];
        const double da = side * (second[w] - first[w]) / near, db = side * (fourth[w] - third[w]) / near;
        if (!(a > 0.0 && b > 0.0 && da < 0.0 && db > 0.0)) continue;
        const double c3 = 3.0 * (2.0 * (a - b) + da + db), c2 = 3.0 * (b - a) - 2.0 * da - db;
        const double root = sqrt(c2 * c2 - c3 * da), share = -da / (c2 + root);
        if (!(share > 0.0 && share < 1.0)) continue;
        asked_within(unit, run, low + share * h, there);
        if (side_of(unit, k, there[w]) == -side) return low + share * h;
    }
    return high;
}

/* The first time within the last step at which something has happened, to the last digits; whether there
   is one. What is due then is marked; sides follow until then. */
static bool first_within(Unit *unit, Dop853 *run, double *at)
{
    double low = run->old;
    bool due[AT_LEAST_ONE(EVENTS)] = {false};
    int fallen = 0;
    dop853_look(run, unit->now.p, unit->now.u);
    for (int part = 1; part <= PARTS; part++) {
        const double end = part < PARTS ? run->old + (run->t - run->old) * part / PARTS : run->t;
        const double middle = EVENTS > 0 ? dip_within(unit, run, low, end) : end;
        for (int half = middle == end; half < 2; half++) {
            double late = half ? end : middle, early = low, asked[AT_LEAST_ONE(ASKED)];
            if (has_happened(unit, run, late, due, &fallen)) {
                for (int k = 0; k < 60; k++) {
                    const double centre = early + 0.5 * (late - early);
                    if (has_happened(unit, run, centre, due, &fallen)) late = centre;
                    else early = centre;
                }
                has_happened(unit, run, late, due, &fallen);
                unit->now.fallen = fallen;
                for (int k = 0; k < EVENTS; k++) unit->now.due[k] = due[k];
                *at = late;
                return true;
            }
            asked_within(unit, run, late, asked);
            for (int k = 0; k < EVENTS; k++) {
                event_follow(unit, k, asked[WATCHED + k]);
                unit->now.most[ENDS + k] = fmax(unit->now.most[ENDS + k], fabs(asked[WATCHED + k]));
            }
            low = late;
        }
    }
    return false;
}

/* The last step once more, from where it began, to a time within it. */
static bool go_again(Unit *unit, Dop853 *run, double at)
{
    const double *p = unit->now.p, *u = unit->now.u;
    run->t = run->old;
    memcpy(run->x, run->before, sizeof run->x);
    motion_rate(&run->t, run->x, p, u, run->f);
    run->h = at - run->t;
    run->last = at;
    run->refused[0] = 0;
    while (run->t < at) if (!dop853_step(run, p, u)) return false;
    return true;
}

static void go_from(Unit *unit, Dop853 *run, double until)
{
    const int yes = 1;
    memset(run, 0, sizeof *run);
    run->t = unit->now.t;
    run->last = until;
    run->longest = INFINITY;
    run->rtol = run->atol = unit->now.tolerance;
    memcpy(run->x, unit->now.x, sizeof run->x);
    dop853_begin(run, &yes, &yes, unit->now.p, unit->now.u);
}

static Outcome not_held(Unit *unit)
{
    return fail(unit, "The constraints cannot be kept at t = %.9g.", unit->now.t);
}

/* The motion from here to a time, under the inputs that there are now; or to where it ends, or where an
   event is that another handles. */
static Outcome unit_advance(Unit *unit, double until)
{
    Numbers *now = &unit->now;
    Dop853 run;
    bool moved = false, ended = false;
    if (unit_hold(unit, now->x)) return not_held(unit);
    unit->known = false;
    if (INDICATORS > 0 || now->changed) {
        const Outcome outcome = unit_event(unit, &moved, &ended);
        if (outcome != WELL || ended) return outcome;
    }
    go_from(unit, &run, until);
    for (int steps = 0; run.t < until; steps++) {
        double at = until;
        if (steps == STEPS_MOST)
            return fail(unit, "%d steps did not reach the end of this one: it is at t = %.9g. The motion"
                        " is stiff: take the unit as Model Exchange with an implicit method.",
                        STEPS_MOST, run.t);
        if (!dop853_step(&run, now->p, now->u))
            return fail(unit, "No step is small enough to go on at t = %.9g: the motion has come to where"
                        " the accelerations are not determined, or not finite.", run.t);
        const bool found = INDICATORS > 0 && first_within(unit, &run, &at);
        if (found && !go_again(unit, &run, at))
            return fail(unit, "No step is small enough to come to the event at t = %.9g.", at);
        now->t = run.t;
        memcpy(now->x, run.x, sizeof run.x);
        unit->known = false;
        if (CONSTRAINTS > 0 && unit_hold(unit, now->x)) return not_held(unit);
        if (found && now->event_mode && (now->early || now->t >= until)) return WELL;
        if (found) {
            const Outcome outcome = unit_event(unit, &moved, &ended);
            if (outcome != WELL || ended) return outcome;
            unit_remember(unit);
            if (now->t < until) go_from(unit, &run, until);
            continue;
        }
        unit_remember(unit);
        if (CONSTRAINTS > 0) {
            memcpy(run.x, now->x, sizeof run.x);
            motion_rate(&run.t, run.x, now->p, now->u, run.f);
        }
    }
    now->t = until;
    return WELL;
}
