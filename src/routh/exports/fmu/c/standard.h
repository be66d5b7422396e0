/* What the functions of both versions of the standard have in common: the same, but for their names.

   Before it stand FMI(name), FMU_STATE(before, after) and GET_RATES, which make names, the type Status with
   its members, Flag, which is true or false, and Byte. */

#if defined(_WIN32)
#define CALLED __declspec(dllexport)
#else
#define CALLED __attribute__((visibility("default")))
#endif

static Status status_of(Outcome outcome)
{
    return outcome == WELL ? FMI(OK) : outcome == WARNED ? FMI(Warning)
                                     : outcome == DISCARDED ? FMI(Discard) : FMI(Error);
}

/* The unit, if it is one, is in order, and in one of some modes. */
#define IN(modes)                                                                                        \
    Unit *unit = instance;                                                                               \
    if (!unit) return FMI(Error);                                                                        \
    if (!(modes))                                                                                        \
        return status_of(unit->now.mode == FAILED                                                        \
            ? say(unit, WRONG, "%s comes after an error: reset or free the unit first.", __func__)       \
            : say(unit, WRONG, "%s is not called in this mode.", __func__))
#define MODE(which) (unit->now.mode == (which))
#define USABLE (!MODE(FAILED) && !MODE(TERMINATED))

CALLED Status FMI(SetDebugLogging)(void *instance, Flag on, size_t count, const char *const categories[])
{
    (void)count, (void)categories;
    if (!instance) return FMI(Error);
    ((Unit *)instance)->logs = on;
    return FMI(OK);
}

CALLED void FMI(FreeInstance)(void *instance) { free(instance); }

/* What is said of a motion before it starts. */
static Status experiment(Unit *unit, bool has_tolerance, double tolerance, double start, bool has_stop,
                         double stop)
{
    if (!isfinite(start)) return status_of(fail(unit, "The time to start at must be finite."));
    if (has_tolerance && tolerance > 0.0 && tolerance < 1.0) unit->now.tolerance = fmax(tolerance, 1e-13);
    unit->now.t = unit->now.start = start;
    unit->now.stop = has_stop ? stop : INFINITY;
    unit->known = false;
    return FMI(OK);
}

CALLED Status FMI(ExitInitializationMode)(void *instance)
{
    IN(MODE(INITIALIZING));
    return status_of(unit_begin(unit));
}

CALLED Status FMI(EnterEventMode)(void *instance)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT) || (MODE(STEPPING) && unit->now.event_mode));
    unit->now.mode = AT_EVENT;
    return FMI(OK);
}

CALLED Status FMI(EnterContinuousTimeMode)(void *instance)
{
    IN(MODE(AT_EVENT) && !unit->now.by_steps);
    unit->now.mode = CONTINUOUS;
    return FMI(OK);
}

CALLED Status FMI(Terminate)(void *instance)
{
    IN(USABLE);
    unit->now.mode = TERMINATED;
    return FMI(OK);
}

CALLED Status FMI(Reset)(void *instance)
{
    if (!instance) return FMI(Error);
    unit_reset(instance);
    return FMI(OK);
}

CALLED Status FMU_STATE(Get, )(void *instance, void **state)
{
    IN(!MODE(FAILED) && state);
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return status_of(say(unit, WRONG, "There is no memory for the state of the unit."));
    memcpy(*state, &unit->now, sizeof(Numbers));
    return FMI(OK);
}

CALLED Status FMU_STATE(Set, )(void *instance, void *state)
{
    if (!instance || !state) return FMI(Error);
    Unit *unit = instance;
    memcpy(&unit->now, state, sizeof(Numbers));
    unit->known = false;
    return FMI(OK);
}

CALLED Status FMU_STATE(Free, )(void *instance, void **state)
{
    (void)instance;
    if (!state) return FMI(OK);
    free(*state);
    *state = NULL;
    return FMI(OK);
}

