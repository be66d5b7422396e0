/* The functions of FMI 3.0, for Model Exchange and Co-Simulation, around one unit. */

#include "all.h"

#if defined(_WIN32)
#define FMI3 __declspec(dllexport)
#else
#define FMI3 __attribute__((visibility("default")))
#endif

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef uint32_t fmi3ValueReference;
typedef void (*fmi3LogMessage)(void *environment, fmi3Status status, const char *category, const char *text);

static fmi3Status status_of(Outcome outcome)
{
    return outcome == WELL ? fmi3OK : outcome == WARNED ? fmi3Warning : outcome == DISCARDED ? fmi3Discard
                                                                                             : fmi3Error;
}

/* Errors are told always, other things where someone listens. */
static void tell(const Unit *unit, Outcome outcome, const char *text)
{
    const fmi3LogMessage message = (fmi3LogMessage)unit->logger;
    if (message && (unit->logs || outcome == WRONG))
        message(unit->environment, status_of(outcome), outcome == WRONG ? "logStatusError" : "logEvents", text);
}

/* The unit, if it is one, is in order, and in one of some modes. */
#define IN(modes)                                                                                        \
    Unit *unit = instance;                                                                               \
    if (!unit) return fmi3Error;                                                                         \
    if (!(modes))                                                                                        \
        return status_of(unit->now.mode == FAILED                                                        \
            ? say(unit, WRONG, "%s comes after an error: reset or free the unit first.", __func__)       \
            : say(unit, WRONG, "%s is not called in this mode.", __func__))
#define MODE(which) (unit->now.mode == (which))
#define USABLE (!MODE(FAILED) && !MODE(TERMINATED))

FMI3 const char *fmi3GetVersion(void) { return "3.0"; }

FMI3 fmi3Status fmi3SetDebugLogging(void *instance, bool on, size_t count, const char *const categories[])
{
    (void)count, (void)categories;
    if (!instance) return fmi3Error;
    ((Unit *)instance)->logs = on;
    return fmi3OK;
}

FMI3 void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                        bool visible, bool logs, void *environment, fmi3LogMessage message)
{
    (void)resources, (void)visible;
    return unit_new(name, token, false, logs, environment, (void *)message);
}

FMI3 void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                       bool visible, bool logs, bool event_mode, bool early,
                                       const fmi3ValueReference intermediate[], size_t count,
                                       void *environment, fmi3LogMessage message, void *update)
{
    (void)resources, (void)visible, (void)event_mode, (void)early, (void)intermediate, (void)update;
    Unit *unit = unit_new(name, token, true, logs, environment, (void *)message);
    if (unit && count) {
        say(unit, WRONG, "This unit gives no intermediate variables.");
        free(unit);
        return NULL;
    }
    return unit;
}

FMI3 void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                             bool visible, bool logs, void *environment,
                                             fmi3LogMessage message, void *clock, void *lock, void *unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)clock, (void)lock;
    (void)unlock;
    if (message)
        message(environment, fmi3Error, "logStatusError",
                "This unit is for Model Exchange and Co-Simulation, not for Scheduled Execution.");
    return NULL;
}

FMI3 void fmi3FreeInstance(void *instance) { free(instance); }

FMI3 fmi3Status fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance,
                                            double start, bool has_stop, double stop)
{
    (void)has_stop, (void)stop;
    IN(MODE(CREATED));
    if (!isfinite(start)) return status_of(fail(unit, "The time to start at must be finite."));
    if (has_tolerance && tolerance > 0.0 && tolerance < 1.0) unit->now.tolerance = fmax(tolerance, 1e-13);
    unit->now.t = start;
    unit->known = false;
    unit->now.mode = INITIALIZING;
    return fmi3OK;
}

FMI3 fmi3Status fmi3ExitInitializationMode(void *instance)
{
    IN(MODE(INITIALIZING));
    return status_of(unit_begin(unit));
}

