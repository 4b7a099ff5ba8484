<?php

/*
 * The mean cost of a call of a method, measured without Tare: CPU time of the process over many calls, less that of an empty method, in turns.
 * Arguments: the method, the calls a turn (a multiple of what comes round), the turns. Prints nanoseconds.
 */

require __DIR__ . '/MeansBench.php';

[, $measured, $calls, $turns] = $argv;

function cpu(): float
{
    $usage = getrusage();

    return 1e9 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'])
        + 1e3 * ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']);
}

function turn(MeansBench $subject, string $method, int $calls): float
{
    $begun = cpu();
    for ($i = 0; $i < $calls; ++$i) {
        $subject->$method();
    }

    return cpu() - $begun;
}

$subject = new MeansBench();
$methods = [$measured, 'empty'];
$spent = array_fill_keys($methods, 0.0);
// The first turn of each meets caches and a heap that aren't as they stay.
for ($i = 0; $i <= (int) $turns; ++$i) {
    foreach ($methods as $method) {
        $ns = turn($subject, $method, (int) $calls);
        $spent[$method] += $i > 0 ? $ns : 0.0;
    }
}
printf("%.6f\n", ($spent[$measured] - $spent['empty']) / $calls / $turns);
