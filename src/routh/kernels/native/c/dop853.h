/* The explicit Runge-Kutta method of order 8 of Dormand and Prince, with errors of orders 5 and 3 and a
   motion of order 7 between the steps: Hairer, Norsett and Wanner, Solving Ordinary Differential
   Equations I, II.5, II.6 and II.10.

   SIZE, the numbers of a state, stands before it, and x' behind. Runs go side by side, each in a lane
   with its own time, step and errors.

   The first step, the norm of errors and the bounds of changes of steps are as in the book, with the
   constants of SciPy's DOP853, so that both take the same steps but for rounding. */
ROUTH_APART void motion_rate(
    const lanes *t, const lanes *x, const lanes *p, const lanes *u, lanes *f);

#define EACH for (int i = 0; i < SIZE; i++)

typedef struct {
    lanes t, h;              /* where it is, and the step to try next */
    lanes x[SIZE], f[SIZE];
    lanes rtol, atol;
    lanes next[SIZE];        /* what the last trial came to */
    lanes old, step, end;    /* the last step: its begin, length and end */
    lanes before[SIZE];
    lanes K[16][SIZE], F[7][SIZE];
    double last, longest;
    int refused[LANES], evaluations[LANES];
} Dop853;

ROUTH void dop853_rate(lanes t, const lanes *x, const lanes *p, const lanes *u, lanes *f)
{
    motion_rate(&t, x, p, u, f);
}

ROUTH lanes dop853_size(const lanes *value, const lanes *x, lanes rtol, lanes atol)
{
    lanes sum = ALL_LANES(0.0);
    EACH {
        const lanes part = value[i] / (atol + lanes_fabs(x[i]) * rtol);
        sum += part * part;
    }
    return lanes_sqrt(sum) / sqrt((double)SIZE);
}

/* The rates of runs that come `in`, and the first steps of those that are `fresh`. Rates after a pause
   are not counted: pauses change no number. */
ROUTH_APART void dop853_begin(
    Dop853 *r, const int *in, const int *fresh, const lanes *p, const lanes *u)
{
    lanes next[SIZE], rate[SIZE], h0 = r->t;
    dop853_rate(r->t, r->x, p, u, rate);
    EACH EACH_LANE if (in[j]) LANE(r->f[i], j) = LANE(rate[i], j);
    const lanes d0 = dop853_size(r->x, r->x, r->rtol, r->atol);
    const lanes d1 = dop853_size(r->f, r->x, r->rtol, r->atol);
    EACH_LANE {
        const double most = r->last - LANE(r->t, j), a = LANE(d0, j), b = LANE(d1, j);
        LANE(h0, j) = fmin(a < 1e-5 || b < 1e-5 ? 1e-6 : 0.01 * a / b, most);
    }
    EACH next[i] = r->x[i] + h0 * r->f[i];
    dop853_rate(r->t + h0, next, p, u, rate);
    EACH rate[i] -= r->f[i];
    const lanes d2 = dop853_size(rate, r->x, r->rtol, r->atol) / h0;
    EACH_LANE {
        if (!fresh[j]) continue;
        const double h = LANE(h0, j), a = LANE(d1, j), b = LANE(d2, j);
        const double h1 = a <= 1e-15 && b <= 1e-15 ? fmax(1e-6, h * 1e-3)
                                                   : pow(0.01 / fmax(a, b), 1.0 / 8.0);
        LANE(r->h, j) = fmin(fmin(100.0 * h, h1), fmin(r->last - LANE(r->t, j), r->longest));
        r->evaluations[j] += 2;
    }
}

