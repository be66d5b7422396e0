/* The functions of FMI 2.0, for Model Exchange and Co-Simulation, around one unit. */

#include "all.h"

#define FMI(name) fmi2##name
#define FMU_STATE(before, after) NAMED_STATE(before, after)
#define NAMED_STATE(before, after) fmi2##before##FMUstate##after
#define DESERIALIZE DeSerialize
#define GET_RATES fmi2GetDerivatives

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
typedef fmi2Status Status;
typedef fmi2Boolean Flag;
typedef char Byte;

#include "standard.h"

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

CALLED const char *fmi2GetTypesPlatform(void) { return "default"; }
CALLED const char *fmi2GetVersion(void) { return "2.0"; }

CALLED void *fmi2Instantiate(const char *name, fmi2Type type, const char *token, const char *resources,
                             const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logs)
{
    (void)resources, (void)visible;
    void *environment = functions ? functions->environment : NULL;
    return unit_new(name, token, type == fmi2CoSimulation, logs, environment, (void *)functions);
}

CALLED fmi2Status fmi2SetupExperiment(void *instance, fmi2Boolean has_tolerance, double tolerance, double start,
                                      fmi2Boolean has_stop, double stop)
{
    IN(MODE(CREATED));
    return experiment(unit, has_tolerance, tolerance, start, has_stop, stop);
}

CALLED fmi2Status fmi2EnterInitializationMode(void *instance)
{
    IN(MODE(CREATED));
    unit->now.mode = INITIALIZING;
    return fmi2OK;
}

CALLED fmi2Status fmi2GetReal(void *instance, const fmi2ValueReference vr[], size_t count, double values[])
{
    IN(!MODE(FAILED));
    return status_of(unit_get(unit, vr, count, values));
}

CALLED fmi2Status fmi2SetReal(void *instance, const fmi2ValueReference vr[], size_t count,
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
    CALLED fmi2Status name(void *instance, __VA_ARGS__) { return no_such(instance, count, __func__); }
UNUSED(fmi2GetInteger, n, const fmi2ValueReference v[], size_t n, int x[])
UNUSED(fmi2GetBoolean, n, const fmi2ValueReference v[], size_t n, fmi2Boolean x[])
UNUSED(fmi2GetString, n, const fmi2ValueReference v[], size_t n, const char *x[])
UNUSED(fmi2SetInteger, n, const fmi2ValueReference v[], size_t n, const int x[])
UNUSED(fmi2SetBoolean, n, const fmi2ValueReference v[], size_t n, const fmi2Boolean x[])
UNUSED(fmi2SetString, n, const fmi2ValueReference v[], size_t n, const char *const x[])
UNUSED(fmi2SetRealInputDerivatives, n, const fmi2ValueReference v[], size_t n, const int o[],
       const double x[])
UNUSED(fmi2GetRealOutputDerivatives, n, const fmi2ValueReference v[], size_t n, const int o[], double x[])

CALLED fmi2Status fmi2GetDirectionalDerivative(void *instance, const fmi2ValueReference unknowns[],
                                               size_t unknown_count, const fmi2ValueReference knowns[],
                                               size_t known_count, const double seed[], double found[])
{
    IN(USABLE);
    return status_of(unit_derivative(unit, unknowns, unknown_count, knowns, known_count, seed, found));
}

CALLED fmi2Status fmi2NewDiscreteStates(void *instance, fmi2EventInfo *info)
{
    IN(MODE(AT_EVENT) && info);
    bool moved, ended;
    memset(info, 0, sizeof *info);
    const Outcome outcome = unit_event(unit, &moved, &ended);
    info->values = moved;
    info->terminate = ended;
    return status_of(outcome);
}

/* A motion that a requirement has ended is discarded: the status then says that it is over. */
CALLED fmi2Status fmi2DoStep(void *instance, double time, double step, fmi2Boolean no_return)
{
    IN(MODE(STEPPING));
    (void)no_return;
    const Status status = stepped(unit, time, step);
    return status == fmi2OK && unit->now.ended ? fmi2Discard : status;
}

CALLED fmi2Status fmi2CancelStep(void *instance) { return no_such(instance, 1, __func__); }

CALLED fmi2Status fmi2GetStatus(void *instance, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind, (void)value;
    return instance ? fmi2Discard : fmi2Error;
}

CALLED fmi2Status fmi2GetRealStatus(void *instance, const fmi2StatusKind kind, double *value)
{
    if (!instance || !value) return fmi2Error;
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Unit *)instance)->now.t;
    return fmi2OK;
}

CALLED fmi2Status fmi2GetIntegerStatus(void *instance, const fmi2StatusKind kind, int *value)
{
    (void)kind, (void)value;
    return instance ? fmi2Discard : fmi2Error;
}

CALLED fmi2Status fmi2GetBooleanStatus(void *instance, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (!instance || !value) return fmi2Error;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = ((Unit *)instance)->now.ended;
    return fmi2OK;
}

CALLED fmi2Status fmi2GetStringStatus(void *instance, const fmi2StatusKind kind, const char **value)
{
    (void)kind, (void)value;
    return instance ? fmi2Discard : fmi2Error;
}
