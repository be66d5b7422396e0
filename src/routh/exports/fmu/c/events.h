/* What happens along a motion: requirements that come to zero end it, constraints are kept again, and
   events, which watch expressions pass zero, change velocities or end it too.

   Of each event the side of zero is known on which its expression is. An event is due where it has
   passed the watched way, or is at zero and about to. What follows it is what `simulate` does. */

#define AT_ZERO 1e-12               /* seconds within which something passes zero, to count as zero */
#define RESTING 1e-9                /* share of a rate that is nothing, after a change of velocities */
#define NOISE 1e-15                 /* share of the largest that it has been, below which it is zero */
#define FURTHER (1.0 + 1e-6)        /* times what an event has left it beyond zero */
#define SOON 1e-6                   /* share of a motion within which events pile up; integrators of */
#define SOON_OUTSIDE 1e-3           /* others miss what returns within their first step, and fall through */

static int sign_of(double value) { return (value > 0.0) - (value < 0.0); }

/* Which requirement has come to zero; -1 where none has. */
static int unit_fallen(const Unit *unit, const double *x, double t)
{
    double asked[AT_LEAST_ONE(ASKED)];
    unit_ask(unit, x, t, asked);
    for (int i = 0; i < ENDS; i++)
        if (unit->now.most[i] > 0.0 && !(asked[CHECKS + i] > FALLEN * unit->now.most[i])) return i;
    return -1;
}

static void unit_remember(Unit *unit)
{
    double asked[AT_LEAST_ONE(ASKED)];
    unit_ask(unit, unit->now.x, unit->now.t, asked);
    for (int i = 0; i < INDICATORS; i++)
        unit->now.most[i] = fmax(unit->now.most[i], fabs(asked[CHECKS + i]));
}

/* The side on which the expression of an event is, by its value; 0 where that is rounding. */
static int side_of(const Unit *unit, int event, double value)
{
    return fabs(value) <= NOISE * unit->now.most[ENDS + event] ? 0 : sign_of(value);
}

/* Whether an expression is on the other side, and further there than an event has left it: behind a
   change of velocities it may be beyond zero still, by how exactly whoever integrates finds it. */
static bool is_beyond(const Unit *unit, int event, double value)
{
    const int side = unit->now.side[event];
    return side_of(unit, event, value) == -side && -side * value > FURTHER * unit->now.left[event];
}

/* Whether an expression that leaves a side passes zero in the direction that is watched. */
static bool is_watched(int event, int side)
{
    return side && (!EVENT_DIRECTIONS[event] || EVENT_DIRECTIONS[event] == -side);
}

/* What events watch, and its rates along the motion. */
static Outcome events_watched(Unit *unit, double *values, double *rates)
{
    double asked[AT_LEAST_ONE(ASKED)], direction[KNOWNS] = {0.0}, change[VARIABLES];
    if (unit_solve(unit)) return undetermined(unit, DISCARDED);
    direction[0] = 1.0;
    for (int i = 0; i < STATES; i++) direction[1 + i] = unit->rate[i];
    const Outcome outcome = unit_along(unit, direction, change);
    if (outcome != WELL) return outcome;
    unit_ask(unit, unit->now.x, unit->now.t, asked);
    for (int k = 0; k < EVENTS; k++) {
        values[k] = asked[WATCHED + k];
        rates[k] = change[INDICATOR + ENDS + k];
        if (isnan(values[k]))
            return fail(unit, "The event %s is not a number at t = %.9g.", EVENT_NAMES[k], unit->now.t);
    }
    return WELL;
}

/* Which way an expression without rate is going to go: the sign of the rate of its rate. */
static int event_pushed(const Unit *unit, int event)
{
    double values[AT_LEAST_ONE(EVENTS)], before[AT_LEAST_ONE(EVENTS)], after[AT_LEAST_ONE(EVENTS)];
    double size = 0.0, speed = 0.0;
    Unit moved = *unit;
    if (events_watched(&moved, values, before) != WELL) return 0;
    for (int i = 0; i < STATES; i++) {
        size = fmax(size, fabs(moved.now.x[i]));
        speed = fmax(speed, fabs(moved.rate[i]));
    }
    const double h = 1e-6 * (size > 0.0 ? size : 1.0) / (speed > 0.0 ? speed : 1.0);
    for (int i = 0; i < STATES; i++) moved.now.x[i] += h * moved.rate[i];
    moved.now.t += h;
    moved.known = false;
    if (events_watched(&moved, values, after) != WELL) return 0;
    return sign_of(after[event] - before[event]);
}

