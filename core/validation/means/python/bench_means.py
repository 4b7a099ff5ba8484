"""The subjects as benchmarks. The collector's work belongs to those that make garbage."""

import subjects


def bench_each_none():
    subjects.each_none()


def bench_each_5():
    subjects.each_5()


def bench_each_100():
    subjects.each_100()


def bench_each_10000():
    subjects.each_10000()


def bench_tree():
    subjects.tree()


def bench_cycle():
    subjects.cycle()
