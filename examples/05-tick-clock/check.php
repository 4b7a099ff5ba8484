<?php

/*
 * php check.php
 *
 * What the server has to do, with either clock: first its connections without sockets, on clocks that are moved by hand, then the server
 * itself on loopback, with a bounded number of requests. Every server is ended by its own id. Nothing here asserts on time.
 */

declare(strict_types=1);

use Tare\Clock\Clock;
use Tare\Clock\ManualClock;
use Tare\Clock\TickClock;

require (getenv('TARE_CLOCK') ?: dirname(__DIR__, 2) . '/sdk/php/clock') . '/autoload.php';
spl_autoload_register(static function (string $class): void {
    if (is_file(__DIR__ . "/src/$class.php")) {
        require __DIR__ . "/src/$class.php";
    }
});

const PATIENCE = 10000000000;
const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
$passed = $failed = 0;

/** @param mixed $expected @param mixed $actual */
function check(string $what, $expected, $actual): void
{
    global $passed, $failed;
    if ($expected === $actual) {
        ++$passed;
    } else {
        ++$failed;
        echo "FAILED $what\n    expected ", var_export($expected, true), "\n    got      ", var_export($actual, true), "\n";
    }
}

/** The statuses of the answers in a stream of them. */
function statuses(string $answers): array
{
    preg_match_all('~^HTTP/1\.1 (\d+)~m', $answers, $found);

    return array_map('intval', $found[1]);
}

function connection(?ManualClock &$clock = null, $stream = null): Connection
{
    $clock = new ManualClock(1700000000000000000);

    return new Connection('client', $clock, $clock, new Log($stream), PATIENCE);
}

// Whole, in single bytes, and many at once: the same answers.
foreach ([1, 3, 1000000] as $piece) {
    $connection = connection();
    foreach (str_split(str_repeat(GET, 5) . "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n\r\n" . "GET /other HTTP/1.1\r\nHost: a\r\n\r\n", $piece) as $bytes) {
        $connection->receive($bytes);
    }
    check("answers to pieces of $piece", [200, 200, 200, 200, 200, 200, 404], statuses($connection->output));
    check("bodies for pieces of $piece", 5, substr_count($connection->output, "\r\n\r\nHello.\n"));
    check("open after pieces of $piece", [true, false], [$connection->isReading(), $connection->isClosing]);
}
$connection = connection();
$connection->receive(GET);
check('the whole answer', "HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n"
    . "Connection: keep-alive\r\n\r\nHello.\n", $connection->output);

// [what was sent, statuses, closed]
$body = static function (string $head, string $body): string {
    return "POST / HTTP/1.1\r\nHost: a\r\n$head\r\n\r\n$body";
};
foreach (
    [
        'close' => ["GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n" . GET, [200], true],
        'HTTP/1.0' => ["GET / HTTP/1.0\r\n\r\n", [200], true],
        'HTTP/1.0 kept' => ["GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", [200], false],
        'a query' => ["GET /?a=b HTTP/1.1\r\nHost: a\r\n\r\n", [200], false],
        'a whole address' => ["GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", [200], false],
        'a body' => [$body('Content-Length: 3', 'abc') . GET, [200, 200], false],
        'half a body' => [$body('Content-Length: 4', 'abc'), [], false],
        'a body that is announced' => [$body("Expect: 100-continue\r\nContent-Length: 3", '') , [100], false],
        'the longest body' => [$body('Content-Length: 65536', str_repeat('x', 65536)) . GET, [200, 200], false],
        'too long a body' => [$body('Content-Length: 65537', ''), [413], true],
        'a length that is none' => [$body('Content-Length: 3a', 'abc'), [400], true],
        'a negative length' => [$body('Content-Length: -3', 'abc'), [400], true],
        'two lengths' => [$body("Content-Length: 3\r\nContent-Length: 4", 'abcd'), [400], true],
        'the same length twice' => [$body("Content-Length: 3\r\nContent-Length: 3", 'abc'), [200], false],
        'chunks' => [$body('Transfer-Encoding: chunked', "0\r\n\r\n"), [501], true],
        'chunks and a length' => [$body("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"), [400], true],
        'another method' => ["PUT / HTTP/1.1\r\nHost: a\r\n\r\n", [405], false],
        'an unknown method' => ["BREW / HTTP/1.1\r\nHost: a\r\n\r\n", [501], false],
        'another version' => ["GET / HTTP/2.0\r\nHost: a\r\n\r\n", [505], true],
        'no Host' => ["GET / HTTP/1.1\r\n\r\n", [400], true],
        'two Hosts' => ["GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", [400], true],
        'garbage' => ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", [400], true],
        'words' => ["hello there\r\n\r\n", [400], true],
        'a lone line feed' => ["GET / HTTP/1.1\nHost: a\n\n", [400], true],
        'a lone carriage return' => ["GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n", [400], true],
        'a folded field' => ["GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", [400], true],
        'a blank before the colon' => ["GET / HTTP/1.1\r\nHost : a\r\n\r\n", [400], true],
        'a zero' => ["GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", [400], true],
        'a target that is no path' => ["GET example HTTP/1.1\r\nHost: a\r\n\r\n", [400], true],
        'a field that is too long' => ["GET / HTTP/1.1\r\nHost: a\r\nX: " . str_repeat('x', 9000), [431], true],
        'fields that are too many' => ["GET / HTTP/1.1\r\nHost: a\r\n" . str_repeat("X: y\r\n", 2000) . "\r\n", [431], true],
        'a target that is too long' => ['GET /' . str_repeat('x', 9000), [414], true],
        'the request before the garbage' => [GET . "?\n", [200, 400], true],
        'nothing' => ['', [], false],
    ] as $what => [$sent, $expected, $isClosing]
) {
    $connection = connection();
    $connection->receive($sent);
    check($what, [$expected, $isClosing], [statuses($connection->output), $connection->isClosing]);
}