/* The sides of a start. What is zero there and goes the watched way is due at once. */
static Outcome events_begin(Unit *unit)
{
    Numbers *now = &unit->now;
    double values[AT_LEAST_ONE(EVENTS)], rates[AT_LEAST_ONE(EVENTS)];
    const Outcome outcome = events_watched(unit, values, rates);
    if (outcome != WELL) return fail(unit, "The events cannot be watched at t = %.9g.", now->t);
    for (int k = 0; k < EVENTS; k++) {
        const bool acts = EVENT_STOPS[k] || CHANGES_FIRST[k] < CHANGES_FIRST[k + 1];
        now->side[k] = values[k] != 0.0 ? sign_of(values[k]) : sign_of(rates[k]);
        if (values[k] != 0.0 || !EVENT_DIRECTIONS[k] || !acts) continue;
        const int heading = rates[k] != 0.0 ? sign_of(rates[k]) : event_pushed(unit, k);
        if (heading != EVENT_DIRECTIONS[k]) continue;
        now->due[k] = true;
        now->side[k] = -heading;
    }
    return WELL;
}

/* Which events are due here. */
static bool events_due(const Unit *unit, const double *values, const double *rates, bool *due)
{
    bool any = false;
    for (int k = 0; k < EVENTS; k++) {
        const int side = unit->now.side[k], beyond = -side;
        const bool passes = fabs(values[k]) <= AT_ZERO * fabs(rates[k]) && sign_of(rates[k]) == beyond;
        due[k] = unit->now.due[k] || (is_watched(k, side) && (is_beyond(unit, k, values[k]) || passes));
        any |= due[k];
    }
    return any;
}

/* The side of an expression follows its value, but for rounding and for what an event has left. */
static void event_follow(Unit *unit, int event, double value)
{
    const int side = side_of(unit, event, value);
    if (!side || (side == -unit->now.side[event] && !is_beyond(unit, event, value))) return;
    unit->now.side[event] = side;
    unit->now.left[event] = 0.0;
}

/* The same of what is not due, but for what is about to pass. */
static void events_follow(Unit *unit, const double *values, const double *rates, const double *before,
                          const bool *due)
{
    for (int k = 0; k < EVENTS; k++)
        if (!due[k] && fabs(values[k]) > AT_ZERO * (fabs(rates[k]) + fabs(before[k])))
            event_follow(unit, k, values[k]);
}

/* The velocities that events change, read just before, on the constraints. */
static Outcome events_change(Unit *unit, const bool *due, bool *moved)
{
    double asked[AT_LEAST_ONE(ASKED)];
    bool any = false;
    unit_ask(unit, unit->now.x, unit->now.t, asked);
    for (int k = 0; k < EVENTS; k++)
        for (int j = CHANGES_FIRST[k]; due[k] && j < CHANGES_FIRST[k + 1]; j++) {
            const double value = asked[CHANGED + j];
            if (!isfinite(value))
                return fail(unit, "The event %s at t = %.9g makes %s %g.", EVENT_NAMES[k], unit->now.t,
                            NAMES[STATE + CHANGES_PLACES[j]], value);
            unit->now.x[CHANGES_PLACES[j]] = value;
            any = true;
        }
    if (!any) return WELL;
    *moved = true;
    unit->known = false;
    if (unit_hold(unit, unit->now.x))
        return fail(unit, "The constraints cannot be kept at t = %.9g.", unit->now.t);
    return WELL;
}

/* Whether events that change velocities follow ever faster. */
static bool events_pile_up(Unit *unit)
{
    Numbers *now = &unit->now;
    const double span = isfinite(now->stop) ? now->stop - now->start : now->t - now->start;
    const double soon = now->by_steps ? SOON : SOON_OUTSIDE;
    bool still = true, sooner = true;
    if (!now->recents || now->recent[0] != now->t) {
        for (int i = PILED; i > 0; i--) now->recent[i] = now->recent[i - 1];
        now->recent[0] = now->t;
        if (now->recents <= PILED) now->recents++;
    }
    if (now->recents <= PILED) return false;
    for (int i = 0; i < PILED; i++) {
        const double gap = now->recent[i] - now->recent[i + 1];
        still &= gap <= 4e-15 * fabs(now->t);
        sooner &= gap < soon * span && (!i || gap > now->recent[i - 1] - now->recent[i]);
    }
    return still || sooner;
}

