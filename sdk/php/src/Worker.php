<?php

declare(strict_types=1);

namespace Tare\Worker;

/** Answers the core's requests, one after the other, until its input ends. */
final class Worker
{
    public const VERSION = '0.1.0';

    private const MOST_SAMPLES = 100000;

    private const MOST_PAIRS = 50000;

    private const MOST_READS = 1000000;

    /** Of waits, and of blocks of reads. */
    private const MOST_WAITS = 10000;

    private const LONGEST_WAIT = 10000000000;

    /** @var Wire */
    private $wire;

    /** @var Ending */
    private $ending;

    /** @var Registry|null */
    private $registry;

    /** @var Prepared|null */
    private $prepared;

    /** @var Profiler|null */
    private $profiler;

    /** @var CallPaths|null */
    private $paths;

    /** @var Fault|null why there are no call paths */
    private $unable;

    /** @var ClockReader */
    private $clocks;

    /** @var Load */
    private $load;

    /** @var PeakMemory */
    private $peak;

    /** @var Copies|null copies of the process, where cases are looked at or counted */
    private $copies;

    /** @var Look|null */
    private $look;

    /** @var Executed|null what tells which functions run, where nothing is timed */
    private $executed;

    /** @var bool */
    private $finished = false;

    private function __construct(Wire $wire)
    {
        $this->wire = $wire;
        $this->ending = new Ending($wire);
        $this->look = \class_exists(Look::class, false) ? new Look() : null;
        $this->executed = \class_exists(Executed::class, false) ? new Executed() : null;
        $this->copies = $this->look !== null || Copies::areForCounting() ? new Copies($this->ending) : null;
        $this->clocks = new ClockReader();
        $this->peak = new PeakMemory();
        $this->load = new Load($this->ending, function (array $frame): bool {
            $this->wire->send($frame);

            return !$this->wire->isClosed();
        });
    }

    public static function main(): void
    {
        $wire = Wire::open();
        if ($wire === null) {
            // There is nobody to tell but the one who started it.
            \file_put_contents('php://stderr', "tare: the path in TARE_WIRE cannot be opened for writing.\n");
            exit(1);
        }
        $worker = new self($wire);
        $worker->hello();
        $worker->serve();
        $worker->ending->leave();
    }

    private function hello(): void
    {
        $runtime = new Runtime();
        $this->wire->send([
            'frame' => 'hello',
            'wire' => Frames::WIRE,
            'language' => 'php',
            'version' => \PHP_VERSION,
            'sdk' => self::VERSION,
            'correction' => $runtime->isJitOn() ? 'overlapping' : 'serial',
            'clocks' => Clock::NAMES,
            'kernels' => Kernels::NAMES,
            'capabilities' => \array_merge(['pause', 'bare', 'clocks', 'operations'], Isolation::isAsked() ? [] : ['arrange'], Isolation::isPossible() ? ['isolation'] : [], $this->look !== null && Isolation::isPossible() ? ['look'] : [], Copies::areForCounting() ? ['copies'] : []),
            'reads' => Clock::NAMES,
            'waits' => ClockReader::WAITS,
            'facts' => $runtime->facts(),
        ]);
        // Now, and not before the hello: the core has its own start to make meanwhile.
        $heap = Heap::ofLaunch();
        if ($heap !== null) {
            $heap->shake();
        }
        try {
            $this->paths = CallPaths::plain(Clock::NAMES[0], $heap);
        } catch (\Throwable $thrown) {
            $this->unable = Fault::from($thrown, 'runtime');
        }
    }

    private function serve(): void
    {
        while (!$this->wire->isClosed()) {
            try {
                $line = $this->wire->read();
                if ($line === null) {
                    return;
                }
                $request = Frames::decode($line);
            } catch (Fault $fault) {
                $this->fault($fault->request ?? -1, $fault);
                continue;
            }
            $this->ending->begin($request->id);
            try {
                if ($request->kind === 'prepare' && $this->copies !== null && $this->copies->serve()) {
                    $this->ending->done();
                    continue;
                }
                $answer = $this->answer($request);
                if ($this->look !== null && ($this->finished || $request->kind === 'load')) {
                    $this->look->tell($request->kind);
                }
                $this->wire->send($answer);
            } catch (\Throwable $thrown) {
                $this->fault($request->id, Fault::from($thrown, 'exception'));
            }
            $this->ending->done();
            if ($this->finished && $this->copies !== null) {
                $this->copies->finished();
            }
        }
    }

    /**
     * @return array<string, mixed> the frame that ends the request
     *
     * @throws Fault
     */
    private function answer(Request $request): array
    {
        if (!\in_array($request->kind, ['load', 'prepare', 'arrange', 'run', 'read', 'wait', 'operations', 'connect', 'stamp', 'work', 'finish'], true)) {
            throw new Fault('unknown-frame', 'There is no request ' . ValuePrinter::text($request->kind) . '.');
        }
        if ($this->finished) {
            throw new Fault('bad-request', 'Only the end of input may follow `finish`.');
        }
        switch ($request->kind) {
            case 'load':
                return $this->load($request);
            case 'prepare':
                return $this->prepare($request);
            case 'arrange':
                return $this->arrange($request);
            case 'run':
                return $this->run($request);
            case 'read':
                return $this->read($request);
            case 'wait':
                return $this->wait($request);
            case 'operations':
                return $this->load->operations($request, $this->listed());
            case 'connect':
                return $this->connect($request);
            case 'stamp':
                return $this->load->stamp($request);
            case 'work':
                return $this->load->work($request);
            default:
                return $this->finish($request);
        }
    }

