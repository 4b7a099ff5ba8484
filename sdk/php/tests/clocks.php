<?php

/* The contract of docs/tick-clock.md, on clocks that are moved by hand. */

use Tare\Clock\FloatNow;
use Tare\Clock\ManualClock;
use Tare\Clock\MonotonicClock;
use Tare\Clock\ReactTicks;
use Tare\Clock\SelectTicks;
use Tare\Clock\TickClock;
use Tare\Clock\WallClock;

require_once __DIR__ . '/../clock/autoload.php';
require_once __DIR__ . '/fixtures/CountingClock.php';
require_once __DIR__ . '/fixtures/SimulatedLoop.php';

$thrown = static function (callable $act): Throwable {
    try {
        $act();
    } catch (Throwable $thrown) {
        return $thrown;
    }
    throw new UnexpectedValueException('nothing was thrown');
};

/** All that can be read, as nanoseconds; each must be the same instant, to its own resolution. */
$readings = static function (TickClock $clock): array {
    return [
        $clock->nanoseconds(), $clock->nanoseconds, (int) round($clock->seconds() * 1e9), (int) round($clock->seconds * 1e9),
        (int) $clock->now()->format('U') * 1000000000 + (int) $clock->now()->format('u') * 1000,
    ];
};

$php = static function (string $code): string {
    $process = proc_open([PHP_BINARY, '-r', $code], [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    $said = stream_get_contents($pipes[1]) . stream_get_contents($pipes[2]);
    Check::same(0, proc_close($process), $said);

    return $said;
};

return [
    'within a tick every read gives one instant, from one reading of the source' => static function () use ($readings): void {
        $source = new CountingClock(1000000);
        $clock = new TickClock($source);
        $clock->tick();
        Check::same(array_fill(0, 5, 1000000), $readings($clock));
        $source->manual->advance(5000000);
        Check::same(array_fill(0, 5, 1000000), $readings($clock));
        Check::same(1, $source->readings);
    },
    'a reading is of its own tick' => static function () use ($readings): void {
        $source = new CountingClock(0);
        $clock = new TickClock($source);
        for ($turn = 1; $turn <= 100; ++$turn) {
            $source->manual->advance(1000);
            $clock->tick();
            $begun = $source->manual->nanoseconds();
            $source->manual->advance($turn * 7000);
            Check::same(array_fill(0, 5, $begun), $readings($clock));
        }
        Check::same(100, $source->readings);
    },
    'a lazy tick is read when it is first asked for, whatever for' => static function () use ($readings): void {
        foreach (['now', 'seconds', 'nanoseconds'] as $first) {
            foreach ([true, false] as $asProperty) {
                $source = new CountingClock(6000000000);
                $clock = new TickClock($source);
                $clock->tick();
                $clock->tickLazily();
                $source->manual->advance(1000000000);
                $asProperty && $first !== 'now' ? $clock->$first : $clock->$first();
                $source->manual->advance(1000000000);
                Check::same(array_fill(0, 5, 7000000000), $readings($clock));
                Check::same(2, $source->readings);
            }
        }
    },
    'a lazy tick without a read reads nothing' => static function (): void {
        $source = new CountingClock(0);
        $clock = new TickClock($source);
        $clock->tickLazily();
        $clock->tickLazily();
        $clock->end();
        Check::same(0, $source->readings);
    },
    'outside a tick every read is a fresh one' => static function () use ($readings): void {
        $source = new CountingClock(0);
        $clock = new TickClock($source);
        foreach (['before the first', 'after the last'] as $when) {
            for ($read = 1; $read <= 3; ++$read) {
                $source->manual->advance(1000000);
                Check::same(array_fill(0, 5, $source->manual->nanoseconds()), $readings($clock), $when);
            }
            $clock->tick();
            Check::same($source->manual->nanoseconds(), $clock->nanoseconds);
            $clock->end();
        }
    },
    'a source that is set back goes back between ticks, and not within one' => static function () use ($readings): void {
        $source = new CountingClock(5000000000);
        $clock = new TickClock($source);
        $clock->tick();
        Check::same(5000000000, $clock->nanoseconds);
        $source->manual->step(-3000000000);
        Check::same(array_fill(0, 5, 5000000000), $readings($clock));
        $clock->tick();
        Check::same(array_fill(0, 5, 2000000000), $readings($clock));
    },
    'where the source throws nothing is kept' => static function () use ($thrown): void {
        foreach (['tick', 'tickLazily'] as $tick) {
            $source = new CountingClock(1000);
            $clock = new TickClock($source);
            $clock->tick();
            Check::same(1000, $clock->nanoseconds);
            $source->failing = true;
            if ($tick === 'tick') {
                Check::same('the source fails', $thrown([$clock, 'tick'])->getMessage());
            } else {
                $clock->tickLazily();
            }
            foreach (['now', 'seconds', 'nanoseconds'] as $method) {
                Check::same('the source fails', $thrown([$clock, $method])->getMessage());
            }
            $source->failing = false;
            $source->manual->advance(1);
            Check::same(1001, $clock->nanoseconds);
            $source->manual->advance(1);
            Check::same($tick === 'tick' ? 1002 : 1001, $clock->nanoseconds, 'outside a tick, or in a lazy one');
        }
    },
    'where the end of a turn can\'t be asked for nothing is kept' => static function () use ($thrown): void {
        $source = new ManualClock(1);
        $clock = new TickClock($source, static function (): void {
            throw new DomainException('no');
        });
        $clock->tickLazily();
        Check::same('no', $thrown([$clock, 'seconds'])->getMessage());
        $clock->end();
        $source->advance(1);
        Check::same(2, $clock->nanoseconds);
    },
    'a turn that throws ends its tick' => static function () use ($thrown): void {
        $source = new CountingClock(0);
        $clock = new TickClock($source);
        $failure = $thrown(static function () use ($clock): void {
            $clock->during(static function () use ($clock): void {
                $clock->seconds();
                throw new DomainException('the turn fails');
            });
        });
        Check::same('the turn fails', $failure->getMessage());
        $source->manual->advance(9);
        Check::same(9, $clock->nanoseconds);
        Check::same(getcwd(), $clock->during('getcwd'), 'what the turn gives');
    },
    'after an inner loop the outer turn reads fresh, never what it had before' => static function (): void {
        $source = new CountingClock(10);
        $clock = new TickClock($source);
        $clock->during(static function () use ($clock, $source): void {
            Check::same(10, $clock->nanoseconds);
            $source->manual->advance(10);
            $clock->during(static function () use ($clock): void {
                Check::same(20, $clock->nanoseconds);
            });
            foreach ([30, 40] as $expected) {
                $source->manual->advance(10);
                Check::same($expected, $clock->nanoseconds);
            }
        });
        $clock->tick();
        Check::same([40, 40], [$clock->nanoseconds, $clock->nanoseconds()]);
    },
    'a property that there is none of is an error' => static function () use ($thrown): void {
        $clock = new TickClock(new ManualClock());
        Check::matches('/has no property second;/', $thrown(static function () use ($clock) {
            return $clock->second;
        })->getMessage());
        Check::same([true, true, false], [isset($clock->seconds), isset($clock->nanoseconds), isset($clock->second)]);
    },
    'a manual clock goes back only on purpose' => static function () use ($thrown): void {
        $clock = new ManualClock(100);
        $clock->advance(5);
        $clock->set(105);
        $clock->set(200);
        foreach (['advance' => -1, 'set' => 199] as $method => $to) {
            $failure = $thrown(static function () use ($clock, $method, $to): void {
                $clock->$method($to);
            });
            Check::holds($failure instanceof InvalidArgumentException, get_class($failure));
            Check::matches('/would go back.*step\(\)/', $failure->getMessage());
        }
        Check::same(200, $clock->nanoseconds());
        $clock->step(-150);
        Check::same([50, 5.0e-8], [$clock->nanoseconds(), $clock->seconds()]);
    },
    'dates are of the default zone, to the microsecond, before 1970 too' => static function (): void {
        $zone = date_default_timezone_get();
        try {
            foreach (['UTC' => '+00:00', 'Asia/Kathmandu' => '+05:30'] as $name => $offset) {
                date_default_timezone_set($name);
                $date = (new ManualClock(1999))->now();
                Check::same([$name, $offset, '0.000001'], [$date->getTimezone()->getName(), $date->format('P'), $date->format('U.u')]);
            }
            Check::same('-1.500000', (new ManualClock(-500000000))->now()->format('U.u'));
            Check::same('-1.999999', (new ManualClock(-1))->now()->format('U.u'));
            foreach ([0, 1, 123455, 123456, 123457, 499999, 500000, 999999] as $fraction) {
                $date = (new ManualClock((1700000000 * 1000000 + $fraction) * 1000 + 999))->now();
                Check::same(sprintf('1700000000.%06d +05:45', $fraction), $date->format('U.u P'));
            }
            // Summer time begins; the second before, and the same second in another zone.
            date_default_timezone_set('Europe/Berlin');
            $dates = array_map(static function (int $second): string {
                return (new ManualClock($second * 1000000000 + 5000))->now()->format('H:i:s.u P');
            }, [1743296399, 1743296400]);
            Check::same(['01:59:59.000005 +01:00', '03:00:00.000005 +02:00'], $dates);
            date_default_timezone_set('UTC');
            Check::same('01:00:00.000005 +00:00', (new ManualClock(1743296400000005000))->now()->format('H:i:s.u P'));
        } finally {
            date_default_timezone_set($zone);
        }
    },
    'the dates of a monotonic clock are as far apart as its readings' => static function (): void {
        $clock = new MonotonicClock();
        $reading = $clock->nanoseconds();
        $apart = (float) $clock->date($reading + 1500000000)->format('U.u') - (float) $clock->date($reading)->format('U.u');
        Check::holds(abs($apart - 1.5) < 1e-5, "dates $apart s apart");
        for ($last = $reading, $read = 0; $read < 1000; ++$read, $last = $now) {
            $now = $clock->nanoseconds();
            Check::holds($now >= $last, 'it went back');
        }
    },
    'the wall clock is whole microseconds, and one clock whatever it is asked for' => static function (): void {
        $clock = new WallClock();
        $least = $clock->nanoseconds();
        Check::same(0, $least % 1000);
        Check::same(sprintf('%d.%06d', intdiv($least, 1000000000), intdiv($least, 1000) % 1000000), $clock->date($least)->format('U.u'));
    },
    'now() as a float' => static function (): void {
        $source = new ManualClock(1500000000);
        $clock = new TickClock($source);
        $floats = [new FloatNow($source), new FloatNow($clock)];
        Check::same([1.5, 1.5], [$floats[0]->now(), $floats[1]->now()]);
        $clock->tick();
        $floats[1]->now();
        $source->advance(500000000);
        Check::same([2.0, 1.5], [$floats[0]->now(), $floats[1]->now()]);
    },
    'a turn of stream_select is a tick' => static function () use ($thrown): void {
        $source = new CountingClock(100);
        $clock = new TickClock($source);
        $second = new TickClock($source);
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
        $ticks = new SelectTicks($clock, $second);
        fwrite($there, 'x');
        for ($turn = 0; $turn < 3; ++$turn) {
            $read = [$here];
            $write = $except = null;
            Check::same(1, $ticks->select($read, $write, $except, 5));
            Check::same([$here], $read);
            $expected = $source->manual->nanoseconds();
            Check::same([$expected, $expected], [$clock->nanoseconds, $second->nanoseconds]);
            $source->manual->advance(10);
            Check::same([$expected, $expected], [$clock->nanoseconds, $second->nanoseconds]);
        }
        fread($here, 1);
        $read = [$here];
        Check::same(0, $ticks->select($read, $write, $except, 0, 1));
        Check::same([], $read);
        Check::same(130, $clock->nanoseconds);
        $read = $write = $except = null;
        $source->manual->advance(1);
        Check::holds($thrown(static function () use ($ticks): void {
            $ticks->select($read, $write, $except, 0);
        }) instanceof Throwable, 'stream_select of nothing');
        foreach ([1, 1] as $passed) {
            Check::same($source->manual->nanoseconds(), $clock->nanoseconds, 'after a wait that failed reads are fresh');
            $source->manual->advance($passed);
        }
    },
    'a stream_select loop that is left leaves fresh reads, also by an exception' => static function () use ($thrown): void {
        $source = new CountingClock(0);
        $clock = new TickClock($source);
        $loop = static function () use ($clock): void {
            $ticks = new SelectTicks($clock);
            $ticks->tick();
            $clock->seconds();
            throw new DomainException('in the loop');
        };
        $thrown($loop);
        $source->manual->advance(5);
        Check::same(5, $clock->nanoseconds);
    },
    'reads before, in and after a loop with futureTick' => static function (): void {
        $source = new CountingClock(0);
        $loop = new SimulatedLoop($source->manual);
        $ticks = new ReactTicks($loop, $source);
        $clock = $ticks->clock();
        foreach ([1, 2] as $run) {
            foreach ([1, 2] as $read) {
                $source->manual->advance(1);
                Check::same($source->manual->nanoseconds(), $clock->nanoseconds, "outside, run $run");
            }
            $seen = [];
            for ($turn = 0; $turn < 4; ++$turn) {
                $loop->onStream(static function () use ($clock, $source, &$seen): void {
                    $arrived = $source->manual->nanoseconds();
                    foreach ([1, 2, 3] as $read) {
                        $seen[] = $clock->nanoseconds - $arrived;
                        $source->manual->advance(10);
                    }
                });
            }
            // The last turn stops the loop, with a reading kept and its futureTick still in the loop's hands.
            $loop->onStream(static function () use ($clock, $loop): void {
                $clock->seconds();
                $loop->stop();
            });
            $readings = $source->readings;
            $ticks->run();
            Check::same(array_fill(0, 12, 0), $seen);
            Check::same(5, $source->readings - $readings, 'one reading a turn');
        }
        $source->manual->advance(1);
        Check::same($source->manual->nanoseconds(), $clock->nanoseconds);
    },
    'no reading outlives a wait, whichever phase it was taken in' => static function (): void {
        foreach (['onFuture', 'onTimer', 'onStream'] as $phase) {
            $source = new CountingClock(0);
            $loop = new SimulatedLoop($source->manual);
            $clock = (new ReactTicks($loop, $source))->clock();
            $oldest = 0;
            $look = static function () use ($clock, $loop, $source, &$oldest): void {
                $read = $clock->nanoseconds;
                $oldest = max($oldest, $loop->waitEnded - $read);
                $source->manual->advance(10);
            };
            for ($turn = 0; $turn < 12; ++$turn) {
                $turn < 4 && $loop->$phase($look);
                $loop->onStream($look);
            }
            $loop->run();
            Check::holds($source->readings > 0 && $loop->waits > 3, "$phase: {$loop->waits} waits");
            Check::same(0, $oldest, "$phase: older than the end of the last wait");
        }
    },
    'a loop in which nobody reads is let sleep' => static function (): void {
        $source = new CountingClock(0);
        $loop = new SimulatedLoop($source->manual);
        new ReactTicks($loop, $source);
        for ($turn = 0; $turn < 5; ++$turn) {
            $loop->onStream('getcwd');
        }
        $loop->run();
        Check::same([1, 0], [$loop->futureTicks, $source->readings]);
    },
    'a callback that throws out of the loop leaves fresh reads, and the loop may run again' => static function () use ($thrown): void {
        $source = new CountingClock(0);
        $loop = new SimulatedLoop($source->manual);
        $ticks = new ReactTicks($loop, $source);
        $clock = $ticks->clock();
        $loop->onStream(static function () use ($clock): void {
            $clock->seconds();
            throw new DomainException('in a callback');
        });
        Check::same('in a callback', $thrown([$ticks, 'run'])->getMessage());
        foreach ([1, 2] as $read) {
            $source->manual->advance(3);
            Check::same($source->manual->nanoseconds(), $clock->nanoseconds);
        }
        $loop->onStream(static function () use ($clock, $source): void {
            $first = $clock->nanoseconds;
            $source->manual->advance(3);
            Check::same($first, $clock->nanoseconds);
        });
        $ticks->run();
    },
    'an object without futureTick is no loop' => static function () use ($thrown): void {
        $failure = $thrown(static function (): void {
            new ReactTicks(new stdClass());
        });
        Check::matches('/stdClass has no futureTick/', $failure->getMessage());
    },
    'with PSR-20 each clock is one of its clocks, without it too but for the name' => static function () use ($php): void {
        $autoload = 'require ' . var_export(dirname(__DIR__) . '/clock/autoload.php', true) . ';';
        $ask = 'foreach ([new Tare\Clock\WallClock(), new Tare\Clock\MonotonicClock(), new Tare\Clock\ManualClock(), new Tare\Clock\TickClock()] as $c) {'
            . 'echo (int) ($c instanceof Psr\Clock\ClockInterface), (new ReflectionMethod($c, "now"))->getReturnType()->getName(), get_class($c->now()), " "; }';
        $psr = 'namespace Psr\Clock { interface ClockInterface { public function now(): \DateTimeImmutable; } } namespace {';
        Check::same(str_repeat('1DateTimeImmutableDateTimeImmutable ', 4), $php("$psr $autoload $ask }"));
        Check::same(str_repeat('0DateTimeImmutableDateTimeImmutable ', 4), $php("$autoload $ask"));
    },
    'composer finds what autoload.php finds' => static function (): void {
        $composer = json_decode((string) file_get_contents(dirname(__DIR__) . '/clock/composer.json'), true);
        Check::same(['Tare\\Clock\\' => 'src/'], $composer['autoload']['psr-4']);
        foreach (glob(dirname(__DIR__) . '/clock/src/*.php') as $file) {
            $name = 'Tare\\Clock\\' . basename($file, '.php');
            Check::holds(class_exists($name) || interface_exists($name), $name);
        }
    },
];
