"""Writes the vectors beside this file: seeded inputs, and what SciPy, statsmodels and NumPy make of them.

    python3 -m venv VENV && VENV/bin/pip install scipy statsmodels numpy && VENV/bin/python generate.py

The tests read every file here and fail on one that they don't know.
"""

import json
import math
from pathlib import Path

import numpy
import scipy
import statsmodels
from scipy import linalg, optimize, stats
from statsmodels.robust.norms import HuberT
from statsmodels.stats.multitest import multipletests
from statsmodels.tsa.stattools import acf

HERE = Path(__file__).parent
VERSIONS = {"numpy": numpy.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__}
CONFIDENCE = 0.95


def rng(seed):
    return numpy.random.Generator(numpy.random.PCG64(seed))


def numbers(values):
    return [float(value) for value in values]


def write(name, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = '{"versions": %s, "cases": [\n%s\n]}\n' % (json.dumps(VERSIONS), lines)
    assert "NaN" not in text and "Infinity" not in text, name
    assert len(text) < 200_000, (name, len(text))
    (HERE / f"{name}.json").write_text(text)


def samples():
    """Shapes that times take, by name."""
    r = rng(1)
    spiked = r.normal(100, 2, 200)
    spiked[r.random(200) < 0.02] *= 3
    return {
        "two": [1.0, 2.5],
        "three": [4.0, 1.0, 1.5],
        "ties": [3.0, 1.0, 3.0, 3.0, 2.0, 5.0, 2.0],
        "mostly-equal": [7.0] * 9 + [8.0, 9.5],
        "normal-20": r.normal(100, 2, 20),
        "normal-201": r.normal(-3, 0.5, 201),
        "log-normal-100": r.lognormal(0, 0.3, 100),
        "exponential-64": r.exponential(5.0, 64),
        "bimodal-150": numpy.concatenate([r.normal(10, 1, 105), r.normal(16, 1, 45)]),
        "spiked-200": spiked,
        "clock-steps-120": numpy.round(r.normal(1000, 90, 120) / 42) * 42,
        "large-offset-50": 1e9 + r.normal(0, 1, 50),
    }


def descriptive():
    probabilities = numbers(numpy.concatenate([[0, 0.001, 0.01], numpy.arange(0.05, 0.96, 0.05), [0.99, 0.999, 1]]))
    for name, values in samples().items():
        values = numpy.asarray(values)
        yield {
            "name": name,
            "values": numbers(values),
            "probabilities": probabilities,
            "quantiles": numbers(numpy.quantile(values, probabilities)),
            "median": float(numpy.median(values)),
            "mad": float(stats.median_abs_deviation(values)),
            "mean": float(numpy.mean(values)),
            "variance": float(numpy.var(values, ddof=1)),
            "standard_deviation": float(numpy.std(values, ddof=1)),
            "standard_error": float(stats.sem(values)),
        }


def density():
    cases = dict(samples())
    del cases["large-offset-50"]  # 1e9 with a spread of 1: evaluation loses the digits in SciPy's whitening
    for name, values in cases.items():
        values = numpy.asarray(values)
        silverman = stats.gaussian_kde(values, bw_method="silverman")
        scott = stats.gaussian_kde(values, bw_method="scott")
        margin = values.std()
        points = numpy.linspace(values.min() - margin, values.max() + margin, 33)
        grid = numpy.linspace(values.min(), values.max(), 512)
        heights = silverman(grid)
        yield {
            "name": name,
            "values": numbers(values),
            "silverman": float(math.sqrt(silverman.covariance[0, 0])),
            "scott": float(math.sqrt(scott.covariance[0, 0])),
            "points": numbers(points),
            "density": numbers(silverman(points)),
            "mode": float(grid[heights.argmax()]),
            "scott_mode": float(grid[scott(grid).argmax()]),
        }


def density_of_many():
    """Enough values that the density is binned; they are their formula, x_i = norm.ppf((i - 1/2)/n)."""
    for n, skew in [(20_000, 0.0), (20_000, 0.3), (100_000, 0.15)]:
        scores = stats.norm.ppf((numpy.arange(1, n + 1) - 0.5) / n)
        values = numpy.exp(skew * scores) if skew else scores
        kde = stats.gaussian_kde(values, bw_method="silverman")
        grid = numpy.linspace(values.min(), values.max(), 512)
        heights = kde(grid)
        yield {
            "n": n,
            "sigma": skew,
            "silverman": float(math.sqrt(kde.covariance[0, 0])),
            "density": numbers(heights),
            "mode": float(grid[heights.argmax()]),
        }


def normal():
    for x in [-37, -20, -8.5, -5, -3.001, -3, -2.999, -1.96, -1, -1e-3, 0, 1e-9, 0.5, 1, 1.645, 2.5, 3, 3.5, 6, 8]:
        yield {"x": float(x), "cdf": float(stats.norm.cdf(x))}
    for p in [1e-300, 1e-50, 1e-15, 1e-8, 0.001, 0.025, 0.0749, 0.0751, 0.3, 0.5, 0.6, 0.9249, 0.9251, 0.975, 0.9999, 1 - 1e-12]:
        yield {"probability": p, "quantile": float(stats.norm.ppf(p))}


def student():
    degrees = [0.5, 1, 2, 2.7, 3, 5, 9, 10, 29, 79, 80, 81, 99, 1000, 12345.6, 1e5, 9.9e5, 1.1e6, 1e7, 1e9]
    for n in degrees:
        for t in [-40, -5, -2, -0.5, -1e-4, 0, 0.1, 1, 1.96, 3, 8, 30]:
            yield {"degrees_of_freedom": float(n), "t": float(t), "cdf": float(stats.t.cdf(t, n))}
        for p in [1e-6, 0.005, 0.025, 0.05, 0.3, 0.5, 0.51, 0.9, 0.95, 0.975, 0.995, 0.9995]:
            yield {"degrees_of_freedom": float(n), "probability": p, "quantile": float(stats.t.ppf(p, n))}


def mean_interval():
    for name, values in samples().items():
        values = numpy.asarray(values)
        interval = stats.t.interval(CONFIDENCE, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
        yield {"name": name, "values": numbers(values), "confidence": CONFIDENCE, "low": float(interval[0]), "high": float(interval[1])}


def order_statistics():
    """Depth and confidence of the narrowest pair of order statistics, and the interpolated ends of ranks 1 to n."""
    for confidence in [0.5, 0.9, 0.95, 0.99]:
        for n in [1, 2, 5, 6, 7, 8, 9, 10, 11, 15, 20, 25, 30, 41, 64, 100, 999, 1200, 5000]:
            d = 0
            while 2 * (d + 1) <= n + 1 and 1 - 2 * stats.binom.cdf(d, n, 0.5) >= confidence:
                d += 1
            case = {"n": n, "confidence": confidence, "depth": d}
            if d > 0:
                outer = float(1 - 2 * stats.binom.cdf(d - 1, n, 0.5))
                inner = float(1 - 2 * stats.binom.cdf(d, n, 0.5))
                case["attained"] = outer
                if 2 * (d + 1) <= n + 1:
                    share = (outer - confidence) / (outer - inner)
                    case["low"] = d + (n - d) * share / (d + (n - 2 * d) * share)
            yield case


def kendall():
    r = rng(5)
    cases = [([1, 2], [1, 2]), ([1, 2, 3], [3, 1, 2]), ([1, 2, 3, 4], [1, 1, 2, 2])]
    for n in [4, 5, 6, 8, 10, 11, 20, 33, 34, 60, 200]:
        x = numpy.arange(n)
        cases.append((x, r.normal(0, 1, n)))
        cases.append((x, r.normal(0, 1, n) + 3 * x / n))
        cases.append((x, numpy.round(r.normal(0, 1, n))))
        cases.append((numpy.round(x / 3), numpy.round(r.normal(0, 1, n) - x / n)))
    for x, y in cases:
        found = stats.kendalltau(x, y)
        if not math.isnan(found.statistic):
            yield {"x": numbers(x), "y": numbers(y), "tau": float(found.statistic), "p_value": float(found.pvalue)}


def theil_sen():
    r = rng(6)
    for n in [3, 6, 7, 10, 25, 60]:
        x = numpy.arange(n, dtype=float)
        for x, y in [
            (x, r.normal(0, 1, n)),
            (r.permutation(x), 5 + 0.3 * x + r.normal(0, 1, n)),
            (numpy.round(x / 2), numpy.round(r.normal(0, 2, n) - x)),
        ]:
            found = stats.theilslopes(y, x, alpha=CONFIDENCE)
            yield {
                "x": numbers(x), "y": numbers(y), "confidence": CONFIDENCE, "slope": float(found.slope),
                "intercept": float(found.intercept), "low": float(found.low_slope), "high": float(found.high_slope),
            }


def holm():
    r = rng(7)
    cases = [[0.04], [0.01, 0.01, 0.01], [0.0, 1.0, 0.5], [0.01, 0.02, 0.03, 0.005], [0.2, 0.001, 0.2, 0.04, 0.04]]
    cases += [r.random(n) ** 3 for n in [2, 5, 20, 100]]
    for p_values in cases:
        adjusted = multipletests(p_values, method="holm")[1]
        yield {"p_values": numbers(p_values), "adjusted": numbers(adjusted)}


def geometric_mean():
    r = rng(8)
    for n in [1, 2, 3, 10, 60]:
        estimates = r.lognormal(0, 0.5, n)
        lows, highs = estimates * numpy.exp(-r.random(n) / 5), estimates * numpy.exp(r.random(n) / 5)
        centre = float(stats.gmean(estimates))
        yield {
            "ratios": [numbers(row) for row in zip(estimates, lows, highs)],
            "estimate": centre,
            "low": centre / math.exp(numpy.linalg.norm(numpy.log(estimates / lows)) / n),
            "high": centre * math.exp(numpy.linalg.norm(numpy.log(highs / estimates)) / n),
        }


def detectable():
    for n in [1, 2.5, 4, 5, 8, 20, 31, 100, 1000]:
        for level in [0.05, 0.01, 0.0001]:
            for power in [0.5, 0.8, 0.95]:
                critical = float(stats.t.ppf(1 - level / 2, n))
                # Without the other tail: a significant difference in the wrong direction is none that was found.
                excess = lambda shift: float(stats.nct.sf(critical, n, shift)) - power
                if critical > 30:
                    continue  # so far out SciPy's noncentral t loses its digits
                shift = optimize.brentq(excess, 0, 100, xtol=1e-13, rtol=1e-13)
                for error, margin in [(0.01, 0.005), (0.04, 0.0)]:
                    effect = (1 + margin) * math.exp(shift * error) - 1
                    yield {"standard_error": error, "degrees_of_freedom": float(n), "level": level, "margin": margin, "power": power, "effect": effect}


def together(said):
    """By what the standard error of a mean grows where neighbours clearly go together: a first-order autoregressive process, by its
    covariances written out, with statsmodels' autocorrelation less the bias of so few values (Marriott and Pope 1954, Kendall 1954)."""
    count = len(said)
    correlation = acf(numpy.asarray(said), nlags=1, adjusted=False, fft=False)[1] + 1 / count
    if count < 8 or correlation <= 2 / numpy.sqrt(count):
        return 1.0
    correlation = min(correlation / max(1 - 3 / count, 0.3), 0.95)
    covariances = linalg.toeplitz(correlation ** numpy.arange(count))
    of_mean = covariances.sum() / count
    of_values = (numpy.trace(covariances) - of_mean) / (count - 1)
    return float(numpy.sqrt(of_mean / max(of_values, 0.05)))


def location():
    """Huber's M-estimate over the rounds of launch pairs, pairs as clusters: the root by SciPy, the score by statsmodels."""
    r = rng(12)
    # Rounds that lie alike on both sides of a middle, which is their median then.
    around = lambda middle, offsets: numpy.concatenate([middle - offsets, [middle], middle + offsets])
    narrow = lambda middle: around(middle, abs(r.normal(0, 0.001, 12)))
    # So many rounds in a peak at 0 and so many at 0.04. All sums of signs are exact in binary.
    peaks = lambda low, high: numpy.concatenate([r.normal(0, 0.0005, low), r.normal(0.04, 0.0005, high)])
    shapes = {
        "few": [[0.01], [0.02], [-0.01]],
        "single-rounds": r.normal(0.01, 0.004, (9, 1)),
        "normal-6": r.normal(0.01, 0.003, (6, 1)) + r.normal(0, 0.01, (6, 24)),
        "student-12": 0.004 * r.standard_t(3, (12, 1)) + 0.02 * r.standard_t(2, (12, 24)),
        "states-10": r.choice([-0.02, 0.0, 0.03], (10, 1)) + r.normal(0, 0.004, (10, 24)),
        "one-far-off-8": numpy.append(r.normal(0, 0.002, 7), 0.4)[:, None] + r.normal(0, 0.005, (8, 12)),
        "agreeing-8": [narrow(middle) for middle in [0.01] * 5 + [0.04, -0.02, 0.039]],
        "wide-rounds-9": [around(middle, abs(r.normal(0, 0.02, 12))) for middle in r.normal(0.004, 0.0002, 9)],
        "empty-middle-13": [peaks(9, 7) for _ in range(10)] + [peaks(10, 22), peaks(10, 22), peaks(8, 24)],
        "uneven-7": [r.normal(0.002, 0.01, rounds) for rounds in [1, 3, 24, 7, 12, 24, 2]],
    }
    decided = set()
    for name, pairs in shapes.items():
        pairs = [numpy.round(pair, 6) for pair in pairs]
        medians = numpy.array([numpy.median(pair) for pair in pairs])
        said, freedom = medians, len(pairs) - 1
        if len(pairs) >= 6:
            off = abs(medians - numpy.median(medians))
            within = numpy.concatenate([abs(pair - median) for pair, median in zip(pairs, medians)])
            terms = {
                "scatter": 2 * stats.median_abs_deviation(medians, scale="normal"),
                "pairs": numpy.quantile(off, 0.75),
                "rounds": numpy.quantile(within, 0.25),
            }
            scale = max(terms.values())
            decided.add(max(terms, key=terms.get))
            score = lambda centre, pair: HuberT(t=1.0).psi((pair - centre) / scale)
            every = numpy.concatenate(pairs)
            total = lambda centre: sum(score(centre, pair).mean() for pair in pairs)
            centre = optimize.brentq(total, every.min(), every.max(), xtol=1e-15, rtol=1e-14)
            share = numpy.mean([(abs(pair - centre) <= scale).mean() for pair in pairs])
            freedom *= 0.7
            if share >= 0.1:
                said = [centre + score(centre, pair).mean() / (share / scale) for pair in pairs]
            else:
                decided.add("medians")
        yield {
            "name": name, "pairs": [numbers(pair) for pair in pairs], "mean": float(numpy.mean(said)),
            "standard_error": float(stats.sem(said)) * together(said), "freedom": freedom,
        }
    # Each of the rules decides somewhere, or its vectors couldn't fail.
    assert decided == {"scatter", "pairs", "rounds", "medians"}, decided


if __name__ == "__main__":
    for produce in [
        descriptive, density, density_of_many, normal, student, mean_interval, order_statistics, kendall, theil_sen,
        holm, geometric_mean, detectable, location,
    ]:
        write(produce.__name__, produce())
