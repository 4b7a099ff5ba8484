<?php
/*
 * Entry of Tare's PHP worker. This file has to be parsed by every PHP since 5.6, so that a runtime that is too old is
 * told so over the wire; everything newer lives in the files it requires.
 */

$tareRefusal = null;
if (PHP_VERSION_ID < 70400) {
    $tareRefusal = 'PHP ' . PHP_VERSION . ' is too old: Tare needs 7.4 or later.';
    $tareRemedy = 'Name a newer PHP with --runtime.';
} elseif (PHP_INT_SIZE < 8) {
    $tareRefusal = 'PHP ' . PHP_VERSION . ' is a 32-bit build: Tare counts nanoseconds in 64-bit integers.';
    $tareRemedy = 'Name a 64-bit PHP with --runtime.';
}
if ($tareRefusal !== null) {
    $tareWire = getenv('TARE_WIRE');
    file_put_contents(
        is_string($tareWire) && $tareWire !== '' ? $tareWire : 'php://stdout',
        json_encode(array(
            'frame' => 'fault', 'id' => -1, 'kind' => 'runtime', 'message' => $tareRefusal, 'remedy' => $tareRemedy,
        )) . "\n"
    );
    exit(0);
}
unset($tareRefusal);

foreach (array(
    'Quiet', 'Heap', 'Fault', 'Request', 'Frames', 'Wire', 'Timer', 'Clock', 'ClockReader', 'Kernels', 'CallPath', 'Signature', 'CallPathSource', 'Scratch',
    'CallPaths', 'Stretch', 'Collector', 'Sampler', 'ValuePrinter', 'Declaration', 'Imports', 'AnnotationParser', 'DeclarationReader', 'Settings', 'ParameterSets',
    'Providers', 'Benchmark', 'BenchmarkCase', 'LoadWorker', 'Operation', 'Suite', 'Work', 'PeakMemory', 'Load', 'Registry', 'Isolation', 'Copies', 'ClassFixtures', 'Prepared', 'Runtime', 'Ending', 'Profiler', 'Worker',
) as $tareSource) {
    require __DIR__ . '/src/' . $tareSource . '.php';
}
// A worker that measures loads nothing of what looks at the code.
foreach (getenv('TARE_LOOK') ? array('Ran', 'Marks', 'Sources', 'Look') : (getenv('TARE_FUNCTIONS') ? array('Sources', 'Executed') : array()) as $tareSource) {
    require __DIR__ . '/src/' . $tareSource . '.php';
}
unset($tareSource);

\Tare\Worker\Worker::main();
