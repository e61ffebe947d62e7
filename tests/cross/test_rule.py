"""The statistics and whole decisions against an implementation of their own in numpy and scipy.

The rule is written down here a second time, from docs/verdict.md, in another language and without
sharing a line: where both agree on random data, either both are right or both misread the page.
"""
import copy
import math
import os
import pathlib
import subprocess
import unittest

try:
    import numpy as np
    import scipy
    from scipy import optimize, special, stats
    MISSING = None
except ImportError as absent:
    MISSING = f"scipy and numpy are needed: {absent}"

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DRIVER = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "tests" / "cross" / "rule"

LOOKS, SPEND = (6, 10, 16, 24), (.1, .2, .3, .4)
ROUNDING = 1e-9
RATIO_MAX = 1e12
TIME, TIME_MEAN, HOST_PEAK, DEVICE_PEAK, SETUP = 0, 1, 5, 6, 9
QUANTUM = {HOST_PEAK: 4096, DEVICE_PEAK: 2 << 20}  # the discrete ones


def ask(lines):
    done = subprocess.run([DRIVER], input="\n".join(lines) + "\n", text=True, capture_output=True,
                          check=True)
    return done.stdout.splitlines()


def text(*values):
    return " ".join(v if isinstance(v, str) else format(v, ".17g") for v in values)


def upper(tail, df):
    """scipy's isf is good to 1e-8 only (1.10); its sf is better: one step of Newton."""
    t = stats.t.isf(tail, df)
    return t + (stats.t.sf(t, df) - tail) / stats.t.pdf(t, df)


def estimate(x):
    x = np.sort(np.asarray(x))
    n = len(x)
    if n < 10:
        center, variance, df = x.mean(), x.var(ddof=1), n - 1
    else:
        cut = n // 5
        kept = n - 2 * cut
        center, df = stats.trim_mean(x, .2), kept - 1
        winsorised = stats.mstats.winsorize(x, limits=(cut / n, cut / n)).data
        variance = winsorised.var(ddof=1) * (n - 1) / (kept * (kept - 1)) * n
    return center, variance if variance >= 1e-24 else 0., df


def lag1(x):
    d = np.asarray(x) - np.mean(x)
    return (d[1:] * d[:-1]).sum() / (d * d).sum() if (d * d).mean() > 1e-24 else 0.


def prior(estimates):
    """Degrees of freedom and variance that the cells of a pool share."""
    v = np.array([e[1] for e in estimates if e[1] > 0])
    df = np.array([e[2] for e in estimates if e[1] > 0], float)
    if len(v) < 2:
        return 0., 0.
    e = np.log(v) - special.digamma(df / 2) + np.log(df / 2)
    excess = e.var(ddof=1) - special.polygamma(1, df / 2).mean()
    if excess <= special.polygamma(1, 4):
        d0 = 8.
    elif excess >= special.polygamma(1, .05):
        d0 = .1
    else:
        d0 = 2 * optimize.brentq(lambda y: special.polygamma(1, y) - excess, .05, 4, xtol=1e-15)
    return d0, math.exp(e.mean() + special.digamma(d0 / 2) - math.log(d0 / 2))


def ranks(n, error):
    """The largest k with P(W <= k - 1) <= error, by convolution."""
    p = np.ones(1)
    for rank in range(1, n + 1):
        wider = np.zeros(len(p) + rank)
        wider[:len(p)] += p / 2
        wider[rank:] += p / 2
        p = wider
    return int((np.cumsum(p) <= error).sum())


def limit_of(margin, floor, base):
    return max(math.log1p(margin), math.log1p(floor / base))


def hodges_lehmann(x, quantum, fail, ok):
    n = len(x)
    walsh = np.sort([(x[i] + x[j]) / 2 for i in range(n) for j in range(i + 1)])
    center, spread = np.median(walsh), max(np.std(x, ddof=1), quantum)
    k_low, k_high = ranks(n, fail), ranks(n, ok)
    low = walsh[k_low - 1] if k_low else min(x)
    high = walsh[-k_high] if k_high else max(x)
    low = min(low, center - upper(fail, n - 1) * (quantum if k_low else spread) / math.sqrt(n))
    high = max(high, center + upper(ok, n - 1) * (quantum if k_high else spread) / math.sqrt(n))
    return center, low, high, spread


