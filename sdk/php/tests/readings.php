<?php

return [
    'every clock is read as often as asked, and its blocks are timed' => static function (): void {
        $session = new Session();
        Check::holds(in_array('clocks', $session->hello['capabilities'], true), 'the capability `clocks`');
        Check::same(['hrtime', 'microtime'], $session->hello['reads']);
        foreach ($session->hello['reads'] as $clock) {
            foreach ([0, 3] as $skip) {
                $reply = $session->last(['frame' => 'read', 'clock' => $clock, 'pairs' => 500, 'skip' => $skip, 'blocks' => 4, 'reads' => 100]);
                Check::same('readings', $reply['frame'], json_encode($reply));
                Check::same([1000, 4, 4], array_map('count', [$reply['values'], $reply['blocks'], $reply['empty']]));
                foreach (array_merge($reply['values'], $reply['blocks'], $reply['empty']) as $value) {
                    Check::holds(is_int($value), 'no integer: ' . json_encode($value));
                }
            }
        }
        // Readings count from the first one of the process: a later request goes on.
        $values = static function () use ($session): array {
            return $session->last(['frame' => 'read', 'clock' => 'hrtime', 'pairs' => 1, 'skip' => 0, 'blocks' => 0, 'reads' => 1])['values'];
        };
        [$before] = $values();
        [$after] = $values();
        Check::holds($before > 0 && $after > $before, "$before, then $after");
        $session->end();
        Check::same([0, ''], [$session->status, $session->output]);
    },
    'waits are taken as often as asked, and what PHP cannot do is said' => static function (): void {
        $session = new Session();
        $wait = static function (string $call, int $requested) use ($session): array {
            return $session->last(['frame' => 'wait', 'call' => $call, 'requested' => $requested, 'times' => 3]);
        };
        foreach ([['sleep', 0], ['sleep', 1], ['sleep', 1000], ['usleep', 0], ['usleep', 1000]] as [$call, $requested]) {
            $reply = $wait($call, $requested);
            Check::same('waited', $reply['frame'], json_encode($reply));
            Check::same(3, count($reply['taken']));
        }
        foreach ([['yield', 0, '/no call that yields/'], ['sleep', -1, '/nanosleep/'], ['usleep', 1, '/whole microseconds/'], ['usleep', -1000, '/usleep/']] as [$call, $requested, $why]) {
            $fault = $wait($call, $requested);
            Check::has(['frame' => 'fault', 'kind' => 'runtime'], $fault);
            Check::matches($why, $fault['message']);
        }
        Check::same('bad-request', $wait('sundial', 0)['kind']);
        Check::same('waited', $wait('sleep', 0)['frame']);
        $session->end();
        Check::same([0, ''], [$session->status, $session->output]);
    },
];
