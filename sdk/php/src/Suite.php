<?php

declare(strict_types=1);

namespace Tare\Worker;

/** The operations of one class on one instance: set up, ready to be called, cleaned up. */
final class Suite
{
    /** @var array<int, callable> by the operation's number */
    public $calls = [];

    /** @var \Tare\LoadWorker */
    public $worker;

    /** @var object */
    private $instance;

    /** @var \ReflectionClass<object> */
    private $class;

    /** @var array<int, Operation> */
    private $operations;

    /** @var Ending */
    private $ending;

    /**
     * Runs the once-before hooks of the class, makes the instance and runs what comes before its operations.
     *
     * @param non-empty-array<int, Operation> $operations those of one suite, by number
     *
     * @throws Fault of kind `load`
     */
    public function __construct(array $operations, \Tare\LoadWorker $worker, Ending $ending)
    {
        $this->operations = $operations;
        $this->worker = $worker;
        $this->ending = $ending;
        $this->class = \reset($operations)->class;
        $ending->enter("{$this->class->getName()} was set up", (string) $this->class->getFileName(), (int) $this->class->getStartLine());
        try {
            foreach ($this->methods('beforeClassMethods') as $method) {
                $this->class->getMethod($method)->invoke(null);
            }
            $this->instance = Fault::instanceOf($this->class);
            foreach ($operations as $number => $operation) {
                $this->calls[$number] = $operation->method->getClosure($operation->method->isStatic() ? null : $this->instance);
            }
            foreach ($this->methods('beforeMethods') as $method) {
                $this->instance->$method($worker);
            }
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'load')->orAt((string) $this->class->getFileName(), (int) $this->class->getStartLine());
        }
    }

    /** Tells the ending what runs. */
    public function enter(): void
    {
        $first = \reset($this->operations);
        $this->ending->enter("operations of {$this->class->getName()} ran", (string) $this->class->getFileName(), (int) $first->method->getStartLine());
    }

    /**
     * @throws Fault of kind `exception`
     */
    public function finish(): void
    {
        $this->ending->enter("{$this->class->getName()} was cleaned up", (string) $this->class->getFileName(), (int) $this->class->getStartLine());
        try {
            foreach ($this->methods('afterMethods') as $method) {
                $this->instance->$method($this->worker);
            }
            foreach ($this->methods('afterClassMethods') as $method) {
                $this->class->getMethod($method)->invoke(null);
            }
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'exception')->orAt((string) $this->class->getFileName(), (int) $this->class->getStartLine());
        }
    }

    /**
     * What any of the operations declares; mostly that is what the class does.
     *
     * @return list<string>
     */
    private function methods(string $kind): array
    {
        $methods = [];
        foreach ($this->operations as $operation) {
            $methods = \array_merge($methods, $operation->settings->$kind);
        }

        return \array_values(\array_unique($methods));
    }
}