// A client that doesn't take its answers is read no further, and goes on where it was.
$connection = connection();
$connection->receive(str_repeat(GET, 5000));
check('backpressure', [false, true], [$connection->isReading(), strlen($connection->output) < 70000]);
for ($answers = ''; $connection->output !== ''; $connection->sent(strlen($piece))) {
    $answers .= $piece = substr($connection->output, 0, 1000);
}
check('all that was sent was answered', array_fill(0, 5000, 200), statuses($answers));

// Deadlines.
$connection = connection($clock);
$connection->receive('GET');
foreach ([4000000000, 4000000000] as $nanoseconds) {
    $clock->advance($nanoseconds);
    $connection->receive(' ');
}
check('a drip feed gains no time', 2000000000, $connection->deadline - $clock->nanoseconds());
$connection->expire();
check('half a request in time', [[408], true, true], [statuses($connection->output), $connection->isClosing, $connection->isDiscarding]);
$connection = connection($clock);
$connection->expire();
check('an idle client is left without a word', ['', true], [$connection->output, $connection->isClosing]);
$connection = connection($clock);
$connection->receive(GET);
$clock->advance(9000000000);
$connection->sent(10);
check('taking an answer gains time', PATIENCE, $connection->deadline - $clock->nanoseconds());
$connection->expire();
check('a client that takes no more is left', ['', true], [$connection->output, $connection->isClosing]);

// The log: its lines can't be forged, and a tick stands still.
$stream = fopen('php://memory', 'w+');
$log = new Log($stream);
$wall = new ManualClock(1700000000123456000);
$ticking = new TickClock(new ManualClock());
$connection = new Connection('client', $wall, $wall, $log, PATIENCE);
$connection->receive('GET /"\\ HTTP/1.1' . "\r\nHost: a\r\n");
$wall->advance(5000);
$connection->receive("\r\nwhat\r\n\r\n");
$log->write();
rewind($stream);
check('the log', "client [2023-11-14T22:13:20.123461+00:00] \"GET /\\\"\\\\ HTTP/1.1\" 404 10 5us\n"
    . "client [2023-11-14T22:13:20.123461+00:00] \"-\" 400 12 0us\n", stream_get_contents($stream));

/** A clock that counts how often it is read. */
final class CountingClock implements Clock
{
    public int $readings = 0;
    private ManualClock $manual;

    public function __construct()
    {
        $this->manual = new ManualClock();
    }

    public function nanoseconds(): int
    {
        ++$this->readings;

        return $this->manual->nanoseconds();
    }

    public function seconds(): float
    {
        return $this->nanoseconds() / 1e9;
    }

    public function now(): DateTimeImmutable
    {
        return $this->date($this->nanoseconds());
    }

    public function date(int $nanoseconds): DateTimeImmutable
    {
        return $this->manual->date($nanoseconds);
    }
}