/* All that is due happens, and what that sets off in turn: balls that touch hand a blow on. */
static Outcome events_happen(Unit *unit, bool *moved, bool *ended)
{
    Numbers *now = &unit->now;
    double values[AT_LEAST_ONE(EVENTS)], rates[AT_LEAST_ONE(EVENTS)], before[AT_LEAST_ONE(EVENTS)];
    bool due[AT_LEAST_ONE(EVENTS)], done[AT_LEAST_ONE(EVENTS)] = {false}, rests = false;
    Outcome outcome = events_watched(unit, values, before);
    if (outcome != WELL) return outcome;
    bool any = events_due(unit, values, before, due);
    if (!any) events_follow(unit, values, before, before, due);
    if (!any) return WELL;
    while (any) {
        outcome = events_change(unit, due, moved);
        if (outcome != WELL) return outcome;
        outcome = events_watched(unit, values, rates);
        if (outcome != WELL) return outcome;
        events_follow(unit, values, rates, before, due);
        for (int k = 0; k < EVENTS; k++) {
            if (!due[k]) continue;
            const int beyond = -now->side[k];
            const bool changes = CHANGES_FIRST[k] < CHANGES_FIRST[k + 1];
            const bool stopped = fabs(rates[k]) <= RESTING * fabs(before[k]);
            rests |= changes && stopped && event_pushed(unit, k) == beyond;
            if (!(changes && !stopped && sign_of(rates[k]) == now->side[k])) now->side[k] = beyond;
            now->left[k] = fmax(0.0, -now->side[k] * values[k]);
            done[k] = true;
            now->due[k] = false;
            now->count[k] += 1.0;
            now->when[k] = now->t;
            *ended |= EVENT_STOPS[k];
            if (EVENT_STOPS[k]) say(unit, WARNED, "The motion ends at t = %.9g: %s.", now->t, EVENT_NAMES[k]);
            else say(unit, WELL, "The event %s at t = %.9g.", EVENT_NAMES[k], now->t);
        }
        any = false;
        for (int k = 0; k < EVENTS; k++) {
            const bool acts = EVENT_STOPS[k] || CHANGES_FIRST[k] < CHANGES_FIRST[k + 1];
            const int way = EVENT_DIRECTIONS[k];
            due[k] = acts && !done[k] && way && fabs(values[k]) <= AT_ZERO * fabs(rates[k])
                && sign_of(rates[k]) == way;
            if (due[k]) now->side[k] = -way;
            any |= due[k];
        }
        memcpy(before, rates, sizeof before);
    }
    if (!*ended && (rests || (*moved && events_pile_up(unit)))) {
        *ended = true;
        say(unit, WARNED, "The motion ends at t = %.9g: events pile up, or leave nothing to go on with.",
            now->t);
    }
    return WELL;
}

/* At the end of a step of another's integrator: whether the state has drifted off the constraints. */
static bool unit_drifted(const Unit *unit)
{
#if CONSTRAINTS > 0
    double x[STATES];
    memcpy(x, unit->now.x, sizeof x);
    if (unit_hold(unit, x)) return false;       /* the next rate says it */
    for (int i = 0; i < STATES; i++) {
        const double allowed = DRIFT * unit->now.tolerance * (1.0 + fabs(x[i]));
        if (fabs(x[i] - unit->now.x[i]) > allowed) return true;
    }
#else
    (void)unit;
#endif
    return false;
}

/* The end of a step of another's integrator: whether there is anything to handle. */
static Outcome unit_stepped(Unit *unit, bool *event)
{
    *event = unit_drifted(unit) || unit_fallen(unit, unit->now.x, unit->now.t) >= 0;
    unit_remember(unit);
#if EVENTS > 0
    double values[EVENTS], rates[EVENTS];
    bool due[EVENTS];
    const Outcome outcome = events_watched(unit, values, rates);
    if (outcome != WELL) return outcome;
    *event |= events_due(unit, values, rates, due);
    events_follow(unit, values, rates, rates, due);
#endif
    return WELL;
}

/* What happens at an event: constraints are kept again, requirements that came to zero end it, and what
   is due happens. */
static Outcome unit_event(Unit *unit, bool *moved, bool *ended)
{
    *moved = *ended = false;
    if (unit->now.changed && unit_check(unit, CHECKS) != WELL) return WRONG;
    const int fallen = unit->now.fallen ? unit->now.fallen - 1 : unit_fallen(unit, unit->now.x, unit->now.t);
    if (fallen >= 0) {
        unit->now.ended = *ended = true;
        say(unit, WARNED, "The motion ends at t = %.9g: %s.", unit->now.t, THEN[fallen]);
        return WELL;
    }
    if (CONSTRAINTS > 0 && unit_drifted(unit)) {
        *moved = true;
        unit->known = false;
        if (unit_hold(unit, unit->now.x))
            return fail(unit, "The constraints cannot be kept at t = %.9g.", unit->now.t);
    }
    const Outcome outcome = EVENTS > 0 ? events_happen(unit, moved, ended) : WELL;
    unit->now.ended |= *ended;
    return outcome;
}

static Outcome unit_begin(Unit *unit)
{
    Outcome outcome = unit_settle(unit);
    if (outcome != WELL) return outcome;
    outcome = unit_check(unit, CHECKS + ENDS);
    if (outcome != WELL) return outcome;
    unit_remember(unit);
    if (unit_solve(unit)) {
        unit->now.mode = FAILED;
        return undetermined(unit, WRONG);
    }
    if (EVENTS > 0) outcome = events_begin(unit);
    if (outcome != WELL) return outcome;
    unit->now.mode = unit->now.by_steps && !unit->now.event_mode ? STEPPING : AT_EVENT;
    return WELL;
}
