<?php

declare(strict_types=1);

namespace Tare\Worker;

/** Answers the requests of the capability `operations`. */
final class Load
{
    private const LONGEST_PATTERN = 100000;

    private const MOST_WORKERS = 100000;

    private const SHORTEST_SLICE = 1000000;

    private const LONGEST_SLICE = 3600000000000;

    /** @var Ending */
    private $ending;

    /** @var callable(array<string, mixed>): bool */
    private $send;

    /** @var int what `stamp` counts from */
    private $epoch;

    /** @var Suite|null */
    private $suite;

    /** @var PeakMemory */
    private $peak;

    /**
     * @param callable(array<string, mixed>): bool $send takes frames with their id
     */
    public function __construct(Ending $ending, callable $send)
    {
        $this->ending = $ending;
        $this->send = $send;
        $this->epoch = \hrtime(true);
        $this->peak = new PeakMemory();
    }

    /**
     * @param list<Operation> $operations
     *
     * @return array<string, mixed>
     */
    public function operations(Request $request, array $operations): array
    {
        foreach ($operations as $number => $operation) {
            ($this->send)(['frame' => 'operation', 'id' => $request->id, 'operation' => $number] + $operation->keys());
        }

        return ['frame' => 'listed', 'id' => $request->id, 'operations' => \count($operations)];
    }

    /**
     * @param list<Operation> $operations
     *
     * @return array<string, mixed>
     */
    public function connect(Request $request, array $operations): array
    {
        $name = $request->string('suite');
        $number = $request->integer('worker', 0, self::MOST_WORKERS);
        $workers = $request->integer('workers', 0, self::MOST_WORKERS);
        $turn = $request->has('turn') ? $request->integer('turn', 0, Frames::MAX_INTEGER) : 0;
        if ($number >= $workers) {
            throw new Fault('bad-request', 'The key `worker` of the `connect` request wants a number below `workers`.');
        }
        $own = \array_filter($operations, static function (Operation $operation) use ($name): bool {
            return $operation->suite() === $name;
        });
        if ($this->suite !== null || $own === []) {
            throw new Fault('bad-request', $own === [] ? 'There is no suite ' . ValuePrinter::text($name) . '.' : '`connect` may come once in a process.');
        }
        $this->suite = new Suite($own, new \Tare\LoadWorker($number, $workers, $turn), $this->ending);
        $this->peak->begin();

        return ['frame' => 'connected', 'id' => $request->id];
    }

    /**
     * @return array<string, mixed>
     */
    public function stamp(Request $request): array
    {
        return ['frame' => 'stamped', 'id' => $request->id, 'at' => \hrtime(true) - $this->epoch];
    }

    /**
     * @return array<string, mixed>
     */
    public function work(Request $request): array
    {
        $most = Frames::MAX_INTEGER;
        $start = $request->integer('start', 0, $most);
        $pattern = $request->integers('pattern', 0, $most, self::LONGEST_PATTERN);
        $gaps = $request->has('gaps') ? $request->integers('gaps', 0, $most, self::LONGEST_PATTERN) : [];
        $first = $request->has('first') ? $request->integer('first', 0, $most) : 0;
        $count = $request->integer('count', 0, $most);
        $duration = $request->integer('duration', 0, $most);
        $slice = $request->integer('slice', self::SHORTEST_SLICE, self::LONGEST_SLICE);
        if (($count === 0 && $duration === 0) || ($gaps !== [] && \max($gaps) === 0)) {
            throw new Fault('bad-request', 'The work has no end: `count` and `duration`, or all of `gaps`, are 0.');
        }
        if ($this->suite === null) {
            throw new Fault('bad-request', '`work` comes after `connect`.');
        }
        foreach (\array_unique($pattern) as $operation) {
            if (!isset($this->suite->calls[$operation])) {
                throw new Fault('bad-request', "The suite has no operation $operation.");
            }
        }
        $this->suite->enter();
        $id = $request->id;
        $work = new Work(function (array $frame) use ($id): bool {
            return ($this->send)(['frame' => $frame['frame'], 'id' => $id] + $frame);
        });
        $work->run($this->suite->calls, $this->suite->worker, $this->epoch + $start, $pattern, $gaps, $first, $count, $duration, $slice);

        return [
            'frame' => 'worked',
            'id' => $id,
            'operations' => $work->begun,
            'ended' => \max(0, $work->ended),
            'dropped' => $work->dropped,
            'runtime_bytes' => \memory_get_usage(),
            'runtime_peak_bytes' => $this->peak->bytes(),
        ];
    }

    public function finish(): void
    {
        if ($this->suite !== null) {
            $this->suite->finish();
        }
    }
}
