/* The model as a unit of a simulation: its numbers, and what follows from them.

   `numbers.h` says how many there are of each and how they are called, `model.c` are the equations,
   `more.h` what a unit asks of them beyond, `dop853.h` is the integrator. Behind stand `events.h`, what
   happens along a motion, `steps.h`, the motion over a step, and the functions of a standard, which tell
   messages by `tell`. Memory is taken once, for the unit itself. */

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_LEAST_ONE(count) ((count) > 0 ? (count) : 1)

/* Where the variables are among the value references. */
enum {
    TIME = 0,
    STATE = 1,
    RATE = STATE + STATES,
    INPUT = RATE + STATES,
    PARAMETER = INPUT + INPUTS,
    MULTIPLIER = PARAMETER + PARAMETERS,
    ENERGY = MULTIPLIER + CONSTRAINTS,
    INDICATOR = ENERGY + ENERGIES,              /* requirements of motions, then what events watch */
    INDICATORS = ENDS + EVENTS,
    COUNT = INDICATOR + INDICATORS,             /* how often each event has happened, and when last */
    WHEN = COUNT + EVENTS,
    VARIABLES = WHEN + EVENTS,
    KNOWNS = 1 + STATES + INPUTS + PARAMETERS,
    WATCHED = CHECKS + ENDS,                    /* places in what `unit_ask` gives */
    CHANGED = WATCHED + EVENTS,
    ASKED = CHANGED + CHANGES
};

enum { STEPS_MOST = 1000000 };      /* of the integrator, from one communication point to the next */
#define HELD 1e-11                  /* correction of a state that holds its constraints, as a share */
#define DRIFT 100.0                 /* tolerances that a state may be off before it is put back */
#define FALLEN 1e-9                 /* share of what a requirement was at which it counts as zero */
enum { PILED = 5 };                 /* so many events, each sooner than the last, may pile up */

typedef enum { WELL, WARNED, DISCARDED, WRONG } Outcome;
typedef enum { CREATED, INITIALIZING, AT_EVENT, CONTINUOUS, STEPPING, TERMINATED, FAILED } Mode;

/* What a unit is in: all of it is kept and given back with the state of a unit. */
typedef struct {
    Mode mode;
    bool by_steps;                  /* it integrates itself */
    bool changed;                   /* parameters are not looked at since they were set */
    bool ended;                     /* a requirement has come to zero, or an event has ended it */
    bool event_mode, early;         /* another handles events, and steps may end at them */
    double tolerance, t, start, stop;
    double x[STATES], u[AT_LEAST_ONE(INPUTS)], p[AT_LEAST_ONE(PARAMETERS)];
    double most[AT_LEAST_ONE(INDICATORS)];      /* the largest that each requirement or event has been */
    int side[AT_LEAST_ONE(EVENTS)];             /* of zero on which what is watched is; 0: not known */
    double left[AT_LEAST_ONE(EVENTS)];          /* how far on the other side it was left by its event */
    bool due[AT_LEAST_ONE(EVENTS)];             /* found within a step, and not yet handled */
    double count[AT_LEAST_ONE(EVENTS)], when[AT_LEAST_ONE(EVENTS)];
    double recent[PILED + 1];                   /* when the last events were, the last one first */
    int recents;
    int fallen;                     /* the requirement that came to zero within a step, from 1 */
} Numbers;

typedef struct {
    Numbers now;
    bool known;                     /* the following belongs to the numbers */
    double rate[STATES], multipliers[AT_LEAST_ONE(CONSTRAINTS)];
    bool logs;
    void *environment;
    void *logger;
    char name[128];
} Unit;

static void tell(const Unit *unit, Outcome outcome, const char *text);

static Outcome say(const Unit *unit, Outcome outcome, const char *form, ...)
{
    char text[512];
    va_list rest;
    va_start(rest, form);
    vsnprintf(text, sizeof text, form, rest);
    va_end(rest);
    tell(unit, outcome, text);
    return outcome;
}