/* The error of a step, in units of what is allowed. */
ROUTH lanes dop853_error(const Dop853 *r)
{
    const lanes (*K)[SIZE] = r->K;
    const lanes *next = r->next;
    lanes five = ALL_LANES(0.0), three = five, error = five;
    EACH {
        const lanes scale = r->atol + lanes_fmax(lanes_fabs(r->x[i]), lanes_fabs(next[i])) * r->rtol;
        const lanes e5 = (0.01312004499419488 * K[0][i] - 1.2251564463762044 * K[5][i] - 0.4957589496572502 * K[6][i] +
            1.6643771824549864 * K[7][i] - 0.35032884874997366 * K[8][i] + 0.3341791187130175 * K[9][i] +
            0.08192320648511571 * K[10][i] - 0.022355307863886294 * K[11][i]) / scale;
        const lanes e3 = (-0.18980075407240762 * K[0][i] + 4.450312892752409 * K[5][i] + 1.8915178993145003 * K[6][i] -
            5.801203960010585 * K[7][i] - 0.4226823213237919 * K[8][i] - 0.1521609496625161 * K[9][i] +
            0.20136540080403034 * K[10][i] + 0.02265179219836082 * K[11][i]) / scale;
        five += e5 * e5;
        three += e3 * e3;
    }
    EACH_LANE {
        const double a = LANE(five, j), b = LANE(three, j);
        LANE(error, j) = a == 0.0 && b == 0.0 ? 0.0 : LANE(r->step, j) * a / sqrt((a + 0.01 * b) * SIZE);
    }
    return error;
}

/* All stages of a step, the last of them at its end. */
ROUTH void dop853_stages(Dop853 *r, const lanes *p, const lanes *u)
{
    lanes (*K)[SIZE] = r->K, *next = r->next;
    const lanes h = r->step;
    EACH K[0][i] = r->f[i];
    EACH next[i] = r->x[i] + h * (0.05260015195876773 * K[0][i]);
    dop853_rate(r->t + 0.05260015195876773 * h, next, p, u, K[1]);
    EACH next[i] = r->x[i] + h * (0.0197250569845379 * K[0][i] + 0.0591751709536137 * K[1][i]);
    dop853_rate(r->t + 0.0789002279381516 * h, next, p, u, K[2]);
    EACH next[i] = r->x[i] + h * (0.02958758547680685 * K[0][i] + 0.08876275643042054 * K[2][i]);
    dop853_rate(r->t + 0.1183503419072274 * h, next, p, u, K[3]);
    EACH next[i] = r->x[i] + h * (0.2413651341592667 * K[0][i] - 0.8845494793282861 * K[2][i] + 0.924834003261792 * K[3][i]);
    dop853_rate(r->t + 0.2816496580927726 * h, next, p, u, K[4]);
    EACH next[i] = r->x[i] + h * (0.037037037037037035 * K[0][i] + 0.17082860872947386 * K[3][i] + 0.12546768756682242 * K[4][i]);
    dop853_rate(r->t + 0.3333333333333333 * h, next, p, u, K[5]);
    EACH next[i] = r->x[i] + h * (0.037109375 * K[0][i] + 0.17025221101954405 * K[3][i] + 0.06021653898045596 * K[4][i] - 0.017578125
        * K[5][i]);
    dop853_rate(r->t + 0.25 * h, next, p, u, K[6]);
    EACH next[i] = r->x[i] + h * (0.03709200011850479 * K[0][i] + 0.17038392571223998 * K[3][i] + 0.10726203044637328 * K[4][i] -
        0.015319437748624402 * K[5][i] + 0.008273789163814023 * K[6][i]);
    dop853_rate(r->t + 0.3076923076923077 * h, next, p, u, K[7]);
    EACH next[i] = r->x[i] + h * (0.6241109587160757 * K[0][i] - 3.3608926294469414 * K[3][i] - 0.868219346841726 * K[4][i] +
        27.59209969944671 * K[5][i] + 20.154067550477894 * K[6][i] - 43.48988418106996 * K[7][i]);
    dop853_rate(r->t + 0.6512820512820513 * h, next, p, u, K[8]);
    EACH next[i] = r->x[i] + h * (0.47766253643826434 * K[0][i] - 2.4881146199716677 * K[3][i] - 0.590290826836843 * K[4][i] +
        21.230051448181193 * K[5][i] + 15.279233632882423 * K[6][i] - 33.28821096898486 * K[7][i] -
        0.020331201708508627 * K[8][i]);
    dop853_rate(r->t + 0.6 * h, next, p, u, K[9]);
    EACH next[i] = r->x[i] + h * (-0.9371424300859873 * K[0][i] + 5.186372428844064 * K[3][i] + 1.0914373489967295 * K[4][i] -
        8.149787010746927 * K[5][i] - 18.52006565999696 * K[6][i] + 22.739487099350505 * K[7][i] +
        2.4936055526796523 * K[8][i] - 3.0467644718982196 * K[9][i]);
    dop853_rate(r->t + 0.8571428571428571 * h, next, p, u, K[10]);
    EACH next[i] = r->x[i] + h * (2.273310147516538 * K[0][i] - 10.53449546673725 * K[3][i] - 2.0008720582248625 * K[4][i] -
        17.9589318631188 * K[5][i] + 27.94888452941996 * K[6][i] - 2.8589982771350235 * K[7][i] -
        8.87285693353063 * K[8][i] + 12.360567175794303 * K[9][i] + 0.6433927460157636 * K[10][i]);
    dop853_rate(r->t + 1.0 * h, next, p, u, K[11]);
    EACH next[i] = r->x[i] + h * (0.054293734116568765 * K[0][i] + 4.450312892752409 * K[5][i] + 1.8915178993145003 * K[6][i] -
        5.801203960010585 * K[7][i] + 0.3111643669578199 * K[8][i] - 0.1521609496625161 * K[9][i] +
        0.20136540080403034 * K[10][i] + 0.04471061572777259 * K[11][i]);
    dop853_rate(r->end, next, p, u, K[12]);  /* as it is begun again after a pause */
}