CALLED Status FMU_STATE(Serialized, Size)(void *instance, void *state, size_t *size)
{
    if (!instance || !state || !size) return FMI(Error);
    *size = sizeof(Numbers);
    return FMI(OK);
}

CALLED Status FMU_STATE(Serialize, )(void *instance, void *state, Byte bytes[], size_t size)
{
    if (!instance || !state || !bytes) return FMI(Error);
    if (size != sizeof(Numbers)) return status_of(say(instance, WRONG, "The size of the state is wrong."));
    memcpy(bytes, state, size);
    return FMI(OK);
}

CALLED Status FMU_STATE(DESERIALIZE, )(void *instance, const Byte bytes[], size_t size, void **state)
{
    if (!instance || !state || !bytes) return FMI(Error);
    if (size != sizeof(Numbers)) return status_of(say(instance, WRONG, "The size of the state is wrong."));
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return status_of(say(instance, WRONG, "There is no memory for the state of the unit."));
    memcpy(*state, bytes, size);
    return FMI(OK);
}

CALLED Status FMI(CompletedIntegratorStep)(void *instance, Flag no_return, Flag *event, Flag *terminate)
{
    IN(MODE(CONTINUOUS));
    bool due = false;
    (void)no_return;
    *terminate = 0;
    const Outcome outcome = unit_stepped(unit, &due);
    *event = due;
    return status_of(outcome);
}

CALLED Status FMI(SetTime)(void *instance, double time)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    if (!isfinite(time)) return status_of(fail(unit, "Time must be a finite number. Got %g.", time));
    unit->now.t = time;
    unit->known = false;
    return FMI(OK);
}

CALLED Status FMI(SetContinuousStates)(void *instance, const double x[], size_t count)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    if (count != STATES) return status_of(fail(unit, "There are %d states. Got %zu.", STATES, count));
    for (int i = 0; i < STATES; i++)
        if (!isfinite(x[i]))
            return status_of(say(unit, DISCARDED, "The state %s is not finite.", NAMES[STATE + i]));
    memcpy(unit->now.x, x, sizeof unit->now.x);
    unit->known = false;
    return FMI(OK);
}

CALLED Status FMI(GetContinuousStates)(void *instance, double x[], size_t count)
{
    IN(!MODE(FAILED) && count == STATES);
    memcpy(x, unit->now.x, sizeof unit->now.x);
    return FMI(OK);
}

CALLED Status GET_RATES(void *instance, double rate[], size_t count)
{
    IN(USABLE && count == STATES);
    if (unit_solve(unit)) return status_of(undetermined(unit, DISCARDED));
    memcpy(rate, unit->rate, sizeof unit->rate);
    return FMI(OK);
}

CALLED Status FMI(GetEventIndicators)(void *instance, double values[], size_t count)
{
    IN(USABLE && count == INDICATORS);
    double asked[AT_LEAST_ONE(ASKED)];
    unit_ask(unit, unit->now.x, unit->now.t, asked);
    for (int i = 0; i < INDICATORS; i++) values[i] = asked[CHECKS + i];
    return FMI(OK);
}

CALLED Status FMI(GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t count)
{
    IN(!MODE(FAILED) && count == STATES);
    for (int i = 0; i < STATES; i++) nominals[i] = 1.0;
    return FMI(OK);
}

/* One step of a unit that integrates itself. */
static Status stepped(Unit *unit, double time, double step)
{
    if (!(fabs(time - unit->now.t) <= 1e-9 * fmax(1.0, fabs(time))) || !(step > 0.0) || !isfinite(step))
        return status_of(fail(unit, "A step starts at the time that was reached, %.9g, and is positive."
                              " Got a step of %g at %.9g.", unit->now.t, step, time));
    if (time + step - unit->now.stop > 1e-9 * fmax(1.0, fabs(time)))
        return status_of(fail(unit, "The motion was said to stop at %.9g. Got a step of %g at %.9g.",
                              unit->now.stop, step, time));
    return unit->now.ended ? FMI(OK) : status_of(unit_advance(unit, time + step));
}
