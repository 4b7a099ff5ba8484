<?php

declare(strict_types=1);

namespace Tare\Worker;

/** A request that can't be answered, or a source that can't be used: what happened, where, what to do. */
final class Fault extends \RuntimeException
{
    /** Longest text sent, in bytes: a frame has a limit, and nobody reads more. */
    private const LONGEST = 65536;

    /** @var string a kind of the protocol (§4) */
    public $kind;

    /** @var string|null */
    public $placeFile;

    /** @var int|null */
    public $placeLine;

    /** @var string|null */
    public $remedy;

    /** @var string|null */
    public $stack;

    /** @var int|null the request's number, where a bad frame still shows it */
    public $request;

    public function __construct(string $kind, string $message, ?string $remedy = null, ?string $file = null, ?int $line = null)
    {
        parent::__construct(\substr($message, 0, self::LONGEST));
        $this->kind = $kind;
        $this->remedy = $remedy;
        $this->placeFile = $file;
        $this->placeLine = $line;
    }

    /**
     * An object of a class whose constructor can do without arguments.
     *
     * @template T of object
     *
     * @param \ReflectionClass<T> $class
     *
     * @return T
     *
     * @throws self of kind `load`
     */
    public static function instanceOf(\ReflectionClass $class): object
    {
        $constructor = $class->getConstructor();
        $needed = $constructor === null ? 0 : $constructor->getNumberOfRequiredParameters();
        if ($needed > 0) {
            throw new self(
                'load',
                "The constructor of {$class->getName()} needs $needed argument" . ($needed === 1 ? '' : 's') . '; Tare passes none.',
                'Give it defaults, or build what it needs in a method that BeforeMethods names.'
            );
        }

        return $class->newInstance();
    }

    /** What the user's code threw, at the place of the user's that is nearest to it. */
    public static function from(\Throwable $thrown, string $kind, ?string $remedy = null): self
    {
        if ($thrown instanceof self) {
            return $thrown;
        }
        $message = self::withoutPlaces($thrown->getMessage());
        if (!$thrown instanceof \ParseError) {
            $message = self::className($thrown) . ($message === '' ? ' without a message' : ': ' . $message);
        }
        $fault = new self($kind, $message, $remedy, $thrown->getFile(), $thrown->getLine());
        $stack = '';
        $placed = !self::isOurs($thrown->getFile());
        foreach ($thrown->getTrace() as $depth => $frame) {
            $file = $frame['file'] ?? null;
            if ($file !== null && !$placed && !self::isOurs($file)) {
                $fault->placeFile = $file;
                $fault->placeLine = $frame['line'] ?? null;
                $placed = true;
            }
            if ($file !== null && self::isOurs($file) && $placed) {
                break;
            }
            $stack .= '#' . $depth . ' ' . ($file === null ? '[internal]' : $file . ':' . ($frame['line'] ?? 0))
                . ' ' . self::shortName(($frame['class'] ?? '') . ($frame['type'] ?? '')) . $frame['function'] . "()\n";
        }
        $fault->stack = $stack === '' ? null : \substr($stack, 0, self::LONGEST);

        return $fault;
    }

    /** The fault at $file and $line, where it has no better place. */
    public function orAt(string $file, int $line): self
    {
        if ($this->placeFile === null || self::isOurs($this->placeFile)) {
            $this->placeFile = $file;
            $this->placeLine = $line;
        }

        return $this;
    }

    /**
     * @return array<string, mixed> the keys of a `fault` or `notice` frame
     */
    public function keys(): array
    {
        return [
            'kind' => $this->kind,
            'message' => $this->getMessage(),
            'file' => $this->placeFile,
            'line' => $this->placeLine,
            'remedy' => $this->remedy,
        ];
    }

    /** The place is told beside the message; PHP's texts tell it within, and in generated code it means nothing. */
    public static function withoutPlaces(string $message): string
    {
        $short = \preg_replace(
            ['/, called in \S.* on line \d+/', '/ passed in \S.* on line \d+/', '/ in \S[^\n]*:\d+\nStack trace:.*$/s'],
            ['', ' passed', ''],
            $message
        );

        return $short ?? $message;
    }

    /** Class of an object; anonymous classes have their path after a NUL. */
    public static function className(object $object): string
    {
        return self::shortName(\get_class($object));
    }

    private static function shortName(string $class): string
    {
        $nul = \strpos($class, "\0");

        return $nul === false ? $class : \substr($class, 0, $nul);
    }

    private static function isOurs(string $file): bool
    {
        return \strncmp($file, __DIR__ . \DIRECTORY_SEPARATOR, \strlen(__DIR__) + 1) === 0
            || $file === \dirname(__DIR__) . \DIRECTORY_SEPARATOR . 'worker.php' || Scratch::isOurs($file);
    }
}