    /**
     * @return array<string, mixed>
     */
    private function load(Request $request): array
    {
        $files = $request->strings('files');
        $bootstrap = $request->optionalString('bootstrap');
        if ($this->registry !== null) {
            throw new Fault('bad-request', '`load` may come once in a process.');
        }
        $id = $request->id;
        $this->registry = new Registry(function (array $frame) use ($id): void {
            $this->wire->queue(['frame' => $frame['frame'], 'id' => $id] + $frame);
        }, $this->ending);
        $this->registry->load($files, $bootstrap);
        self::liftTimeLimit();

        return ['frame' => 'loaded', 'id' => $id, 'cases' => $this->registry->count()];
    }

    /**
     * @return array<string, mixed>
     */
    private function prepare(Request $request): array
    {
        $number = $request->integer('case', 0, Frames::MAX_INTEGER);
        $benchmark = $request->string('benchmark');
        $parameters = $request->string('parameters');
        $clock = $request->optionalString('clock') ?? Clock::NAMES[0];
        if ($this->registry === null || $this->prepared !== null) {
            throw new Fault('bad-request', '`prepare` comes once in a process, after `load`.');
        }
        if (!\in_array($clock, Clock::NAMES, true)) {
            throw new Fault('bad-request', 'There is no clock ' . ValuePrinter::text($clock) . '; there are ' . \implode(' and ', Clock::NAMES) . '.');
        }
        $case = $this->registry->find($number);
        $found = $case === null
            ? "does not exist; there are {$this->registry->count()}"
            : 'is ' . $case->benchmark->name() . ' ' . ValuePrinter::text($case->name ?? '');
        if ($case === null || $case->benchmark->name() !== $benchmark || ($case->name ?? '') !== $parameters) {
            throw new Fault(
                'provider',
                "Case $number $found in this process, not " . ValuePrinter::clean($benchmark, 200) . ' ' . ValuePrinter::text($parameters) . '.',
                'Make the parameter providers yield the same sets in every process: no random numbers, times or directory listings.',
                $case === null ? null : $case->benchmark->file,
                $case === null ? null : $case->benchmark->line
            );
        }
        if ($this->paths === null) {
            throw $this->unable ?? new Fault('runtime', 'There is no measuring code.');
        }
        $prepared = new Prepared($case, $this->ending);
        if ($clock !== Clock::NAMES[0]) {
            $this->paths = CallPaths::plain($clock);
        }
        $this->paths->prepare($clock, $prepared->signature(), $prepared->instance(), $prepared->parameters());
        $this->prepared = $prepared;
        self::liftTimeLimit();
        // What loading the source left behind is no business of the case's; its peak would hide a smaller one. Cycles that the case makes are left to PHP.
        \gc_collect_cycles();
        $this->peak->begin();
        $this->profiler = Profiler::begin();

        return ['frame' => 'ready', 'id' => $request->id, 'pauses' => $prepared->pauses(), 'hooks' => $prepared->hasHooks()] + ($this->copies !== null && $this->copies->isCopy() && $this->look === null ? ['copied' => true] : []);
    }

    /**
     * @return array<string, mixed>
     */
    private function arrange(Request $request): array
    {
        if ($this->prepared === null || Isolation::isAsked()) {
            throw new Fault('bad-request', '`arrange` comes after `prepare`, in a process that takes samples itself.');
        }
        $this->prepared->enter('case');
        try {
            $this->prepared->arrange();
        } catch (\Throwable $thrown) {
            throw $this->prepared->thrown($thrown);
        }

        return ['frame' => 'arranged', 'id' => $request->id];
    }