/* From here on nothing but reset and free is of use. */
static Outcome fail(Unit *unit, const char *form, ...)
{
    char text[512];
    va_list rest;
    va_start(rest, form);
    vsnprintf(text, sizeof text, form, rest);
    va_end(rest);
    unit->now.mode = FAILED;
    tell(unit, WRONG, text);
    return WRONG;
}

static void unit_reset(Unit *unit)
{
    const bool by_steps = unit->now.by_steps, event_mode = unit->now.event_mode, early = unit->now.early;
    memset(&unit->now, 0, sizeof unit->now);
    unit->now.by_steps = by_steps;
    unit->now.event_mode = event_mode;
    unit->now.early = early;
    unit->now.tolerance = TOLERANCE;
    unit->now.stop = INFINITY;
    for (int i = 0; i < STATES; i++) unit->now.x[i] = STATE_STARTS[i];
    for (int i = 0; i < INPUTS; i++) unit->now.u[i] = INPUT_STARTS[i];
    for (int i = 0; i < PARAMETERS; i++) unit->now.p[i] = PARAMETER_STARTS[i];
    unit->known = false;
}

static Unit *unit_new(const char *name, const char *token, bool by_steps, bool logs, void *environment,
                      void *logger)
{
    Unit *unit = calloc(1, sizeof *unit);
    if (!unit) return NULL;
    unit->environment = environment;
    unit->logger = logger;
    unit->logs = logs;
    snprintf(unit->name, sizeof unit->name, "%s", name && *name ? name : "unit");
    unit->now.by_steps = by_steps;
    unit_reset(unit);
    if (!token || strcmp(token, TOKEN)) {
        say(unit, WRONG, "The token of the model description is not that of this binary, %s: they"
            " were not made together.", TOKEN);
        free(unit);
        return NULL;
    }
    return unit;
}

/* x' and the multipliers; 1 where they are not determined. */
static int unit_solve(Unit *unit)
{
    Numbers *now = &unit->now;
    if (unit->known) return 0;
#if CONSTRAINTS > 0
    double a[STATES / 2];
    if (model_solved(now->t, now->x, now->u, now->p, a, unit->multipliers)) return 1;
    for (int i = 0; i < STATES / 2; i++) {
        unit->rate[i] = now->x[STATES / 2 + i];
        unit->rate[STATES / 2 + i] = a[i];
    }
#else
    if (model_rate(now->t, now->x, now->u, now->p, unit->rate)) return 1;
#endif
    for (int i = 0; i < STATES; i++) if (!isfinite(unit->rate[i])) return 1;
    unit->known = true;
    return 0;
}

static Outcome undetermined(Unit *unit, Outcome outcome)
{
    return say(unit, outcome, "The accelerations are not determined at t = %.9g: masses may be zero, or"
               " constraints not independent, with these parameters in this position.", unit->now.t);
}

/* The nearest state that keeps the constraints, by Newton's method; 1 where it is not found. */
static int unit_hold(const Unit *unit, double *x)
{
#if CONSTRAINTS > 0
    const Numbers *now = &unit->now;
    for (int round = 0; round < 50; round++) {
        double before[STATES], off = 0.0;
        memcpy(before, x, sizeof before);
        if (model_project(now->t, x, now->u, now->p)) return 1;
        for (int i = 0; i < STATES; i++) {
            const double share = fabs(x[i] - before[i]) / (1.0 + fabs(x[i]));
            if (!isfinite(share)) return 1;
            off = fmax(off, share);
        }
        if (off <= HELD) return 0;
    }
    return 1;
#else
    (void)unit, (void)x;
    return 0;
#endif
}

/* What is required to be positive, of parameters and then along motions, what events watch, and what
   they change velocities to. Multipliers that are not determined are no numbers. */