/* One trial of a step in the lanes that are `going`, and where it is taken: 1; where it is to be tried
   again with a shorter one: 0; where none is small enough, or the state is not finite: -1. */
ROUTH_APART void dop853_try(Dop853 *r, const int *going, int *taken, const lanes *p, const lanes *u)
{
    r->end = r->t;
    EACH_LANE {
        const double now = LANE(r->t, j), least = 10.0 * (nextafter(now, (double)INFINITY) - now);
        double h = LANE(r->h, j);
        if (!r->refused[j]) h = fmax(fmin(h, r->longest), least);
        taken[j] = h >= least ? 0 : -1;
        LANE(r->end, j) = fmin(now + h, r->last);
    }
    r->step = r->end - r->t;
    dop853_stages(r, p, u);
    const lanes error = dop853_error(r);
    EACH_LANE {
        if (!going[j] || taken[j] < 0) continue;
        const double e = LANE(error, j), h = LANE(r->step, j);
        r->evaluations[j] += 12;
        if (e < 1.0) {
            double factor = e == 0.0 ? 10.0 : fmin(10.0, 0.9 * pow(e, -1.0 / 8.0));
            if (r->refused[j]) factor = fmin(1.0, factor);
            LANE(r->h, j) = h * factor;
            taken[j] = 1;
        } else {
            LANE(r->h, j) = h * fmax(0.2, 0.9 * pow(e, -1.0 / 8.0));
        }
        r->refused[j] = !taken[j];
    }
    marks took = lanes_bits(ALL_LANES(0.0));
    EACH_LANE LANE(took, j) = going[j] && taken[j] == 1 ? -1 : 0;
    lanes sum = ALL_LANES(0.0);
    EACH {
        const lanes to = r->next[i];
        r->before[i] = r->x[i];
        sum += to - to;
        r->x[i] = lanes_pick(took, to, r->x[i]);
        r->f[i] = lanes_pick(took, r->K[12][i], r->f[i]);
    }
    r->old = r->t;
    r->t = lanes_pick(took, r->end, r->t);
    EACH_LANE if (taken[j] == 1 && LANE(sum, j) != 0.0) taken[j] = -1;
}

#if LANES == 1
/* One step of the one run; 0 where none is small enough, or the state is not finite. */
ROUTH int dop853_step(Dop853 *r, const lanes *p, const lanes *u)
{
    const int going = 1;
    int taken = 0;
    while (!taken) dop853_try(r, &going, &taken, p, u);
    return taken == 1;
}
#endif

