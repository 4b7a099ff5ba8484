<?php

declare(strict_types=1);

namespace Tare\Worker;

/** The subjects of `run` that need no case, and those that a prepared case brings: everything is made before it is asked for. */
final class CallPaths
{
    /** Of 8 bytes: together some lines of the cache. */
    private const MOST_SLOTS = 64;

    /** Of 16 or 32 bytes: together some pages. */
    private const MOST_NUMBERS = 512;

    /** Of some 230 bytes: together most of a piece of the memory in which PHP keeps them. */
    private const MOST_FUNCTIONS = 256;

    /** @var \Tare\Timer */
    private $timer;

    /** @var array<string, CallPath> by the wire's name of the subject */
    private $paths = [];

    private function __construct(\Tare\Timer $timer)
    {
        $this->timer = $timer;
    }

    /**
     * Null, pause, clock and kernels on the plainest call path: a method without parameters. The first file that is compiled after the
     * hello moves what is compiled after it, by amounts that $heap draws, where it is given.
     *
     * @throws Fault of kind `runtime`
     */
    public static function plain(string $clock, ?Heap $heap = null): self
    {
        $paths = new self(new \Tare\Timer());
        $source = new CallPathSource($clock);
        $plain = Signature::plain('call');
        $source->addClock('ClockPath')
            ->addNull('NullSubject', $plain)->addPath('NullPath', $plain)
            ->addPausingNull('PauseSubject', $plain)->addPausingPath('PausePath', $plain);
        foreach (Kernels::NAMES as $kernel) {
            $source->addPath(\ucfirst($kernel) . 'Path', Signature::plain($kernel));
        }
        if ($heap !== null) {
            $source->addFiller($heap->below(self::MOST_SLOTS), $heap->below(self::MOST_NUMBERS), $heap->below(self::MOST_FUNCTIONS));
        }
        $namespace = 'Tare\\Generated\\Plain' . \ucfirst($clock);
        Scratch::load('plain', $source->source($namespace));
        if ($heap !== null) {
            ($namespace . '\\filler')(true);
        }
        $paths->add('clock', $namespace . '\\ClockPath', new \stdClass(), []);
        $paths->addNulls($namespace, []);
        foreach (Kernels::NAMES as $kernel) {
            $paths->add('kernel/' . $kernel, $namespace . '\\' . \ucfirst($kernel) . 'Path', new Kernels(), []);
        }

        return $paths;
    }

    /**
     * Adds the case, and puts its own null and pause in the place of the plain ones.
     *
     * @param array<array-key, mixed> $params
     *
     * @throws Fault of kind `runtime`
     */
    public function prepare(string $clock, Signature $signature, object $instance, array $params): void
    {
        $source = new CallPathSource($clock);
        $source->addPath('CasePath', $signature)
            ->addNull('NullSubject', $signature)->addPath('NullPath', $signature)
            ->addPausingNull('PauseSubject', $signature)->addPausingPath('PausePath', $signature);
        $namespace = 'Tare\\Generated\\Prepared';
        Scratch::load('prepared', $source->source($namespace));
        $this->add('case', $namespace . '\\CasePath', $instance, $params);
        $this->addNulls($namespace, $params);
    }

    /** The path of a subject by its name on the wire; null when there is none. */
    public function find(string $subject): ?CallPath
    {
        return $this->paths[$subject] ?? null;
    }

    public function timer(): \Tare\Timer
    {
        return $this->timer;
    }

    /**
     * @param array<array-key, mixed> $params
     */
    private function addNulls(string $namespace, array $params): void
    {
        $null = $namespace . '\\NullSubject';
        $pause = $namespace . '\\PauseSubject';
        $this->add('null', $namespace . '\\NullPath', new $null(), $params);
        $this->add('pause', $namespace . '\\PausePath', new $pause($this->timer), $params);
    }

    /**
     * @param array<array-key, mixed> $params
     */
    private function add(string $name, string $class, object $subject, array $params): void
    {
        $path = new $class($subject, $params, $this->timer);
        \assert($path instanceof CallPath);
        $this->paths[$name] = $path;
    }
}