// What the README says of its reads: six for a request that comes in one piece, one of each clock in a tick.
foreach ([false, true] as $isTicking) {
    $sources = [new CountingClock(), new CountingClock()];
    $clocks = $isTicking ? array_map(static function (Clock $source): TickClock {
        return new TickClock($source);
    }, $sources) : $sources;
    $connection = new Connection('client', $clocks[0], $clocks[1], new Log(null), PATIENCE);
    $sources[0]->readings = $sources[1]->readings = 0;
    if ($isTicking) {
        array_map(static function (TickClock $clock): void {
            $clock->tick();
        }, $clocks);
    }
    foreach ([1, 2, 3] as $request) {
        $connection->receive(GET);
        $connection->sent(strlen($connection->output));
    }
    check('reads of the time', $isTicking ? [1, 1] : [6, 12], [$sources[0]->readings, $sources[1]->readings]);
}

/** A server of its own process; gives its address and a function that ends it and gives its status. */
function started(string ...$arguments): array
{
    $process = proc_open(array_merge([PHP_BINARY, __DIR__ . '/server.php'], $arguments), [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    $said = (string) fgets($pipes[1]);
    $end = static function () use ($process, $pipes): string {
        $status = proc_get_status($process);
        if ($status['running']) {
            proc_terminate($process);
        }
        $errors = (string) stream_get_contents($pipes[2]);
        proc_close($process);

        return $errors;
    };

    return [preg_match('~^listening on (127\.0\.0\.1:\d+)$~', trim($said), $parts) === 1 ? $parts[1] : '', $end];
}

/** @return resource */
function client(string $address)
{
    $socket = stream_socket_client("tcp://$address", $number, $message, 10);
    stream_set_timeout($socket, 20);

    return $socket;
}

foreach (['fresh', 'tick'] as $kind) {
    [$address, $end] = started("--clock=$kind", '--seconds=60', '--patience=20');
    check("$kind: it listens", true, $address !== '');
    $clients = array_map(static function () use ($address) {
        return client($address);
    }, range(1, 20));
    foreach ([1, 2, 3] as $round) {
        foreach ($clients as $client) {
            fwrite($client, GET . GET);
        }
        foreach ($clients as $client) {
            $answers = '';
            while (substr_count($answers, "Hello.\n") < 2 && !feof($client)) {
                $answers .= fread($client, 4096);
            }
            check("$kind: kept alive and pipelined", [200, 200], statuses($answers));
        }
    }
    fwrite($clients[0], 'GET / HT');
    fclose($clients[1]);
    fwrite($clients[2], "\x00\xff\r\n");
    check("$kind: garbage", [400], statuses((string) stream_get_contents($clients[2])));
    // More than the socket's buffers hold, sent to a server that has refused it: the answer still arrives.
    stream_set_blocking($clients[3], true);
    @fwrite($clients[3], 'GET /' . str_repeat('x', 200000));
    check("$kind: an endless target", [414], statuses((string) stream_get_contents($clients[3])));
    fwrite($clients[0], "TP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    check("$kind: the rest of a request", [200], statuses((string) stream_get_contents($clients[0])));
    check("$kind: nothing on its standard error", '', $end());
    check("$kind: it is gone", false, @stream_socket_client("tcp://$address", $number, $message, 1));

    [$address, $end] = started("--clock=$kind", '--seconds=60', '--patience=0.2');
    $slow = client($address);
    fwrite($slow, "GET / HTTP/1.1\r\n");
    check("$kind: a slow client", [408], statuses((string) stream_get_contents($slow)));
    check("$kind: an idle client", '', stream_get_contents(client($address)));
    $end();

    [$address, $end] = started("--clock=$kind", '--seconds=60', '--requests=3', '--log=-');
    $client = client($address);
    fwrite($client, GET . GET . GET);
    check("$kind: it ends after as many requests", [200, 200, 200], statuses((string) stream_get_contents($client)));
    check("$kind: three lines of log", 3, preg_match_all('~^127\.0\.0\.1:\d+ \[[\dT:.+-]+\] "GET / HTTP/1\.1" 200 7 \d+us$~m', $end()));
}
foreach (['--clock=sundial', '--port=70000', '--port=x', '--speed=9', 'help', '--log=/nowhere/log'] as $wrong) {
    [$address, $end] = started($wrong);
    check("$wrong is refused", ['', 1], [$address, preg_match('~^server: .+\n$~D', $end())]);
}

echo "$passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
