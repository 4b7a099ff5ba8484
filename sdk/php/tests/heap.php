<?php

/** What PlacesBench tells in a process of its own. */
$told = static function (array $environment, array $php = []): array {
    $session = Session::loaded(['PlacesBench.php'], $replies, $php, $environment + ['TARE_SEED' => '', 'TARE_SHAKE' => '']);
    $session->prepare($replies, 'PlacesBench::benchNothing');
    Check::times(1, $session->run('case'));
    $session->end();

    return json_decode($session->output, true, 3, JSON_THROW_ON_ERROR);
};
$heap = static function (array $told): array {
    return [$told['used'], $told['places'], $told['function']];
};

return [
    'each seed gives the heap another filling, and the same seed the same' => static function () use ($told, $heap): void {
        $seeds = ['0', '1', '2', '9223372036854775807', '9223372036854775808', '18446744073709551615'];
        $used = $places = $functions = [];
        foreach ($seeds as $seed) {
            $one = $told(['TARE_SEED' => $seed]);
            Check::same($heap($one), $heap($told(['TARE_SEED' => $seed])), "seed $seed twice");
            $used[] = $one['used'];
            $places[] = $one['places'];
            $functions[] = $one['function'];
        }
        Check::same(count($seeds), count(array_unique($used)), 'bytes in use: ' . json_encode($used));
        if (extension_loaded('ffi')) {
            // Not by one offset for all: sizes are drawn independently.
            foreach ([0, 1, 2, 3] as $size) {
                $three = array_map(static function (array $row) use ($size): string {
                    return "{$row[$size]} {$row[$size + 4]} {$row[$size + 8]}";
                }, $places);
                Check::holds(count(array_unique($three)) >= 5, 'places: ' . json_encode($three));
            }
            $apart = array_map(static function (array $row): int {
                return $row[1] - $row[0];
            }, $places);
            Check::holds(count(array_unique($apart)) >= 5, 'places: ' . json_encode($places));
        }
        // What is allocated for functions and their call sites is moved as well.
        Check::holds($functions[0] === null || count(array_unique($functions)) >= 5, 'functions: ' . json_encode($functions));
    },
    'what stays of the filling is some hundred kilobytes' => static function () use ($told): void {
        $plain = $told([])['used'];
        foreach (range(10, 17) as $seed) {
            $more = $told(['TARE_SEED' => (string) $seed])['used'] - $plain;
            Check::holds($more > 100000 && $more < 600000, "seed $seed: $more bytes");
        }
    },
    'without a seed, or switched off, nothing is filled' => static function () use ($told, $heap): void {
        // Texts of one length: PHP may hold the environment in its heap.
        $plain = $told(['TARE_SEED' => '-7', 'TARE_SHAKE' => 'off']);
        foreach ([['77', 'off'], ['-7', 'yes'], ['7a', 'yes'], [' 7', 'yes']] as [$seed, $shake]) {
            Check::same($heap($plain), $heap($told(['TARE_SEED' => $seed, 'TARE_SHAKE' => $shake])), "$seed, $shake");
        }
        Check::holds(abs($plain['used'] - $told([])['used']) < 1000, 'no seed, but more in use');
        Check::holds($heap($plain) !== $heap($told(['TARE_SEED' => '77', 'TARE_SHAKE' => 'yes'])), 'only `off` switches it off');
    },
    'the random numbers of the user\'s code are not seeded' => static function () use ($told): void {
        Check::holds($told(['TARE_SEED' => '7'])['random'] !== $told(['TARE_SEED' => '7'])['random'], 'twice the same random number');
    },
    'the memory of opcache is filled as well' => static function () use ($told): void {
        $php = ['-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0', '-d', 'opcache.jit_buffer_size=16M', '-d', 'opcache.jit=tracing'];
        $places = function (string $shake) use ($told, $php): array {
            return array_unique(array_map(static function (int $seed) use ($told, $php, $shake): ?int {
                return $told(['TARE_SEED' => (string) $seed, 'TARE_SHAKE' => $shake], $php)['function'];
            }, range(1, 6)));
        };
        $off = $places('off');
        if ($off[0] !== null) {
            Check::same(1, count($off), 'not shaken: ' . json_encode($off));
            Check::holds(count($places('on')) >= 5, 'shaken: ' . json_encode($off));
        }
    },
];
