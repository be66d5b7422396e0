/* Damped Newton's method at one point on its plain way (`numerics/solving/newton` has all ways): square
   slopes whose diagonal takes the units out, a solve that magnifies nothing, residuals that fall. What
   leaves it is told, and solved from its guess by the other one.

   The equations are equations(at, x, r), slopes(at, x, K), sizes(at, x, s) and, where POLES is not
   zero, poles(at, x, p), written before; COORDINATES is the number of unknowns. */

#define NEWTON_STEPS 24 /* more are left to the other way */
#define HALVINGS 30
#define ENOUGH 0.1
#define SENSIBLE 1e8
#define BALANCED 1e3
#define RELATIVE 1e-10
#define NOTHING 1e-150
#define LEFT_OVER (16 * 2.220446049250313e-16)
#define ACCURATE 1e-4
#define SMALL_MOVE 1e-3
#define POLISHED 1e-11
#define POLISH 8
#define CRAWLING 8
#define SHORTEST 1e-12
#define SLIGHT 1e-8
#define SHRUNK 0.5
#define ROUNDED 10.0
#define VANISHED 1e-20

#define C_ COORDINATES

/* Slopes with their units taken out, in factors. */
struct tangent {
    double extent[C_ * C_], LU[C_ * C_], root[C_];
    int order[C_];
};

/* Whether the slopes K, which are kept, are those of the plain way. */
ROUTH int prepared(const double *K, struct tangent *of)
{
    for (int i = 0; i < C_; i++) {
        of->root[i] = sqrt(fabs(K[i * C_ + i]));
        if (!(of->root[i] > 0)) return 0;
    }
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < C_; j++) {
            const double unit = K[i * C_ + j] / of->root[j] / of->root[i];
            of->extent[i * C_ + j] = fabs(K[i * C_ + j]);
            of->LU[i * C_ + j] = unit;
            if (!(fabs(unit) <= BALANCED)) return 0;
        }
    return lu_factors(C_, of->LU, of->order);
}

/* The step with slopes * step = residual; whether the solve magnifies nothing. */
ROUTH int solved(const struct tangent *of, const double *residual, double *step)
{
    double largest = 0;
    for (int i = 0; i < C_; i++) {
        step[i] = residual[i] / of->root[i];
        largest = fmax(largest, fabs(step[i]));
    }
    lu_solve(C_, of->LU, of->order, 1, step);
    for (int i = 0; i < C_; i++) {
        if (!(fabs(step[i]) <= SENSIBLE * largest)) return 0;
        step[i] /= of->root[i];
    }
    return 1;
}

/* What a move changes in each equation, in absolute sums. */
ROUTH void pushed(const struct tangent *of, const double *move, double *push)
{
    for (int i = 0; i < C_; i++) {
        push[i] = 0;
        for (int j = 0; j < C_; j++) push[i] += of->extent[i * C_ + j] * fabs(move[j]);
    }
}

ROUTH double share(const double *part, const double *whole)
{
    double most = 0;
    for (int i = 0; i < C_; i++) {
        const double size = fabs(part[i]);
        most = fmax(most, whole[i] > 0 ? size / whole[i] : size > 0 ? INFINITY : 0);
    }
    return most;
}

ROUTH double weighed(const struct tangent *of, const double *residual)
{
    double sum = 0;
    for (int i = 0; i < C_; i++) {
        const double each = residual[i] * (1 / of->root[i]);
        sum += each * each;
    }
    return sqrt(sum);
}

ROUTH double lengthy(const struct tangent *of, const double *step)
{
    double sum = 0;
    for (int i = 0; i < C_; i++) sum += step[i] * of->root[i] * (step[i] * of->root[i]);
    return sqrt(sum);
}

ROUTH int is_settled(
    const double *left, const double *push, const double *sizes, double level, const double *slight)
{
    for (int i = 0; i < C_; i++) {
        const double least = fmax(slight ? slight[i] : 0, NOTHING);
        if (!(fabs(left[i]) <= level * sizes[i] + least)) return 0;
        if (!(push[i] <= ACCURATE * sizes[i] + least)) return 0;
    }
    return 1;
}

/* The force in each row that counts as much as the largest of some. */
ROUTH void alike(const struct tangent *of, const double *forces, double *found)
{
    double largest = 0;
    for (int i = 0; i < C_; i++) largest = fmax(largest, forces[i] * (1 / of->root[i]));
    for (int i = 0; i < C_; i++) found[i] = of->root[i] * largest;
}

ROUTH int all_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

#if POLES
/* Whether no pole is anywhere near the way from x to another place. */
ROUTH int far_from_poles(const struct place *at, const double *x, const double *there)
{
    double before[POLES], after[POLES];
    poles(at, x, before);
    poles(at, there, after);
    for (int k = 0; k < POLES; k++) {
        if (!(fabs(after[k] - before[k]) <= fabs(before[k]) / 2)) return 0;
        if (!(before[k] * after[k] > 0)) return 0;
    }
    return 1;
}
#endif

/* Put what is nothing beside how far it has been to zero, where the equations then hold exactly: steps
   towards a root at zero would each gain as many digits as doubles have, down to their end. */
ROUTH int vanished(const struct place *at, double *x, double *residual, const double *reach)
{
    double trial[C_], there[C_];
    int moves = 0, left = 0;
    for (int i = 0; i < C_; i++) {
        trial[i] = fabs(x[i]) <= VANISHED * reach[i] ? 0 : x[i];
        moves |= trial[i] != x[i];
        left |= residual[i] != 0;
    }
    if (!moves || !left) return 0;
    equations(at, trial, there);
    for (int i = 0; i < C_; i++)
        if (there[i] != 0) return 0;
#if POLES
    if (!far_from_poles(at, x, trial)) return 0;
#endif
    for (int i = 0; i < C_; i++) x[i] = trial[i], residual[i] = there[i];
    return 1;
}

