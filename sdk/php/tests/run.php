<?php

/*
 * php tests/run.php [PART OF A NAME]
 *
 * Runs every test; prints those that fail, and a line of totals.
 */

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) !== 0) {
        throw new ErrorException($message, 0, $level, $file, $line);
    }

    return true;
});

require __DIR__ . '/Check.php';
require __DIR__ . '/Session.php';
foreach (['Quiet', 'Fault', 'Request', 'Frames', 'Scratch', 'ValuePrinter', 'Declaration', 'AnnotationParser', 'ParameterSets', 'LoadWorker', 'Work'] as $source) {
    require dirname(__DIR__) . "/src/$source.php";
}

$only = $argv[1] ?? '';
$passed = 0;
$failed = 0;
foreach (['frames', 'annotations', 'values', 'enumeration', 'measurement', 'stretch', 'heap', 'look', 'executed', 'readings', 'failures', 'documents', 'clocks', 'load', 'units'] as $suite) {
    foreach (require __DIR__ . "/$suite.php" as $name => $test) {
        if ($only !== '' && strpos("$suite: $name", $only) === false) {
            continue;
        }
        try {
            $test();
            ++$passed;
        } catch (Throwable $thrown) {
            ++$failed;
            echo "FAILED $suite: $name\n    ", $thrown->getMessage(), "\n    ", $thrown->getFile(), ':', $thrown->getLine(), "\n";
        }
    }
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
