/* The functions of FMI 2.0, for Model Exchange and Co-Simulation, around one unit. */

#include "all.h"

#if defined(_WIN32)
#define FMI2 __declspec(dllexport)
#else
#define FMI2 __attribute__((visibility("default")))
#endif

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef unsigned int fmi2ValueReference;
typedef int fmi2Boolean;
typedef struct {
    void (*logger)(void *environment, const char *name, fmi2Status status, const char *category,
                   const char *form, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *place);
    void (*stepFinished)(void *environment, fmi2Status status);
    void *environment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean again, terminate, nominals, values, has_next;
    double next;
} fmi2EventInfo;

static fmi2Status status_of(Outcome outcome)
{
    return outcome == WELL ? fmi2OK : outcome == WARNED ? fmi2Warning : outcome == DISCARDED ? fmi2Discard
                                                                                             : fmi2Error;
}

/* Errors are told always, other things where someone listens. The text is a form: its signs of percent
   are doubled, so that loggers that fill it in and those that do not show the same. */
static void tell(const Unit *unit, Outcome outcome, const char *text)
{
    const fmi2CallbackFunctions *functions = unit->logger;
    char form[1024];
    size_t size = 0;
    if (!functions || !functions->logger || !(unit->logs || outcome == WRONG)) return;
    for (; *text && size < sizeof form - 2; text++) {
        if (*text == '%') form[size++] = '%';
        form[size++] = *text;
    }
    form[size] = 0;
    functions->logger(unit->environment, unit->name, status_of(outcome),
                      outcome == WRONG ? "logStatusError" : "logEvents", form);
}

/* The unit, if it is one, is in order, and in one of some modes. */
#define IN(modes)                                                                                        \
    Unit *unit = instance;                                                                               \
    if (!unit) return fmi2Error;                                                                         \
    if (!(modes))                                                                                        \
        return status_of(unit->now.mode == FAILED                                                        \
            ? say(unit, WRONG, "%s comes after an error: reset or free the unit first.", __func__)       \
            : say(unit, WRONG, "%s is not called in this mode.", __func__))
#define MODE(which) (unit->now.mode == (which))
#define USABLE (!MODE(FAILED) && !MODE(TERMINATED))

FMI2 const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI2 const char *fmi2GetVersion(void) { return "2.0"; }

FMI2 fmi2Status fmi2SetDebugLogging(void *instance, fmi2Boolean on, size_t count,
                                    const char *const categories[])
{
    (void)count, (void)categories;
    if (!instance) return fmi2Error;
    ((Unit *)instance)->logs = on;
    return fmi2OK;
}

FMI2 void *fmi2Instantiate(const char *name, fmi2Type type, const char *token, const char *resources,
                           const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logs)
{
    (void)resources, (void)visible;
    void *environment = functions ? functions->environment : NULL;
    return unit_new(name, token, type == fmi2CoSimulation, logs, environment, (void *)functions);
}

FMI2 void fmi2FreeInstance(void *instance) { free(instance); }

FMI2 fmi2Status fmi2SetupExperiment(void *instance, fmi2Boolean has_tolerance, double tolerance, double start,
                                    fmi2Boolean has_stop, double stop)
{
    (void)has_stop, (void)stop;
    IN(MODE(CREATED));
    if (!isfinite(start)) return status_of(fail(unit, "The time to start at must be finite."));
    if (has_tolerance && tolerance > 0.0 && tolerance < 1.0) unit->now.tolerance = fmax(tolerance, 1e-13);
    unit->now.t = start;
    unit->known = false;
    return fmi2OK;
}

FMI2 fmi2Status fmi2EnterInitializationMode(void *instance)
{
    IN(MODE(CREATED));
    unit->now.mode = INITIALIZING;
    return fmi2OK;
}

FMI2 fmi2Status fmi2ExitInitializationMode(void *instance)
{
    IN(MODE(INITIALIZING));
    return status_of(unit_begin(unit));
}

FMI2 fmi2Status fmi2Terminate(void *instance)
{
    IN(USABLE);
    unit->now.mode = TERMINATED;
    return fmi2OK;
}

