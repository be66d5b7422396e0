/* The functions of FMI 3.0, for Model Exchange and Co-Simulation, around one unit. */

#include "all.h"

#define FMI(name) fmi3##name
#define FMU_STATE(before, after) NAMED_STATE(before, after)
#define NAMED_STATE(before, after) fmi3##before##FMUState##after
#define DESERIALIZE Deserialize
#define GET_RATES fmi3GetContinuousStateDerivatives

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef uint32_t fmi3ValueReference;
typedef fmi3Status Status;
typedef bool Flag;
typedef uint8_t Byte;
typedef void (*fmi3LogMessage)(void *environment, fmi3Status status, const char *category, const char *text);

#include "standard.h"

/* Errors are told always, other things where someone listens. */
static void tell(const Unit *unit, Outcome outcome, const char *text)
{
    const fmi3LogMessage message = (fmi3LogMessage)unit->logger;
    if (message && (unit->logs || outcome == WRONG))
        message(unit->environment, status_of(outcome), outcome == WRONG ? "logStatusError" : "logEvents", text);
}

CALLED const char *fmi3GetVersion(void) { return "3.0"; }

CALLED void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                          bool visible, bool logs, void *environment, fmi3LogMessage message)
{
    (void)resources, (void)visible;
    return unit_new(name, token, false, logs, environment, (void *)message);
}

CALLED void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                         bool visible, bool logs, bool event_mode, bool early,
                                         const fmi3ValueReference intermediate[], size_t count,
                                         void *environment, fmi3LogMessage message, void *update)
{
    (void)resources, (void)visible, (void)intermediate, (void)update;
    Unit *unit = unit_new(name, token, true, logs, environment, (void *)message);
    if (unit && count) {
        say(unit, WRONG, "This unit gives no intermediate variables.");
        free(unit);
        return NULL;
    }
    if (unit) unit->now.event_mode = event_mode;
    if (unit) unit->now.early = early;
    return unit;
}

CALLED void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
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

CALLED fmi3Status fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance,
                                              double start, bool has_stop, double stop)
{
    IN(MODE(CREATED));
    const Status status = experiment(unit, has_tolerance, tolerance, start, has_stop, stop);
    if (status == fmi3OK) unit->now.mode = INITIALIZING;
    return status;
}

CALLED fmi3Status fmi3GetFloat64(void *instance, const fmi3ValueReference vr[], size_t count, double values[],
                                 size_t size)
{
    IN(!MODE(FAILED));
    if (count != size) return status_of(fail(unit, "Each variable has one value, and %zu are asked for"
                                             " %zu variables.", size, count));
    return status_of(unit_get(unit, vr, count, values));
}

CALLED fmi3Status fmi3SetFloat64(void *instance, const fmi3ValueReference vr[], size_t count,
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
    CALLED fmi3Status fmi3Get##type(void *instance, const fmi3ValueReference vr[], size_t count,           \
                                  kind values[], size_t size)                                            \
    {                                                                                                    \
        (void)vr, (void)values, (void)size;                                                              \
        return no_such(instance, count, __func__);                                                       \
    }                                                                                                    \
    CALLED fmi3Status fmi3Set##type(void *instance, const fmi3ValueReference vr[], size_t count,           \
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
    CALLED fmi3Status name(void *instance, __VA_ARGS__) { return no_such(instance, count, __func__); }
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

CALLED fmi3Status fmi3EnterConfigurationMode(void *instance) { return no_such(instance, 0, __func__); }
CALLED fmi3Status fmi3ExitConfigurationMode(void *instance) { return no_such(instance, 0, __func__); }
CALLED fmi3Status fmi3EvaluateDiscreteStates(void *instance) { return no_such(instance, 0, __func__); }

CALLED fmi3Status fmi3GetDirectionalDerivative(void *instance, const fmi3ValueReference unknowns[],
                                               size_t unknown_count, const fmi3ValueReference knowns[],
                                               size_t known_count, const double seed[], size_t seeds,
                                               double found[], size_t founds)
{
    IN(USABLE);
    if (known_count != seeds || unknown_count != founds)
        return status_of(fail(unit, "Each variable has one value, in seeds and sensitivities too."));
    return status_of(unit_derivative(unit, unknowns, unknown_count, knowns, known_count, seed, found));
}

CALLED fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals,
                                           bool *values, bool *has_next, double *next)
{
    IN(MODE(AT_EVENT));
    *again = *nominals = *has_next = false;
    *next = 0.0;
    return status_of(unit_event(unit, values, terminate));
}

CALLED fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *count)
{
    if (!instance || !count) return fmi3Error;
    *count = INDICATORS;
    return fmi3OK;
}

CALLED fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *count)
{
    if (!instance || !count) return fmi3Error;
    *count = STATES;
    return fmi3OK;
}

CALLED fmi3Status fmi3EnterStepMode(void *instance)
{
    IN(MODE(STEPPING) || (MODE(AT_EVENT) && unit->now.by_steps));
    unit->now.mode = STEPPING;
    return fmi3OK;
}

/* Whether something was found within a step that is not handled yet. */
static bool unit_waits(const Unit *unit)
{
    for (int k = 0; k < EVENTS; k++) if (unit->now.due[k]) return true;
    return unit->now.fallen > 0;
}

/* A step ends early where the motion ends, and at an event that another handles. */
CALLED fmi3Status fmi3DoStep(void *instance, double time, double step, bool no_return, bool *event,
                               bool *terminate, bool *early, double *reached)
{
    IN(MODE(STEPPING));
    (void)no_return;
    *event = *terminate = *early = false;
    const Status status = stepped(unit, time, step);
    *reached = unit->now.t;
    *terminate = unit->now.ended;
    *early = unit->now.early && *reached < time + step;
    *event = status == fmi3OK && !*terminate && unit_waits(unit);
    return status;
}