static void unit_ask(const Unit *unit, const double *x, double t, double *values)
{
#if CHECKS + ENDS + EVENTS > 0
    const double *u = unit->now.u, *p = unit->now.p;
    double solved[STATES / 2 + CONSTRAINTS] = {0.0};
#if ASKS_SOLVED
    if (model_solved(t, x, u, p, solved, &solved[STATES / 2]))
        for (int i = 0; i < STATES / 2 + CONSTRAINTS; i++) solved[i] = NAN;
#endif
    asked_at(t, x, u, p, solved, values);
#else
    (void)unit, (void)x, (void)t, (void)values;
#endif
}

/* Parameters that are not as the model says of them, and so many of what is required. */
static Outcome unit_check(Unit *unit, int count)
{
    const Numbers *now = &unit->now;
    double asked[AT_LEAST_ONE(ASKED)];
    unit->now.changed = false;
    for (int i = 0; i < PARAMETERS; i++) {
        const double p = now->p[i];
        if (PARAMETER_SIGNS[i] == 2 && !(p > 0.0))
            return fail(unit, "The parameter %s must be positive. Got %g.", NAMES[PARAMETER + i], p);
        if (PARAMETER_SIGNS[i] == 1 && !(p >= 0.0))
            return fail(unit, "The parameter %s must not be negative. Got %g.", NAMES[PARAMETER + i], p);
    }
    unit_ask(unit, now->x, now->t, asked);
    for (int i = 0; i < count; i++)
        if (!(STRICT[i] ? asked[i] > 0.0 : asked[i] >= 0.0))
            return fail(unit, "%s It is %g.", REQUIRED[i], asked[i]);
    return WELL;
}

/* The state that a motion starts from. */
static Outcome unit_settle(Unit *unit)
{
    if (unit->known) return WELL;
    if (unit_hold(unit, unit->now.x))
        return fail(unit, "No state near the start values keeps the constraints, with these parameters."
                    " Give start values that keep them nearly, and masses that are not zero.");
    return WELL;
}

static double *place_of(Unit *unit, unsigned vr)
{
    Numbers *now = &unit->now;
    if (vr >= STATE && vr < RATE) return &now->x[vr - STATE];
    if (vr >= INPUT && vr < PARAMETER) return &now->u[vr - INPUT];
    if (vr >= PARAMETER && vr < MULTIPLIER) return &now->p[vr - PARAMETER];
    return NULL;
}

static Outcome unit_set(Unit *unit, const unsigned *vr, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        double *place = place_of(unit, vr[i]);
        if (!place)
            return fail(unit, "The variable %s cannot be set: only states, inputs and parameters can.",
                        vr[i] < VARIABLES ? NAMES[vr[i]] : "of this value reference");
        if (!isfinite(values[i]))
            return fail(unit, "%s must be a finite number. Got %g.", NAMES[vr[i]], values[i]);
        *place = values[i];
        unit->known = false;
        unit->now.changed |= vr[i] >= PARAMETER && vr[i] < MULTIPLIER;
    }
    return WELL;
}

static Outcome unit_get(Unit *unit, const unsigned *vr, size_t count, double *values)
{
    const Numbers *now = &unit->now;
    double energies[AT_LEAST_ONE(ENERGIES)], asked[AT_LEAST_ONE(ASKED)] = {0.0};
    bool have_energies = false, have_asked = false;
    if (now->mode == INITIALIZING && unit_settle(unit) != WELL) return WRONG;
    for (size_t i = 0; i < count; i++) {
        const unsigned k = vr[i];
        const double *place = place_of(unit, k);
        if (k >= VARIABLES) return fail(unit, "There is no variable of value reference %u.", k);
        if (place) values[i] = *place;
        else if (k == TIME) values[i] = now->t;
        else if (k < INPUT || (k >= MULTIPLIER && k < ENERGY)) {
            if (unit_solve(unit)) return undetermined(unit, now->mode == INITIALIZING ? WRONG : DISCARDED);
            values[i] = k < INPUT ? unit->rate[k - RATE] : unit->multipliers[k - MULTIPLIER];
        } else if (k < INDICATOR) {
            if (!have_energies) model_energies(now->t, now->x, now->u, now->p, energies);
            have_energies = true;
            values[i] = energies[k - ENERGY];
        } else if (k >= COUNT) {
            values[i] = k < WHEN ? now->count[k - COUNT] : now->when[k - WHEN];
        } else {
            if (!have_asked) unit_ask(unit, now->x, now->t, asked);
            have_asked = true;
            values[i] = asked[CHECKS + k - INDICATOR];
        }
    }
    return WELL;
}