class Cell:
    def __init__(self, metric, margin, floor, judge, confirm):
        self.metric, self.margin, self.floor = metric, margin, floor
        self.judge, self.confirm = judge, confirm  # rows of x, base, head
        self.discrete, self.advisory = metric in QUANTUM, metric == TIME_MEAN
        self.verdict, self.doubt, self.own = "INCONCLUSIVE", None, None
        self.launches, self.ratio, self.odd = 0, False, 0
        self.center = self.low = self.high = self.limit = self.mde = math.nan
        self.base = self.head = 0.

    def numbers(self, rows):
        self.launches = len(rows)
        self.base, self.head = np.median(rows[:, 1]), np.median(rows[:, 2])
        self.doubt, self.mde = None, math.nan
        self.ratio = not (rows[:, 1:] == 0).any()
        if self.ratio:
            self.limit = limit_of(self.margin, self.floor, self.base)

    def interval(self, center, low, high, visible):
        self.center, self.low, self.high = center, low, high
        self.mde = self.limit + visible
        if low > self.limit + ROUNDING:
            self.verdict = "REGRESSED"
        elif high > self.limit + ROUNDING:
            self.doubt = "noise"
        elif high >= -self.limit - ROUNDING:
            self.verdict = "NOT_WORSE"
        else:
            self.verdict = "SUSPICIOUS" if center < math.log(.03) else "IMPROVED"

    def passes(self):
        return self.verdict in ("NOT_WORSE", "IMPROVED", "SUSPICIOUS")

    def reopen(self, doubt):
        self.verdict, self.doubt = "INCONCLUSIVE", doubt


def beyond(rows, margin, floor):
    more = rows[:, 2] - rows[:, 1]
    return int((more > np.maximum(floor, margin * rows[:, 1]) * (1 + ROUNDING)).sum())


def look_at_zeros(cell, rows):
    if (rows[:, 1:] == 0).all():
        cell.ratio, cell.limit, cell.verdict = True, math.log1p(cell.margin), "NOT_WORSE"
        cell.center = cell.low = cell.high = 0.
        return
    cell.odd = beyond(rows, cell.margin, cell.floor)
    if ((rows[:, 2] == 0) & (rows[:, 1] > cell.floor)).all():
        cell.verdict = "SUSPICIOUS"
    elif cell.odd == len(rows):
        cell.verdict = "REGRESSED"
    elif cell.odd == 0:
        cell.verdict = "NOT_WORSE"
    else:
        cell.doubt = "zeros"


def is_constant(rows):
    return (rows[:, 1:] == rows[0, 1:]).all()


def look_at_discrete(cell, rows, fail, ok):
    h = len(rows)
    if is_constant(rows):
        effect = math.log(rows[0, 2] / rows[0, 1])
        cell.interval(effect, effect, effect, 0)
        return
    quantum = QUANTUM[cell.metric] / cell.base
    center, low, high, spread = hodges_lehmann(rows[:, 0], quantum, fail, ok)
    visible = (upper(fail, h - 1) + upper(.1, h - 1)) * spread * math.sqrt(1.13 / h)
    cell.interval(center, low, high, visible)
    base, head = rows[:, 1].max(), rows[:, 2].max()
    if cell.passes() and math.log(head / base) > limit_of(cell.margin, cell.floor, base) + ROUNDING:
        cell.reopen("maximum")


def look_at_continuous(cell, rows, own, shared, fail, ok):
    h, x, (center, variance, df) = len(rows), rows[:, 0], own
    d0, s0 = shared
    variance, df = (d0 * s0 + df * variance) / (d0 + df), df + d0
    error = math.sqrt(variance / h)
    visible = (upper(fail, df) + upper(.1, df)) * math.sqrt(variance * 1.13 / h)
    cell.interval(center, center - upper(fail, df) * error, center + upper(ok, df) * error, visible)
    if h >= 10 and lag1(x) > .3:
        cell.reopen("correlated")
    far = int((x > center + max(cell.limit, 5 * math.sqrt(variance))).sum())
    if cell.passes() and far * 16 > h:
        cell.reopen("modes")


