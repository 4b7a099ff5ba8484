<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * The end of the process, wanted or not. A shutdown function, registered before any of the user's, tells the core when a
 * request is cut off by exit or a fatal error.
 */
final class Ending
{
    private const FATAL = \E_ERROR | \E_PARSE | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR | \E_RECOVERABLE_ERROR;

    /** Room to work in after the memory is exhausted. */
    private const RESERVE = 262144;

    /** @var Wire */
    private $wire;

    /** @var int|null the request in progress */
    private $request;

    /** @var string what was going on */
    private $doing = '';

    /** @var string|null */
    private $file;

    /** @var int|null */
    private $line;

    /** @var bool the worker ends of its own will */
    private $orderly = false;

    /** @var int a forked child of the user's is not the worker */
    private $process;

    /** @var string|null */
    private $reserve;

    public function __construct(Wire $wire)
    {
        $this->wire = $wire;
        $this->process = (int) \getmypid();
        $this->reserve = \str_repeat('x', self::RESERVE);
        \register_shutdown_function([$this, 'shutdown']);
    }

    /** The worker goes on in a copy of the process that made it. */
    public function moved(): void
    {
        $this->process = (int) \getmypid();
    }

    /** A request begins. */
    public function begin(int $request): void
    {
        $this->request = $request;
        $this->enter('the request was handled', null, null);
    }

    /** What of the user's is about to run: "`…` ended the process while `$doing`". */
    public function enter(string $doing, ?string $file, ?int $line): void
    {
        // It may take long, and the core counts the time since it heard of the last case.
        $this->wire->flush();
        $this->doing = $doing;
        $this->file = $file;
        $this->line = $line;
    }

    /** The request is answered. */
    public function done(): void
    {
        $this->request = null;
    }

    /**
     * Ends the process with status 0 and without running the user's destructors and shutdown functions (PROTOCOL 1.6). Only a
     * fatal error makes PHP forget its destructors, and only exit in the first shutdown function the later ones.
     */
    public function leave(): void
    {
        $this->orderly = true;
        \set_error_handler(null);
        \ini_set('display_errors', '0');
        \ini_set('log_errors', '0');
        \error_reporting(0);
        if (\PHP_VERSION_ID >= 80000) {
            \trigger_error('', \E_USER_ERROR);
        }
        exit(0);
    }

    /** @internal */
    public function shutdown(): void
    {
        $this->reserve = null;
        if ($this->orderly) {
            if (\PHP_VERSION_ID < 80000) {
                // PHP 7 keeps the status of a fatal error, 255, unless it comes after the exit; and whoever speaks last has the last
                // word on the status, which is an output buffer.
                \ob_start(static function (): string {
                    exit(0);
                });
                \trigger_error('', \E_USER_ERROR);
            }
            exit(0);
        }
        if ($this->request === null || \getmypid() !== $this->process) {
            return;
        }
        \ini_set('memory_limit', '-1');
        $last = \error_get_last();
        $fault = $last !== null && ($last['type'] & self::FATAL) !== 0
            ? $this->fatal($last)
            : new Fault(
                'exit',
                "User code ended the process while $this->doing.",
                'Remove the exit or die from the code that is measured.',
                $this->file,
                $this->line
            );
        if ($fault->placeFile === null || Scratch::isOurs($fault->placeFile)) {
            $fault->placeFile = $this->file;
            $fault->placeLine = $this->line;
        }
        $this->wire->send(['frame' => 'fault', 'id' => $this->request] + $fault->keys());
        $this->request = null;
    }

    /**
     * @param array{type: int, message: string, file: string, line: int} $error
     */
    private function fatal(array $error): Fault
    {
        $remedy = null;
        if (\strncmp($error['message'], 'Allowed memory size', 19) === 0) {
            $remedy = 'Give the runtime more memory: php -d memory_limit=1G (or -1 for no limit).';
        } elseif (\strncmp($error['message'], 'Maximum execution time', 22) === 0) {
            $remedy = 'Remove set_time_limit() from the code, or give the runtime -d max_execution_time=0.';
        } elseif (\preg_match('/^Cannot (re)?declare /', $error['message']) === 1 && \substr($this->doing, -4) === ' ran' && !Isolation::isAsked()) {
            $remedy = 'If it is declared before each sample, by what BeforeMethods loads, give --isolate: each sample then has a process of its own, as in PHPBench. Else load it once.';
        }

        return new Fault('fatal', Fault::withoutPlaces($error['message']), $remedy, $error['file'], $error['line']);
    }
}