/* How all variables change along a direction of the knowns: time, states, inputs and parameters. */
static Outcome unit_along(Unit *unit, const double *direction, double *change)
{
    const Numbers *now = &unit->now;
    double energies[AT_LEAST_ONE(ENERGIES)], solved[STATES / 2 + CONSTRAINTS] = {0.0};
    double b[STATES / 2 + CONSTRAINTS] = {0.0};
    if (unit_solve(unit)) return undetermined(unit, DISCARDED);
    change[TIME] = direction[0];
    for (int i = 0; i < STATES; i++) change[STATE + i] = direction[1 + i];
    for (int i = 0; i < INPUTS + PARAMETERS; i++) change[INPUT + i] = direction[1 + STATES + i];
#if DIRECT
    tangent(now->t, now->x, now->u, now->p, direction, NULL, &change[RATE], energies);
#else
    Equations here;
    for (int i = 0; i < STATES / 2; i++) solved[i] = unit->rate[STATES / 2 + i];
    for (int i = 0; i < CONSTRAINTS; i++) solved[STATES / 2 + i] = unit->multipliers[i];
    tangent(now->t, now->x, now->u, now->p, direction, solved, b, energies);
    for (int i = 0; i < STATES / 2 + CONSTRAINTS; i++) b[i] = -b[i];
    equations_at(now->t, now->x, now->u, now->p, &here);
    if (solve_with(&here, b, 1)) return undetermined(unit, DISCARDED);
    for (int i = 0; i < STATES / 2; i++) {
        change[RATE + i] = direction[1 + STATES / 2 + i];
        change[RATE + STATES / 2 + i] = b[i];
    }
    for (int i = 0; i < CONSTRAINTS; i++) change[MULTIPLIER + i] = b[STATES / 2 + i];
#endif
    for (int i = 0; i < ENERGIES; i++) change[ENERGY + i] = energies[i];
#if CHECKS + ENDS + EVENTS > 0
    double changes[AT_LEAST_ONE(ASKED)];
    asked_tangent(now->t, now->x, now->u, now->p, solved, direction, b, changes);
    for (int i = 0; i < INDICATORS; i++) change[INDICATOR + i] = changes[CHECKS + i];
#else
    (void)solved, (void)b;
#endif
    for (int i = COUNT; i < VARIABLES; i++) change[i] = 0.0;     /* they stay as they are between events */
    return WELL;
}

static Outcome unit_derivative(Unit *unit, const unsigned *unknowns, size_t unknown_count,
                               const unsigned *knowns, size_t known_count, const double *seed, double *found)
{
    double direction[KNOWNS] = {0.0}, change[VARIABLES];
    for (size_t i = 0; i < known_count; i++) {
        const unsigned k = knowns[i];
        if (k == TIME) direction[0] += seed[i];
        else if (k >= STATE && k < RATE) direction[1 + k - STATE] += seed[i];
        else if (k >= INPUT && k < MULTIPLIER) direction[1 + STATES + k - INPUT] += seed[i];
        else return fail(unit, "Derivatives are by time, states, inputs and parameters, not by value"
                         " reference %u.", k);
    }
    const Outcome outcome = unit_along(unit, direction, change);
    if (outcome != WELL) return outcome;
    for (size_t i = 0; i < unknown_count; i++) {
        if (unknowns[i] >= VARIABLES)
            return fail(unit, "There is no variable of value reference %u.", unknowns[i]);
        found[i] = change[unknowns[i]];
    }
    return WELL;
}