/* What the motion within the last step follows from. */
ROUTH_APART void dop853_look(Dop853 *r, const lanes *p, const lanes *u)
{
    lanes (*K)[SIZE] = r->K;
    const lanes h = r->step, *x = r->before;
    lanes at[SIZE];
    EACH at[i] = x[i] + h * (0.056167502283047954 * K[0][i] + 0.25350021021662483 * K[6][i] - 0.2462390374708025 * K[7][i] -
        0.12419142326381637 * K[8][i] + 0.15329179827876568 * K[9][i] + 0.00820105229563469 * K[10][i] +
        0.007567897660545699 * K[11][i] - 0.008298 * K[12][i]);
    dop853_rate(r->old + 0.1 * h, at, p, u, K[13]);
    EACH at[i] = x[i] + h * (0.03183464816350214 * K[0][i] + 0.028300909672366776 * K[5][i] + 0.053541988307438566 * K[6][i] -
        0.05492374857139099 * K[7][i] - 0.00010834732869724932 * K[10][i] + 0.0003825710908356584 * K[11][i]
        - 0.00034046500868740456 * K[12][i] + 0.1413124436746325 * K[13][i]);
    dop853_rate(r->old + 0.2 * h, at, p, u, K[14]);
    EACH at[i] = x[i] + h * (-0.42889630158379194 * K[0][i] - 4.697621415361164 * K[5][i] + 7.683421196062599 * K[6][i] +
        4.06898981839711 * K[7][i] + 0.3567271874552811 * K[8][i] - 0.0013990241651590145 * K[12][i] +
        2.9475147891527724 * K[13][i] - 9.15095847217987 * K[14][i]);
    dop853_rate(r->old + 0.7777777777777778 * h, at, p, u, K[15]);
    EACH {
        const lanes moved = r->x[i] - x[i];
        r->F[0][i] = moved;
        r->F[1][i] = h * K[0][i] - moved;
        r->F[2][i] = 2.0 * moved - h * (K[12][i] + K[0][i]);
        r->F[3][i] = h * (-8.428938276109013 * K[0][i] + 0.5667149535193777 * K[5][i] - 3.0689499459498917 * K[6][i] +
            2.38466765651207 * K[7][i] + 2.117034582445028 * K[8][i] - 0.871391583777973 * K[9][i] +
            2.2404374302607883 * K[10][i] + 0.6315787787694688 * K[11][i] - 0.08899033645133331 * K[12][i] +
            18.148505520854727 * K[13][i] - 9.194632392478356 * K[14][i] - 4.436036387594894 * K[15][i]);
        r->F[4][i] = h * (10.427508642579134 * K[0][i] + 242.28349177525817 * K[5][i] + 165.20045171727028 * K[6][i] -
            374.5467547226902 * K[7][i] - 22.113666853125306 * K[8][i] + 7.733432668472264 * K[9][i] -
            30.674084731089398 * K[10][i] - 9.332130526430229 * K[11][i] + 15.697238121770845 * K[12][i] -
            31.139403219565178 * K[13][i] - 9.35292435884448 * K[14][i] + 35.81684148639408 * K[15][i]);
        r->F[5][i] = h * (19.985053242002433 * K[0][i] - 387.0373087493518 * K[5][i] - 189.17813819516758 * K[6][i] +
            527.8081592054236 * K[7][i] - 11.57390253995963 * K[8][i] + 6.8812326946963 * K[9][i] -
            1.0006050966910838 * K[10][i] + 0.7777137798053443 * K[11][i] - 2.778205752353508 * K[12][i] -
            60.19669523126412 * K[13][i] + 84.32040550667716 * K[14][i] + 11.99229113618279 * K[15][i]);
        r->F[6][i] = h * (-25.69393346270375 * K[0][i] - 154.18974869023643 * K[5][i] - 231.5293791760455 * K[6][i] +
            357.6391179106141 * K[7][i] + 93.40532418362432 * K[8][i] - 37.45832313645163 * K[9][i] +
            104.0996495089623 * K[10][i] + 29.8402934266605 * K[11][i] - 43.53345659001114 * K[12][i] +
            96.32455395918828 * K[13][i] - 39.17726167561544 * K[14][i] - 149.72683625798564 * K[15][i]);
    }
}

/* The states at times within it. */
ROUTH void dop853_within(const Dop853 *r, lanes t, lanes *x)
{
    const lanes s = (t - r->old) / r->step, other = 1.0 - s;
    EACH {
        lanes y = ALL_LANES(0.0);
        for (int k = 6; k >= 0; k--) y = (y + r->F[k][i]) * (k % 2 ? other : s);
        x[i] = y + r->before[i];
    }
}

/* The state of one run at a time within it. */
ROUTH void dop853_inside(const Dop853 *r, int j, double t, double *x)
{
    const double s = (t - LANE(r->old, j)) / LANE(r->step, j);
    EACH {
        double y = 0.0;
        for (int k = 6; k >= 0; k--) y = (y + LANE(r->F[k][i], j)) * (k % 2 ? 1.0 - s : s);
        x[i] = y + LANE(r->before[i], j);
    }
}