    /**
     * @return array<string, mixed>
     */
    private function run(Request $request): array
    {
        $subject = $request->string('subject');
        $iterations = $request->integers('iterations', 0, Frames::MAX_INTEGER, self::MOST_SAMPLES);
        $warm = $request->integer('warm', 0, self::MOST_SAMPLES);
        $wanted = $request->optionalBoolean('hooks') ?? true;
        $prepared = $this->prepared;
        if ($subject === 'case' && $prepared === null) {
            throw new Fault('bad-request', '`run` of the case comes after `prepare`.');
        }
        if ($this->paths === null) {
            throw $this->unable ?? new Fault('runtime', 'There is no measuring code.');
        }
        $path = $this->paths->find($subject);
        if ($path === null) {
            throw new Fault('bad-request', 'There is no subject ' . ValuePrinter::text($subject) . '.');
        }
        $pauses = $subject === 'pause' || ($subject === 'case' && $prepared !== null && $prepared->pauses());
        // The null stands where the case does: after the same hooks, with the caches that they leave.
        $scaled = \in_array($subject, ['case', 'null', 'pause'], true);
        $hooks = $scaled && $prepared !== null && $prepared->hasHooks() && ($wanted || $subject === 'case') ? $prepared : null;
        if ($prepared !== null) {
            $prepared->enter($subject);
        }
        if ($scaled && $prepared !== null && $this->executed === null && Isolation::isAsked()) {
            return $this->runIsolated($request, $path, $iterations, $pauses, $hooks);
        }
        $stretch = $this->executed === null ? new Stretch() : $this->executed->stretch();
        $sampler = new Sampler($stretch);
        try {
            $sampler->run($path, $iterations, $warm, $pauses ? $this->paths->timer() : null, $hooks);
        } catch (\Throwable $thrown) {
            throw $prepared === null ? Fault::from($thrown, 'exception') : $prepared->thrown($thrown);
        }
        if ($this->executed !== null) {
            $this->executed->tell();
        }
        if ($subject === 'case' && $prepared !== null) {
            $prepared->ran();
        }

        return [
            'frame' => 'samples',
            'id' => $request->id,
            'elapsed' => $sampler->elapsed,
            'pauses' => $pauses ? $sampler->pauses : null,
        ] + ($subject === 'case' ? $sampler->keys() : $stretch->keys());
    }

    /**
     * As `run`, each sample in a process of its own: there is nothing to warm, and the stretch of a turn is that of its children.
     *
     * @param list<int> $iterations
     *
     * @return array<string, mixed>
     */
    private function runIsolated(Request $request, CallPath $path, array $iterations, bool $pauses, ?Prepared $hooks): array
    {
        $timer = $pauses && $this->paths !== null ? $this->paths->timer() : null;
        $isolation = new Isolation($this->ending);
        [$elapsed, $pairs] = $isolation->run($iterations, function (int $calls) use ($path, $timer, $hooks): array {
            $sampler = new Sampler(new Stretch());
            try {
                $sampler->run($path, [$calls], 0, $timer, $hooks);
            } catch (\Throwable $thrown) {
                throw $this->prepared === null ? $thrown : $this->prepared->thrown($thrown);
            }

            return [$sampler->elapsed[0], $sampler->pauses[0] ?? null];
        });

        return ['frame' => 'samples', 'id' => $request->id, 'elapsed' => $elapsed, 'pauses' => $pauses ? $pairs : null];
    }

    /**
     * @return array<string, mixed>
     */
    private function read(Request $request): array
    {
        $clock = $request->string('clock');
        $pairs = $request->integer('pairs', 1, self::MOST_PAIRS);
        $skip = $request->integer('skip', 0, self::MOST_READS);
        $blocks = $request->integer('blocks', 0, self::MOST_WAITS);
        $reads = $request->integer('reads', 1, self::MOST_READS);
        if (!\in_array($clock, Clock::NAMES, true)) {
            throw new Fault('bad-request', 'There is no clock ' . ValuePrinter::text($clock) . ' to read.');
        }
        self::liftTimeLimit();

        return ['frame' => 'readings', 'id' => $request->id] + $this->clocks->read($clock, $pairs, $skip, $blocks, $reads);
    }

    /**
     * @return array<string, mixed>
     */
    private function wait(Request $request): array
    {
        $call = $request->string('call');
        $requested = $request->integer('requested', -self::LONGEST_WAIT, self::LONGEST_WAIT);
        $times = $request->integer('times', 1, self::MOST_WAITS);
        if (!\in_array($call, ClockReader::WAITS, true)) {
            throw new Fault('bad-request', 'There is no call ' . ValuePrinter::text($call) . ' to wait by.');
        }
        self::liftTimeLimit();

        return ['frame' => 'waited', 'id' => $request->id, 'taken' => $this->clocks->wait($call, $requested, $times)];
    }

    /**
     * @return array<string, mixed>
     */
    private function finish(Request $request): array
    {
        $this->finished = true;
        if ($this->profiler !== null) {
            $this->profiler->end();
        }
        $this->load->finish();
        if ($this->prepared !== null) {
            $this->prepared->enter('once-after hook');
            $this->prepared->finish();
        }

        return ['frame' => 'finished', 'id' => $request->id, 'runtime_peak_bytes' => $this->peak->bytes()];
    }

    /**
     * @return array<string, mixed>
     */
    private function connect(Request $request): array
    {
        $connected = $this->load->connect($request, $this->listed());
        self::liftTimeLimit();

        return $connected;
    }

    /**
     * @return list<Operation>
     */
    private function listed(): array
    {
        if ($this->registry === null) {
            throw new Fault('bad-request', 'Operations are known after `load`.');
        }

        return $this->registry->operations();
    }

    private function fault(int $id, Fault $fault): void
    {
        $this->wire->send(['frame' => 'fault', 'id' => $id] + $fault->keys() + ['trace' => $fault->stack]);
    }

    /** A limit that a bootstrap sets is meant for one request of a web server, not for a launch. */
    private static function liftTimeLimit(): void
    {
        Quiet::call(static function (): void {
            if (\function_exists('set_time_limit')) {
                \set_time_limit(0);
            }
        });
    }
}