FMI2 fmi2Status fmi2Reset(void *instance)
{
    if (!instance) return fmi2Error;
    unit_reset(instance);
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetReal(void *instance, const fmi2ValueReference vr[], size_t count, double values[])
{
    IN(!MODE(FAILED));
    return status_of(unit_get(unit, vr, count, values));
}

FMI2 fmi2Status fmi2SetReal(void *instance, const fmi2ValueReference vr[], size_t count,
                            const double values[])
{
    IN(USABLE);
    return status_of(unit_set(unit, vr, count, values));
}

/* All variables are real numbers. */
static fmi2Status no_such(void *instance, size_t count, const char *function)
{
    if (!instance) return fmi2Error;
    if (!count) return fmi2OK;
    return status_of(fail(instance, "%s: all variables of this unit are real numbers.", function));
}

#define UNUSED(name, count, ...)                                                                         \
    FMI2 fmi2Status name(void *instance, __VA_ARGS__) { return no_such(instance, count, __func__); }
UNUSED(fmi2GetInteger, n, const fmi2ValueReference v[], size_t n, int x[])
UNUSED(fmi2GetBoolean, n, const fmi2ValueReference v[], size_t n, fmi2Boolean x[])
UNUSED(fmi2GetString, n, const fmi2ValueReference v[], size_t n, const char *x[])
UNUSED(fmi2SetInteger, n, const fmi2ValueReference v[], size_t n, const int x[])
UNUSED(fmi2SetBoolean, n, const fmi2ValueReference v[], size_t n, const fmi2Boolean x[])
UNUSED(fmi2SetString, n, const fmi2ValueReference v[], size_t n, const char *const x[])
UNUSED(fmi2SetRealInputDerivatives, n, const fmi2ValueReference v[], size_t n, const int o[],
       const double x[])
UNUSED(fmi2GetRealOutputDerivatives, n, const fmi2ValueReference v[], size_t n, const int o[], double x[])

FMI2 fmi2Status fmi2GetFMUstate(void *instance, void **state)
{
    IN(!MODE(FAILED) && state);
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return status_of(say(unit, WRONG, "There is no memory for the state of the unit."));
    memcpy(*state, &unit->now, sizeof(Numbers));
    return fmi2OK;
}

FMI2 fmi2Status fmi2SetFMUstate(void *instance, void *state)
{
    if (!instance || !state) return fmi2Error;
    Unit *unit = instance;
    memcpy(&unit->now, state, sizeof(Numbers));
    unit->known = false;
    return fmi2OK;
}

FMI2 fmi2Status fmi2FreeFMUstate(void *instance, void **state)
{
    (void)instance;
    if (!state) return fmi2OK;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI2 fmi2Status fmi2SerializedFMUstateSize(void *instance, void *state, size_t *size)
{
    if (!instance || !state || !size) return fmi2Error;
    *size = sizeof(Numbers);
    return fmi2OK;
}

FMI2 fmi2Status fmi2SerializeFMUstate(void *instance, void *state, char bytes[], size_t size)
{
    if (!instance || !state || !bytes) return fmi2Error;
    if (size != sizeof(Numbers)) return status_of(say(instance, WRONG, "The size of the state is wrong."));
    memcpy(bytes, state, size);
    return fmi2OK;
}

FMI2 fmi2Status fmi2DeSerializeFMUstate(void *instance, const char bytes[], size_t size, void **state)
{
    if (!instance || !state || !bytes) return fmi2Error;
    if (size != sizeof(Numbers)) return status_of(say(instance, WRONG, "The size of the state is wrong."));
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return status_of(say(instance, WRONG, "There is no memory for the state of the unit."));
    memcpy(*state, bytes, size);
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetDirectionalDerivative(void *instance, const fmi2ValueReference unknowns[],
                                             size_t unknown_count, const fmi2ValueReference knowns[],
                                             size_t known_count, const double seed[], double found[])
{
    IN(USABLE);
    return status_of(unit_derivative(unit, unknowns, unknown_count, knowns, known_count, seed, found));
}

FMI2 fmi2Status fmi2EnterEventMode(void *instance)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    unit->now.mode = AT_EVENT;
    return fmi2OK;
}

FMI2 fmi2Status fmi2NewDiscreteStates(void *instance, fmi2EventInfo *info)
{
    IN(MODE(AT_EVENT) && info);
    bool moved, ended;
    memset(info, 0, sizeof *info);
    const Outcome outcome = unit_event(unit, &moved, &ended);
    info->values = moved;
    info->terminate = ended;
    return status_of(outcome);
}

FMI2 fmi2Status fmi2EnterContinuousTimeMode(void *instance)
{
    IN(MODE(AT_EVENT));
    unit->now.mode = CONTINUOUS;
    return fmi2OK;
}

FMI2 fmi2Status fmi2CompletedIntegratorStep(void *instance, fmi2Boolean no_return, fmi2Boolean *event,
                                            fmi2Boolean *terminate)
{
    IN(MODE(CONTINUOUS));
    (void)no_return;
    *terminate = 0;
    *event = unit_drifted(unit) || unit_fallen(unit, unit->now.x, unit->now.t) >= 0;
    unit_remember(unit);
    return fmi2OK;
}

FMI2 fmi2Status fmi2SetTime(void *instance, double time)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    if (!isfinite(time)) return status_of(fail(unit, "Time must be a finite number. Got %g.", time));
    unit->now.t = time;
    unit->known = false;
    return fmi2OK;
}

FMI2 fmi2Status fmi2SetContinuousStates(void *instance, const double x[], size_t count)
{
    IN(MODE(CONTINUOUS) || MODE(AT_EVENT));
    if (count != STATES) return status_of(fail(unit, "There are %d states. Got %zu.", STATES, count));
    for (int i = 0; i < STATES; i++)
        if (!isfinite(x[i]))
            return status_of(say(unit, DISCARDED, "The state %s is not finite.", NAMES[STATE + i]));
    memcpy(unit->now.x, x, sizeof unit->now.x);
    unit->known = false;
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetDerivatives(void *instance, double rate[], size_t count)
{
    IN(USABLE && count == STATES);
    if (unit_solve(unit)) return status_of(undetermined(unit, DISCARDED));
    memcpy(rate, unit->rate, sizeof unit->rate);
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetEventIndicators(void *instance, double values[], size_t count)
{
    IN(USABLE && count == INDICATORS);
    double asked[AT_LEAST_ONE(ASKED)];
    unit_ask(unit, unit->now.x, unit->now.t, asked);
    for (int i = 0; i < INDICATORS; i++) values[i] = asked[CHECKS + i];
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetContinuousStates(void *instance, double x[], size_t count)
{
    IN(!MODE(FAILED) && count == STATES);
    memcpy(x, unit->now.x, sizeof unit->now.x);
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetNominalsOfContinuousStates(void *instance, double nominals[], size_t count)
{
    IN(!MODE(FAILED) && count == STATES);
    for (int i = 0; i < STATES; i++) nominals[i] = 1.0;
    return fmi2OK;
}

/* A motion that a requirement has ended is discarded: the status then says that it is over. */
FMI2 fmi2Status fmi2DoStep(void *instance, double time, double step, fmi2Boolean no_return)
{
    IN(MODE(STEPPING));
    (void)no_return;
    if (!(fabs(time - unit->now.t) <= 1e-9 * fmax(1.0, fabs(time))) || !(step > 0.0) || !isfinite(step))
        return status_of(fail(unit, "A step starts at the time that was reached, %.9g, and is positive."
                              " Got a step of %g at %.9g.", unit->now.t, step, time));
    const Outcome outcome = unit->now.ended ? WELL : unit_advance(unit, time + step);
    return status_of(outcome == WELL && unit->now.ended ? DISCARDED : outcome);
}

FMI2 fmi2Status fmi2CancelStep(void *instance) { return no_such(instance, 1, __func__); }

FMI2 fmi2Status fmi2GetStatus(void *instance, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind, (void)value;
    return instance ? fmi2Discard : fmi2Error;
}

FMI2 fmi2Status fmi2GetRealStatus(void *instance, const fmi2StatusKind kind, double *value)
{
    if (!instance || !value) return fmi2Error;
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Unit *)instance)->now.t;
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetIntegerStatus(void *instance, const fmi2StatusKind kind, int *value)
{
    (void)kind, (void)value;
    return instance ? fmi2Discard : fmi2Error;
}

FMI2 fmi2Status fmi2GetBooleanStatus(void *instance, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (!instance || !value) return fmi2Error;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = ((Unit *)instance)->now.ended;
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetStringStatus(void *instance, const fmi2StatusKind kind, const char **value)
{
    (void)kind, (void)value;
    return instance ? fmi2Discard : fmi2Error;
}
