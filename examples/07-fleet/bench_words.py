"""Six ways to count words: a small suite to be shared among nodes."""

TEXT = ("the quick brown fox jumps over the lazy dog " * 20).split()


def bench_dict_get():
    counts = {}
    for word in TEXT:
        counts[word] = counts.get(word, 0) + 1
    return counts


def bench_dict_in():
    counts = {}
    for word in TEXT:
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def bench_counter():
    from collections import Counter

    return Counter(TEXT)


def bench_defaultdict():
    from collections import defaultdict

    counts = defaultdict(int)
    for word in TEXT:
        counts[word] += 1
    return counts


def bench_sorted_groups():
    from itertools import groupby

    return {word: len(list(group)) for word, group in groupby(sorted(TEXT))}


def bench_count_each():
    return {word: TEXT.count(word) for word in set(TEXT)}