def hopes(cell):
    """Proved not worse, and better as far as can be seen: looked at again for IMPROVED."""
    return (cell.verdict == "NOT_WORSE" and not cell.advisory and cell.ratio
            and cell.center < -cell.limit)


def decide(cells):
    judged = sum(not c.advisory for c in cells)
    advisory = sum(c.advisory for c in cells)
    for h, spend in zip(LOOKS, SPEND):
        pools = {}
        for cell in cells:
            if len(cell.judge) >= h:
                rows = cell.judge[:h]
                cell.own = None
                if not cell.discrete and not (rows[:, 1:] == 0).any():
                    decade = math.floor(math.log10(np.median(rows[:, 1])))
                    cell.own = (cell.metric, min(max(decade, -12), 12)), estimate(rows[:, 0])
            if cell.own:
                pools.setdefault(cell.own[0], []).append(cell.own[1])
        for cell in cells:
            proved = copy.copy(cell) if hopes(cell) and h <= 16 else None
            if proved:
                cell.verdict = "INCONCLUSIVE"
            if cell.verdict != "INCONCLUSIVE" or len(cell.judge) < h:
                if proved:
                    cell.verdict = proved.verdict
                continue
            rows, ok = cell.judge[:h], .01 * spend
            fail = (.01 / advisory if cell.advisory else .05 / judged) * spend
            cell.numbers(rows)
            if not cell.ratio:
                look_at_zeros(cell, rows)
            elif cell.discrete:
                look_at_discrete(cell, rows, fail, ok)
            else:
                look_at_continuous(cell, rows, cell.own[1], prior(pools[cell.own[0]]), fail, ok)
            if proved and cell.verdict == "INCONCLUSIVE":
                own = cell.own
                cell.__dict__.update(proved.__dict__)
                cell.own = own
    for cell in cells:
        if cell.launches == 0 and len(cell.judge) >= 2:
            cell.numbers(cell.judge)
            if cell.ratio:
                own = estimate(cell.judge[:, 0])
                look_at_continuous(cell, cell.judge, own, (0., 0.), .005 / max(judged, 1), .001)
            else:
                look_at_zeros(cell, cell.judge)
            cell.verdict = "INCONCLUSIVE"


def beyond_and_open(center, high, limit):
    return center > limit + ROUNDING and high >= math.log(1.05)


def confirm(cell):
    """Confirmed, and whether a cell that is not confirmed may still be worse."""
    rows = cell.confirm[:10]
    margin, floor = cell.margin / 2, cell.floor / 2
    if (rows[:, 1:] == 0).any():
        count = beyond(rows, margin, floor)
        return count == 10, count > 0
    base = np.median(rows[:, 1])
    if cell.discrete and is_constant(rows):
        center = low = high = math.log(rows[0, 2] / rows[0, 1])
    elif cell.discrete:
        center, low, high, _ = hodges_lehmann(rows[:, 0], QUANTUM[cell.metric] / base, .05, .01)
    else:
        center, variance, df = estimate(rows[:, 0])
        low = center - upper(.05, df) * math.sqrt(variance / 10)
        high = center + upper(.01, df) * math.sqrt(variance / 10)
    return (low > limit_of(margin, floor, base) + ROUNDING,
            beyond_and_open(center, high, limit_of(cell.margin, cell.floor, base)))


def conclude(cell):
    """Verdict, outcome (0 pass, 1 skipped, 2 error, 3 failure), confirmed (0 none, 1 yes, 2 no)."""
    if cell.verdict == "REGRESSED":
        if len(cell.confirm) < 10:
            return "INCONCLUSIVE", 2, 0
        confirmed, doubtful = confirm(cell)
        return ("REGRESSED", 3, 1) if confirmed else ("UNSTABLE", 2 if doubtful else 1, 2)
    if cell.verdict == "SUSPICIOUS":
        return "SUSPICIOUS", 3, 0
    if cell.verdict != "INCONCLUSIVE":
        return cell.verdict, 0, 0
    if cell.launches == 0:
        return "INCONCLUSIVE", 1, 0
    if not cell.ratio:
        return "INCONCLUSIVE", 2 if cell.odd * 2 > cell.launches else 1, 0
    high = math.inf if cell.doubt in ("correlated", "modes") else cell.high
    return "INCONCLUSIVE", 2 if beyond_and_open(cell.center, high, cell.limit) else 1, 0


