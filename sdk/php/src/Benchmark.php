<?php

declare(strict_types=1);

namespace Tare\Worker;

/** A subject as its author wrote it: a method of a class, and what it asks for. */
final class Benchmark
{
    /** @var \ReflectionClass<object> */
    public $class;

    /** @var \ReflectionMethod */
    public $method;

    /** @var Settings */
    public $settings;

    /** @var string file that defines it, as it was asked for */
    public $file;

    /** @var int */
    public $line;

    /**
     * @param \ReflectionClass<object> $class
     *
     * @throws Fault of kind `load`
     */
    public function __construct(\ReflectionClass $class, \ReflectionMethod $method, string $file)
    {
        $this->class = $class;
        $this->method = $method;
        $this->file = $file;
        // An inherited method stands in another file than the benchmark.
        $this->line = (int) ($method->getFileName() === $class->getFileName() ? $method->getStartLine() : $class->getStartLine());
        try {
            $this->settings = Settings::of($class, $method);
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'load')->orAt((string) $class->getFileName(), $this->line);
        }
    }

    public function name(): string
    {
        return ValuePrinter::identifier($this->class->getName() . '::' . $this->method->getName(), 10000);
    }
}
