<?php

/*
 * php server.php [--clock=fresh|tick] [--port=0] [--requests=N] [--seconds=600] [--patience=10] [--log=FILE]
 *
 * Serves "Hello." on 127.0.0.1. Prints the address on standard output, one line, and ends after N requests or so many seconds.
 * --patience is how many seconds a client may take; --log - writes to standard error.
 */

declare(strict_types=1);

use Tare\Clock\MonotonicClock;
use Tare\Clock\SelectTicks;
use Tare\Clock\TickClock;
use Tare\Clock\WallClock;

$clocks = getenv('TARE_CLOCK') ?: dirname(__DIR__, 2) . '/sdk/php/clock';
require "$clocks/autoload.php";
spl_autoload_register(static function (string $class): void {
    if (is_file(__DIR__ . "/src/$class.php")) {
        require __DIR__ . "/src/$class.php";
    }
});

/** The options, checked; exits with 2 where one is wrong. */
$options = (static function (array $arguments): array {
    $options = ['clock' => 'fresh', 'port' => '0', 'requests' => (string) PHP_INT_MAX, 'seconds' => '600', 'patience' => '10', 'log' => ''];
    foreach ($arguments as $argument) {
        if (preg_match('~^--([a-z]+)=(.*)$~Ds', $argument, $parts) !== 1 || !isset($options[$parts[1]])) {
            fwrite(STDERR, "server: what is $argument? The options are --" . implode('=…, --', array_keys($options)) . "=…\n");
            exit(2);
        }
        $options[$parts[1]] = $parts[2];
    }
    foreach (['port' => 65535, 'requests' => PHP_INT_MAX, 'seconds' => 86400, 'patience' => 3600] as $name => $most) {
        $value = filter_var($options[$name], $name === 'patience' ? FILTER_VALIDATE_FLOAT : FILTER_VALIDATE_INT);
        if ($value === false || $value < 0 || $value > $most) {
            fwrite(STDERR, "server: --$name wants a number from 0 to $most, not {$options[$name]}\n");
            exit(2);
        }
        $options[$name] = $value;
    }
    if (!in_array($options['clock'], ['fresh', 'tick'], true)) {
        fwrite(STDERR, "server: --clock is fresh or tick, not {$options['clock']}\n");
        exit(2);
    }

    return $options;
})(array_slice($argv, 1));

$log = null;
if ($options['log'] !== '') {
    $log = $options['log'] === '-' ? STDERR : @fopen($options['log'], 'ab');
    if ($log === false) {
        fwrite(STDERR, "server: can't write to {$options['log']}; name another --log\n");
        exit(2);
    }
}

$wall = new WallClock();
$monotonic = new MonotonicClock();
$ticks = new SelectTicks();
if ($options['clock'] === 'tick') {
    $wall = new TickClock($wall);
    $monotonic = new TickClock($monotonic);
    $ticks = new SelectTicks($wall, $monotonic);
}
try {
    $server = new Server($options['port'], $ticks, $wall, $monotonic, new Log($log), (int) ($options['patience'] * 1e9));
} catch (RuntimeException $failure) {
    fwrite(STDERR, "server: {$failure->getMessage()}\n");
    exit(1);
}
echo 'listening on ', $server->address(), "\n";
$server->run($options['requests'], $options['seconds'] * 1000000000);
