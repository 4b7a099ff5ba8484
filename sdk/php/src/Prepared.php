<?php

declare(strict_types=1);

namespace Tare\Worker;

/** The prepared case: its instance and what its author wants done around samples and around everything. */
final class Prepared
{
    /** @var Benchmark */
    private $benchmark;

    /** @var array<array-key, mixed> */
    private $parameters;

    /** @var object */
    private $instance;

    /** @var Signature */
    private $signature;

    /** @var Ending */
    private $ending;

    /** @var int calls before the timed ones of every sample */
    private $warmup;

    /** @var ClassFixtures */
    private $fixtures;

    /** @var bool a sample of the case has been taken */
    private $hasRun = false;

    /** @var bool `BeforeMethods` have run for the next sample */
    private $arranged = false;

    /**
     * Runs the once-before hooks and makes the instance, in PHPBench's order.
     *
     * @throws Fault of kind `load`
     */
    public function __construct(BenchmarkCase $case, Ending $ending)
    {
        $this->benchmark = $case->benchmark;
        $this->parameters = $case->parameters;
        $this->warmup = $case->warmup;
        $this->ending = $ending;
        $class = $this->benchmark->class;
        $this->fixtures = new ClassFixtures($class);
        $this->signature = Signature::of($this->benchmark->method);
        $this->check();
        $ending->enter("{$this->benchmark->name()} was prepared", (string) $class->getFileName(), $this->benchmark->line);
        try {
            $this->fixtures->make($this->benchmark->settings->beforeClassMethods);
            $this->instance = Fault::instanceOf($class);
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'load')->orAt((string) $class->getFileName(), $this->benchmark->line);
        }
    }

    public function signature(): Signature
    {
        return $this->signature;
    }

    public function instance(): object
    {
        return $this->instance;
    }

    /**
     * @return array<array-key, mixed>
     */
    public function parameters(): array
    {
        return $this->parameters;
    }

    public function pauses(): bool
    {
        return $this->signature->timer !== null;
    }

    /** Whether anything has to be done around a sample; the time between samples is lost, so nothing is when nothing must. */
    public function hasHooks(): bool
    {
        $settings = $this->benchmark->settings;

        return $settings->beforeMethods !== [] || $settings->afterMethods !== [] || $this->warmup > 0 || $settings->sleep > 0;
    }

    /** Runs `BeforeMethods` ahead of the next sample, which then doesn't. */
    public function arrange(): void
    {
        if ($this->arranged) {
            return;
        }
        foreach ($this->benchmark->settings->beforeMethods as $method) {
            $this->instance->$method($this->parameters);
        }
        $this->arranged = true;
    }

    /** What comes before each sample: `BeforeMethods`, then the calls of `Warmup`, which fill the caches again that other processes had meanwhile. */
    public function beforeSample(CallPath $path): void
    {
        $this->arrange();
        $this->arranged = false;
        if ($this->warmup > 0) {
            $path->loop($this->warmup);
        }
    }

    /** What comes after each sample: `AfterMethods`, then `Sleep`. */
    public function afterSample(): void
    {
        foreach ($this->benchmark->settings->afterMethods as $method) {
            $this->instance->$method($this->parameters);
        }
        if ($this->benchmark->settings->sleep > 0) {
            \usleep($this->benchmark->settings->sleep);
        }
    }

    /**
     * The once-after hooks; before them `AfterMethods`, where what was arranged wasn't used.
     *
     * @throws Fault of kind `exception`
     */
    public function finish(): void
    {
        $class = $this->benchmark->class;
        try {
            if ($this->arranged) {
                $this->arranged = false;
                $this->afterSample();
            }
            $this->fixtures->unmake($this->benchmark->settings->afterClassMethods);
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'exception')->orAt((string) $class->getFileName(), $this->benchmark->line);
        }
    }

    /** Tells the ending what runs, should it be the last thing that does. */
    public function enter(string $subject): void
    {
        $this->ending->enter(
            $subject === 'case' ? "{$this->benchmark->name()} ran" : "the $subject of {$this->benchmark->name()} ran",
            (string) $this->benchmark->method->getFileName(),
            (int) $this->benchmark->method->getStartLine()
        );
    }

    /** A turn of the subject ended well. */
    public function ran(): void
    {
        $this->hasRun = true;
    }

    /** What the subject or a hook around it threw. */
    public function thrown(\Throwable $thrown): Fault
    {
        $fault = Fault::from($thrown, 'exception');
        if ($this->hasRun && !Isolation::isAsked() && $fault->remedy === null) {
            $fault->remedy = 'If what an earlier sample leaves behind makes it fail, give --isolate: each sample then has a process of its own, as in PHPBench. Else mend the subject, or leave it out with --exclude.';
        }

        return $fault
            ->orAt((string) $this->benchmark->method->getFileName(), (int) $this->benchmark->method->getStartLine());
    }

    /**
     * @throws Fault of kind `load` for a hook that can't be called
     */
    private function check(): void
    {
        $settings = $this->benchmark->settings;
        $class = $this->benchmark->class;
        $hooks = [
            'BeforeMethods' => $settings->beforeMethods, 'AfterMethods' => $settings->afterMethods,
            'BeforeClassMethods' => $settings->beforeClassMethods, 'AfterClassMethods' => $settings->afterClassMethods,
        ];
        foreach ($hooks as $kind => $methods) {
            $static = \strpos($kind, 'Class') !== false;
            foreach ($methods as $name) {
                $method = $class->hasMethod($name) ? $class->getMethod($name) : null;
                $fits = $method === null
                    ? !$static && $class->hasMethod('__call')
                    : $method->isPublic() && ($method->isStatic() || !$static);
                if (!$fits) {
                    throw new Fault(
                        'load',
                        "$kind names $name, which is not a public " . ($static ? 'static ' : '') . "method of {$class->getName()}.",
                        'Correct the name, or declare the method so.',
                        (string) $class->getFileName(),
                        $this->benchmark->line
                    );
                }
            }
        }
    }
}