FMI3 fmi3Status fmi3EnterEventMode(void *instance)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    unit->now.mode = AT_EVENT;
    return fmi3OK;
}

FMI3 fmi3Status fmi3Terminate(void *instance)
{
    IN(USABLE);
    unit->now.mode = TERMINATED;
    return fmi3OK;
}

FMI3 fmi3Status fmi3Reset(void *instance)
{
    if (!instance) return fmi3Error;
    unit_reset(instance);
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetFloat64(void *instance, const fmi3ValueReference vr[], size_t count, double values[],
                               size_t size)
{
    IN(!MODE(FAILED));
    if (count != size) return status_of(fail(unit, "Each variable has one value, and %zu are asked for"
                                             " %zu variables.", size, count));
    return status_of(unit_get(unit, vr, count, values));
}

FMI3 fmi3Status fmi3SetFloat64(void *instance, const fmi3ValueReference vr[], size_t count,
                               const double values[], size_t size)
{
    IN(USABLE);
    if (count != size) return status_of(fail(unit, "Each variable has one value, and %zu are given for"
                                             " %zu variables.", size, count));
    return status_of(unit_set(unit, vr, count, values));
}

/* All variables are numbers of type Float64. */
static fmi3Status no_such(void *instance, size_t count, const char *function)
{
    if (!instance) return fmi3Error;
    if (!count) return fmi3OK;
    return status_of(fail(instance, "%s: all variables of this unit are of type Float64.", function));
}

#define ABSENT(type, kind)                                                                               \
    FMI3 fmi3Status fmi3Get##type(void *instance, const fmi3ValueReference vr[], size_t count,           \
                                  kind values[], size_t size)                                            \
    {                                                                                                    \
        (void)vr, (void)values, (void)size;                                                              \
        return no_such(instance, count, __func__);                                                       \
    }                                                                                                    \
    FMI3 fmi3Status fmi3Set##type(void *instance, const fmi3ValueReference vr[], size_t count,           \
                                  const kind values[], size_t size)                                      \
    {                                                                                                    \
        (void)vr, (void)values, (void)size;                                                              \
        return no_such(instance, count, __func__);                                                       \
    }
typedef const char *Text;
ABSENT(Float32, float)
ABSENT(Int8, int8_t)
ABSENT(UInt8, uint8_t)
ABSENT(Int16, int16_t)
ABSENT(UInt16, uint16_t)
ABSENT(Int32, int32_t)
ABSENT(UInt32, uint32_t)
ABSENT(Int64, int64_t)
ABSENT(UInt64, uint64_t)
ABSENT(Boolean, bool)
ABSENT(String, Text)

/* Functions that this unit has no use for: right where nothing is asked of them. */
#define UNUSED(name, count, ...)                                                                         \
    FMI3 fmi3Status name(void *instance, __VA_ARGS__) { return no_such(instance, count, __func__); }
UNUSED(fmi3GetBinary, n, const fmi3ValueReference v[], size_t n, size_t s[], const uint8_t *x[], size_t m)
UNUSED(fmi3SetBinary, n, const fmi3ValueReference v[], size_t n, const size_t s[], const uint8_t *const x[],
       size_t m)
UNUSED(fmi3GetClock, n, const fmi3ValueReference v[], size_t n, bool x[])
UNUSED(fmi3SetClock, n, const fmi3ValueReference v[], size_t n, const bool x[])
UNUSED(fmi3GetIntervalDecimal, n, const fmi3ValueReference v[], size_t n, double x[], int q[])
UNUSED(fmi3GetIntervalFraction, n, const fmi3ValueReference v[], size_t n, uint64_t x[], uint64_t r[],
       int q[])