/* Regain digits by steps with one tangent. Whether that is on the plain way. */
ROUTH int polished(const struct place *at, double *x, double *residual, double *K)
{
    struct tangent of;
    double size[C_], push[C_], step[C_], trial[C_], left[C_], ahead[C_], beside[C_];
    slopes(at, x, K);
    sizes(at, x, size);
    if (!all_finite(C_ * C_, K) || !all_finite(C_, size) || !prepared(K, &of)) return 0;
    pushed(&of, x, push);
    for (int i = 0; i < C_; i++) size[i] = fmax(size[i], push[i]);
    alike(&of, size, beside);
    for (int i = 0; i < C_; i++) size[i] += LEFT_OVER / POLISHED * beside[i];
    if (!solved(&of, residual, step)) return 0;
    pushed(&of, step, push);
    double lag = share(push, size);
    for (int k = 0; k < POLISH; k++) {
        for (int i = 0; i < C_; i++) trial[i] = x[i] - step[i];
        equations(at, trial, left);
        if (!solved(&of, left, ahead)) return 0;
        pushed(&of, ahead, push);
        const double after = share(push, size);
        if (!(after < lag / 2)) break;
        for (int i = 0; i < C_; i++) x[i] = trial[i], residual[i] = left[i], step[i] = ahead[i];
        lag = after;
    }
    return lag <= ACCURATE;
}

/* A root from the guess x; the steps that it took, or -1 where it left the plain way. `history` gets the
   guess and the place after each step, before x was polished, as `polishing` says. `least` is the size
   that unknowns have at least. */
ROUTH int newton(
    const struct place *at, const double *least, double *x, double *residual, double *K, double *history,
    int *polishing)
{
    struct tangent of;
    double around[C_], step[C_], push[C_], trial[C_], there[C_], reach[C_], near[C_], size[C_];
    double lag = 0;
    int crawl = 0, done = 0, steps = 0;
    *polishing = 0;
    equations(at, x, residual);
    if (!all_finite(C_, residual)) return -1;
    for (int i = 0; i < C_; i++) reach[i] = fabs(x[i]) + least[i], history[i] = x[i];
    while (!done) {
        if (steps == NEWTON_STEPS) return -1;
        slopes(at, x, K);
        if (!all_finite(C_ * C_, K) || !prepared(K, &of)) return -1;
        for (int i = 0; i < C_; i++) near[i] = fabs(x[i]) + least[i];
        pushed(&of, near, around);
        if (!all_finite(C_, around) || !solved(&of, residual, step)) return -1;
        int moves = 0;
        for (int i = 0; i < C_; i++) {
            step[i] = -step[i];
            moves |= step[i] != 0;
            reach[i] = fmax(reach[i], near[i]);
            near[i] = fabs(x[i]) + SMALL_MOVE * reach[i];
        }
        pushed(&of, step, push);
        const int small = is_settled(residual, push, around, RELATIVE, 0);
        const double before = weighed(&of, residual), length = share(step, near);
        double gain = 1, fraction = 1;
        for (int half = 0; half < (small ? 1 : HALVINGS) && gain == 1 && before > 0 && moves; half++) {
            for (int i = 0; i < C_; i++) trial[i] = x[i] + fraction * step[i];
            equations(at, trial, there);
            const double ratio = weighed(&of, there) / before;
            if (ratio < 1) {
#if POLES
                if (!far_from_poles(at, x, trial)) return -1;
#endif
                gain = ratio;
            }
            fraction /= 2;
        }
        if (small && gain > SHRUNK) { /* rounding, or slopes of one place alone */
            double beside[C_];
            sizes(at, x, size);
            alike(&of, size, beside);
            for (int i = 0; i < C_; i++) {
                const double rounding = ROUNDED * LEFT_OVER * (size[i] + beside[i]) + NOTHING;
                if (residual[i] != 0 && !(fabs(residual[i]) <= rounding)) return -1;
            }
        }
        if (!small && gain > ENOUGH) {
            const int slight = lengthy(&of, step) <= SLIGHT * lengthy(&of, x);
            if (slight || length <= SHORTEST || gain == 1 || crawl == 0) {
                double beside[C_], most[C_];
                sizes(at, x, size);
                if (!all_finite(C_, size) || gain == 1) return -1;
                for (int i = 0; i < C_; i++) most[i] = fmax(around[i], size[i]);
                alike(&of, most, beside);
                for (int i = 0; i < C_; i++) beside[i] *= LEFT_OVER;
                if (is_settled(residual, push, most, LEFT_OVER, beside)) return -1;
            }
        }
        if (gain < 1) {
            steps += 1;
            for (int i = 0; i < C_; i++) x[i] = trial[i], residual[i] = there[i];
            if (gain < ENOUGH) vanished(at, x, residual, reach);
            for (int i = 0; i < C_; i++) history[steps * C_ + i] = x[i];
        }
        if (small) lag = share(push, around);
        crawl = gain > ENOUGH && gain < 1 ? crawl + 1 : 0;
        if (crawl >= CRAWLING) return -1;
        done = small && gain >= ENOUGH;
    }
    if (lag > POLISHED) {
        *polishing = 1;
        if (!polished(at, x, residual, K)) return -1;
    }
    return steps;
}