def random_launches(rng, metric, count, shift, sd):
    """Rows of x, base and head as a run might have brought them, the odd ones too."""
    if metric in QUANTUM:
        level = 10 ** rng.uniform(5.5, 9.5)
        quantum = QUANTUM[metric]
        kind = rng.integers(6)
        jitter = rng.integers(0, 4, (count, 2)) * (kind > 1)
        base = np.round(level / quantum) + jitter[:, 0]
        head = np.round(level * math.exp(shift) / quantum) + jitter[:, 1]
        if kind == 3:
            base, head = (v * np.exp(rng.normal(0, sd, count)) for v in (base, head))
        if kind == 4:
            head = head + np.where(rng.random(count) < .1, level / quantum / 4, 0)
        if kind == 5:
            base, head = (v * (rng.random(count) < rng.choice([0, .5, 1])) for v in (base, head))
        base, head = np.round(base) * quantum, np.round(head) * quantum
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.log(head / base)
        return np.column_stack([np.where(np.isfinite(x), x, 0), base, head])
    noise = [rng.normal(0, 1, count), rng.standard_t(3, count),
             rng.normal(0, 1, count) * np.where(rng.random(count) < .1, 5, 1),
             np.cumsum(rng.normal(0, .5, count)), (rng.random(count) < .3) * 10.,
             np.zeros(count)][rng.integers(6)]
    x = shift + sd * noise
    base = 10 ** rng.choice([-5.2, -3.5, -1.5, .5]) * np.exp(rng.normal(0, .2, count))
    return np.column_stack([x, base, base * np.exp(x)])


def random_suite(rng):
    cells = []
    for _ in range(rng.integers(1, 25)):
        metric = rng.choice([TIME, TIME, TIME, TIME_MEAN, HOST_PEAK, DEVICE_PEAK, SETUP])
        margin = rng.choice([.01, .02, .05, .1])
        floor = rng.choice([0, 1e-6, 1e-3]) if metric not in QUANTUM else rng.choice([0, 1 << 20])
        shift = rng.choice([0, 0, 0, .015, .03, .06, .3, -.05, -4.])
        sd = rng.choice([.002, .006, .012, .03]) * math.exp(rng.normal(0, .4))
        count = rng.choice([24, 24, 24, 16, 17, 12, 8, 6, 5, 2, 0])
        again = rng.choice([10, 10, 12, 7, 0])
        cells.append(Cell(metric, margin, floor, random_launches(rng, metric, count, shift, sd),
                          random_launches(rng, metric, again, shift * rng.choice([1, 1, 0]), sd)))
    return cells


def question_of(cells):
    words = [text("decide", len(cells))]
    for c in cells:
        words.append(text(c.metric, c.margin, c.floor, len(c.judge), len(c.confirm)))
        words += [text(*row) for row in np.concatenate([c.judge, c.confirm])]
    return " ".join(words)