UNUSED(fmi3GetShiftDecimal, n, const fmi3ValueReference v[], size_t n, double x[])
UNUSED(fmi3GetShiftFraction, n, const fmi3ValueReference v[], size_t n, uint64_t x[], uint64_t r[])
UNUSED(fmi3SetIntervalDecimal, n, const fmi3ValueReference v[], size_t n, const double x[])
UNUSED(fmi3SetIntervalFraction, n, const fmi3ValueReference v[], size_t n, const uint64_t x[],
       const uint64_t r[])
UNUSED(fmi3SetShiftDecimal, n, const fmi3ValueReference v[], size_t n, const double x[])
UNUSED(fmi3SetShiftFraction, n, const fmi3ValueReference v[], size_t n, const uint64_t x[],
       const uint64_t r[])
UNUSED(fmi3ActivateModelPartition, 1, fmi3ValueReference clock, double time)
UNUSED(fmi3GetOutputDerivatives, n, const fmi3ValueReference v[], size_t n, const int32_t o[], double x[],
       size_t m)
UNUSED(fmi3GetNumberOfVariableDependencies, 1, fmi3ValueReference v, size_t *n)
UNUSED(fmi3GetVariableDependencies, 1, fmi3ValueReference v, size_t i[], fmi3ValueReference w[], size_t j[],
       int k[], size_t n)
UNUSED(fmi3GetAdjointDerivative, 1, const fmi3ValueReference v[], size_t n, const fmi3ValueReference w[],
       size_t m, const double s[], size_t k, double x[], size_t l)

FMI3 fmi3Status fmi3EnterConfigurationMode(void *instance) { return no_such(instance, 0, __func__); }
FMI3 fmi3Status fmi3ExitConfigurationMode(void *instance) { return no_such(instance, 0, __func__); }
FMI3 fmi3Status fmi3EvaluateDiscreteStates(void *instance) { return no_such(instance, 0, __func__); }

FMI3 fmi3Status fmi3GetFMUState(void *instance, void **state)
{
    IN(!MODE(FAILED) && state);
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return status_of(say(unit, WRONG, "There is no memory for the state of the unit."));
    memcpy(*state, &unit->now, sizeof(Numbers));
    return fmi3OK;
}

FMI3 fmi3Status fmi3SetFMUState(void *instance, void *state)
{
    if (!instance || !state) return fmi3Error;
    Unit *unit = instance;
    memcpy(&unit->now, state, sizeof(Numbers));
    unit->known = false;
    return fmi3OK;
}

FMI3 fmi3Status fmi3FreeFMUState(void *instance, void **state)
{
    (void)instance;
    if (!state) return fmi3OK;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI3 fmi3Status fmi3SerializedFMUStateSize(void *instance, void *state, size_t *size)
{
    if (!instance || !state || !size) return fmi3Error;
    *size = sizeof(Numbers);
    return fmi3OK;
}

FMI3 fmi3Status fmi3SerializeFMUState(void *instance, void *state, uint8_t bytes[], size_t size)
{
    if (!instance || !state || !bytes) return fmi3Error;
    if (size != sizeof(Numbers)) return status_of(say(instance, WRONG, "The size of the state is wrong."));
    memcpy(bytes, state, size);
    return fmi3OK;
}

FMI3 fmi3Status fmi3DeserializeFMUState(void *instance, const uint8_t bytes[], size_t size, void **state)
{
    if (!instance || !state || !bytes) return fmi3Error;
    if (size != sizeof(Numbers)) return status_of(say(instance, WRONG, "The size of the state is wrong."));
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return status_of(say(instance, WRONG, "There is no memory for the state of the unit."));
    memcpy(*state, bytes, size);
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetDirectionalDerivative(void *instance, const fmi3ValueReference unknowns[],
                                             size_t unknown_count, const fmi3ValueReference knowns[],
                                             size_t known_count, const double seed[], size_t seeds,
                                             double found[], size_t founds)
{
    IN(USABLE);
    if (known_count != seeds || unknown_count != founds)
        return status_of(fail(unit, "Each variable has one value, in seeds and sensitivities too."));
    return status_of(unit_derivative(unit, unknowns, unknown_count, knowns, known_count, seed, found));
}

FMI3 fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals,
                                         bool *values, bool *has_next, double *next)
{
    IN(MODE(AT_EVENT));
    *again = *nominals = *has_next = false;
    *next = 0.0;
    return status_of(unit_event(unit, values, terminate));
}

FMI3 fmi3Status fmi3EnterContinuousTimeMode(void *instance)
{
    IN(MODE(AT_EVENT));
    unit->now.mode = CONTINUOUS;
    return fmi3OK;
}

FMI3 fmi3Status fmi3CompletedIntegratorStep(void *instance, bool no_return, bool *event, bool *terminate)
{
    IN(MODE(CONTINUOUS));
    (void)no_return;
    *terminate = false;
    *event = unit_drifted(unit) || unit_fallen(unit, unit->now.x, unit->now.t) >= 0;
    unit_remember(unit);
    return fmi3OK;
}

FMI3 fmi3Status fmi3SetTime(void *instance, double time)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    if (!isfinite(time)) return status_of(fail(unit, "Time must be a finite number. Got %g.", time));
    unit->now.t = time;
    unit->known = false;
    return fmi3OK;
}

