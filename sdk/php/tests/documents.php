<?php

/** The fenced blocks of a language in the README. */
$blocks = static function (string $language): array {
    preg_match_all('/^```' . $language . '\n(.*?)^```/ms', (string) file_get_contents(dirname(__DIR__) . '/README.md'), $found);

    return $found[1];
};

return [
    'the commands of the README do what it says' => static function () use ($blocks): void {
        Check::holds($blocks('sh') !== [], 'the README shows commands');
        foreach ($blocks('sh') as $script) {
            if (strpos($script, 'worker.php') === false) {
                continue;
            }
            $environment = array_diff_key(getenv(), ['TARE_WIRE' => 1, 'TARE_SCRATCH' => 1]);
            // `php` is the one that runs this, whatever its program is called.
            $folder = sys_get_temp_dir() . '/tare-test-' . bin2hex(random_bytes(6));
            mkdir($folder);
            symlink(PHP_BINARY, "$folder/php");
            $environment['PATH'] = $folder . ':' . $environment['PATH'];
            $process = proc_open(['sh', '-c', $script], [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, dirname(__DIR__), $environment);
            $frames = array_map(static function (string $line): array {
                return json_decode($line, true, 3, JSON_THROW_ON_ERROR);
            }, explode("\n", trim((string) stream_get_contents($pipes[1]))));
            Check::same('', stream_get_contents($pipes[2]));
            Check::same(0, proc_close($process));
            unlink("$folder/php");
            rmdir($folder);
            Check::same('hello', $frames[0]['frame']);
            Check::same([], array_filter($frames, static function (array $frame): bool {
                return $frame['frame'] === 'fault' || ($frame['level'] ?? '') === 'error';
            }));
            Check::one($frames, ['frame' => 'samples']);
        }
    },
    'the PHP of the README can be measured' => static function () use ($blocks): void {
        Check::holds($blocks('php') !== [], 'the README shows a class');
        foreach ($blocks('php') as $source) {
            $file = sys_get_temp_dir() . '/tare-readme-' . bin2hex(random_bytes(6)) . '.php';
            file_put_contents($file, "<?php\n" . $source);
            $session = new Session();
            $replies = $session->ask(['frame' => 'load', 'files' => [$file]]);
            unlink($file);
            $case = $replies[0];
            Check::same('case', $case['frame'], json_encode($replies));
            Check::same('ready', $session->prepare($replies, $case['benchmark'], $case['parameters'] ?? '')['frame']);
            Check::times(2, $session->run('case', [1, 10]));
            $session->end();
        }
    },
    'every part of the worker is required by it' => static function (): void {
        $entry = (string) file_get_contents(dirname(__DIR__) . '/worker.php');
        foreach (glob(dirname(__DIR__) . '/src/*.php') as $source) {
            Check::holds(strpos($entry, "'" . basename($source, '.php') . "'") !== false, basename($source) . ' is in the list');
        }
    },
    'the entry is plain enough for a PHP that has to be refused' => static function (): void {
        $entry = (string) file_get_contents(dirname(__DIR__) . '/worker.php');
        foreach (['/\?\?/', '/declare\s*\(/', '/\bfn\b/', '/\)\s*:\s*\w+\s*\{/', '/=\s*\[/'] as $newer) {
            Check::same(0, preg_match($newer, $entry), $newer);
        }
    },
    'the example loads' => static function (): void {
        $session = new Session();
        $replies = $session->ask(['frame' => 'load', 'files' => [dirname(__DIR__) . '/example/HashBench.php']]);
        Check::same(4, end($replies)['cases']);
        Check::times(1, [$session->prepare($replies, 'HashBench::benchHash', 'md5'), $session->run('case', [10])][1]);
        $session->end();
    },
];
