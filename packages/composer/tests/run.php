<?php

/*
 * php tests/run.php [PART OF A NAME]
 *
 * Tests of the launcher, with an archive that has a shell script in place of the program. They write to folders of their own, and ask nobody but servers
 * that they start on this machine.
 */

error_reporting(E_ALL);
require dirname(__DIR__, 3) . '/sdk/php/tests/Check.php';
require __DIR__ . '/Package.php';

$only = $argv[1] ?? '';
$passed = 0;
$failed = 0;
foreach (['launcher', 'attributes'] as $suite) {
    foreach (require __DIR__ . "/$suite.php" as $name => $test) {
        if ($only !== '' && strpos($name, $only) === false) {
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
exit($failed === 0 && $passed > 0 ? 0 : 1);