FMI3 fmi3Status fmi3SetContinuousStates(void *instance, const double x[], size_t count)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    if (count != STATES) return status_of(fail(unit, "There are %d states. Got %zu.", STATES, count));
    for (int i = 0; i < STATES; i++)
        if (!isfinite(x[i]))
            return status_of(say(unit, DISCARDED, "The state %s is not finite.", NAMES[STATE + i]));
    memcpy(unit->now.x, x, sizeof unit->now.x);
    unit->known = false;
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetContinuousStateDerivatives(void *instance, double rate[], size_t count)
{
    IN(USABLE && count == STATES);
    if (unit_solve(unit)) return status_of(undetermined(unit, DISCARDED));
    memcpy(rate, unit->rate, sizeof unit->rate);
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetEventIndicators(void *instance, double values[], size_t count)
{
    IN(USABLE && count == INDICATORS);
    double asked[AT_LEAST_ONE(ASKED)];
    unit_ask(unit, unit->now.x, unit->now.t, asked);
    for (int i = 0; i < INDICATORS; i++) values[i] = asked[CHECKS + i];
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetContinuousStates(void *instance, double x[], size_t count)
{
    IN(!MODE(FAILED) && count == STATES);
    memcpy(x, unit->now.x, sizeof unit->now.x);
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetNominalsOfContinuousStates(void *instance, double nominals[], size_t count)
{
    IN(!MODE(FAILED) && count == STATES);
    for (int i = 0; i < STATES; i++) nominals[i] = 1.0;
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *count)
{
    if (!instance || !count) return fmi3Error;
    *count = INDICATORS;
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *count)
{
    if (!instance || !count) return fmi3Error;
    *count = STATES;
    return fmi3OK;
}

FMI3 fmi3Status fmi3EnterStepMode(void *instance)
{
    IN(MODE(STEPPING));
    return fmi3OK;
}

FMI3 fmi3Status fmi3DoStep(void *instance, double time, double step, bool no_return, bool *event,
                           bool *terminate, bool *early, double *reached)
{
    IN(MODE(STEPPING));
    (void)no_return;
    *event = *terminate = *early = false;
    *reached = unit->now.t;
    if (!(fabs(time - unit->now.t) <= 1e-9 * fmax(1.0, fabs(time))) || !(step > 0.0) || !isfinite(step))
        return status_of(fail(unit, "A step starts at the time that was reached, %.9g, and is positive."
                              " Got a step of %g at %.9g.", unit->now.t, step, time));
    const Outcome outcome = unit->now.ended ? WELL : unit_advance(unit, time + step);
    *reached = unit->now.t;
    *terminate = unit->now.ended;
    return status_of(outcome);
}
