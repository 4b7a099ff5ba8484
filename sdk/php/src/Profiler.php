<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Looks at the prepared case where the core asks for it (`TARE_PROFILE` names the file): Excimer samples stacks, Xdebug traces calls.
 * Never in a launch that is timed.
 */
final class Profiler
{
    /** Seconds between samples: not in step with what ticks by the millisecond. */
    private const PERIOD = 0.00101;

    /** @var string */
    private $file;

    /** @var object|null an ExcimerProfiler */
    private $excimer;

    private function __construct(string $file)
    {
        $this->file = $file;
    }

    /** What is asked for; null where nothing is, or nothing is there to do it. */
    public static function begin(): ?self
    {
        $file = \getenv('TARE_PROFILE');
        if ($file === false || $file === '') {
            return null;
        }
        $profiler = new self($file);
        if (\function_exists('xdebug_start_trace') && \strpos((string) \ini_get('xdebug.mode'), 'trace') !== false) {
            \xdebug_start_trace($file, \XDEBUG_TRACE_COMPUTERIZED);

            return $profiler;
        }
        if (!\class_exists('ExcimerProfiler', false)) {
            return null;
        }
        $class = 'ExcimerProfiler';
        $profiler->excimer = new $class();
        $profiler->excimer->setPeriod(self::PERIOD);
        $profiler->excimer->setEventType(\constant('EXCIMER_CPU'));
        $profiler->excimer->start();

        return $profiler;
    }

    public function end(): void
    {
        if ($this->excimer === null) {
            \xdebug_stop_trace();

            return;
        }
        $this->excimer->stop();
        \file_put_contents($this->file, $this->excimer->getLog()->formatCollapsed());
    }
}