@unittest.skipIf(MISSING, MISSING)
class Numbers(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)

    def compare(self, lines, wanted, relative, absolute=0.):
        got = [float(word) for line in ask(lines) for word in line.split()]
        self.assertEqual(len(got), len(wanted))
        for g, w, line in zip(got, wanted, lines * (len(wanted) // len(lines))):
            if not abs(g - w) <= relative * abs(w) + absolute:
                self.fail(f"{line[:80]}: got {g!r}, wanted {w!r}")

    def test_student_quantiles(self):
        pairs = [(p, df) for df in [*range(1, 61), *self.rng.uniform(1, 60, 60)]
                 for p in [*10 ** self.rng.uniform(-9, -.31, 20), 1e-9, .1, .6, .99]]
        self.compare([text("quantile", p, df) for p, df in pairs],
                     [upper(p, df) for p, df in pairs], 1e-11)

    def test_student_tails(self):
        pairs = [(t, df) for df in [*range(1, 61), *self.rng.uniform(1, 60, 60)]
                 for t in [*10 ** self.rng.uniform(-3, 4, 20), -1.5]]
        self.compare([text("tail", t, df) for t, df in pairs],
                     [stats.t.sf(t, df) for t, df in pairs], 1e-11)

    def test_digamma_and_trigamma(self):
        x = 10 ** self.rng.uniform(-2, 3, 2000)
        self.compare([text("digamma", v) for v in x], special.digamma(x), 1e-12, 1e-14)
        self.compare([text("trigamma", v) for v in x], special.polygamma(1, x), 1e-13)

    def test_signed_rank_bounds(self):
        pairs = [(n, error) for n in range(1, 33) for error in 10 ** self.rng.uniform(-8, -1, 20)]
        self.compare([text("ranks", *p) for p in pairs], [ranks(*p) for p in pairs], 0)

    def test_estimates_and_correlations(self):
        samples = [self.rng.standard_t(3, n) * .01 for n in [*range(2, 65)] * 5]
        wanted = [v for x in samples for v in estimate(x)]
        lines = [text("estimate", *x) for x in samples]
        got = [float(word) for line in ask(lines) for word in line.split()]
        np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-16)
        self.compare([text("lag1", *x) for x in samples], [lag1(x) for x in samples], 1e-11, 1e-14)

    def test_priors_of_pools(self):
        for _ in range(300):
            n = self.rng.integers(1, 40)
            df = self.rng.choice([5, 9, 15], n)
            v = 1e-4 * self.rng.chisquare(df) / df * np.exp(self.rng.normal(0, self.rng.choice([0, .8, 3]), n))
            v = v * (self.rng.random(n) > .1)
            got = [float(w) for w in ask([text("prior", *np.column_stack([v, df]).ravel())])[0].split()]
            np.testing.assert_allclose(got, prior(list(zip(v, v, df))), rtol=1e-9)


@unittest.skipIf(MISSING, MISSING)
class Decisions(unittest.TestCase):
    SUITES = 400

    def check_cell(self, where, cell, words):
        verdict, outcome, confirmed = conclude(cell)
        self.assertEqual(words[2:5], [verdict, str(outcome), str(confirmed)], where)
        measured = cell.ratio and cell.launches > 0
        self.assertEqual(words[5], str(int(measured)), where)
        self.assertEqual(words[10], str(cell.launches), where)
        np.testing.assert_allclose([float(w) for w in words[11:]], [cell.base, cell.head], rtol=1e-14)
        if measured:
            got = [float(w) for w in words[6:10]]
            wanted = [min(math.expm1(min(v, 700)), RATIO_MAX)
                      for v in (cell.center, cell.low, cell.high, cell.mde)]
            np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-11, err_msg=where)
        return verdict

    def test_whole_decisions_on_random_suites(self):
        rng = np.random.default_rng(2)
        suites = [random_suite(rng) for _ in range(self.SUITES)]
        answers = iter(ask([question_of(cells) for cells in suites]))
        seen = {}
        for number, cells in enumerate(suites):
            decide(cells)
            for index, cell in enumerate(cells):
                where = f"suite {number} cell {index}"
                if cell.advisory and cell.verdict != "REGRESSED":
                    words = next(answers).split()
                    self.assertEqual(words[:5], [str(index), "0", "INCONCLUSIVE", "1", "0"], where)
                    continue
                words = next(answers).split()
                self.assertEqual(words[:2], [str(index), str(cell.metric)], where)
                verdict = self.check_cell(where, cell, words)
                doubt = cell.doubt if verdict == "INCONCLUSIVE" else None
                seen[verdict, doubt] = seen.get((verdict, doubt), 0) + 1
            self.assertRegex(next(answers), "^end [013]$")
        # The comparison is worth something only where the data led everywhere.
        for wanted in [(v, None) for v in ("NOT_WORSE", "IMPROVED", "REGRESSED", "UNSTABLE",
                                           "SUSPICIOUS", "INCONCLUSIVE")] + [
                ("INCONCLUSIVE", d) for d in ("noise", "correlated", "modes", "maximum", "zeros")]:
            self.assertGreater(seen.get(wanted, 0), 3, f"{wanted} of {seen}")


if __name__ == "__main__":
    unittest.main()
