<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Runs the parameter providers of one class: its public methods, functions, `Class::method`, and callables. An instance is
 * made only when one of them needs it, and once.
 */
final class Providers
{
    /** @var \ReflectionClass<object> */
    private $class;

    /** @var Ending */
    private $ending;

    /** @var object|null */
    private $instance;

    /** @var Fault|null why there is no instance */
    private $failure;

    /** @var array<string, list<array{string, array<array-key, mixed>}>> by name: subjects share providers */
    private $collected = [];

    /**
     * @param \ReflectionClass<object> $class
     */
    public function __construct(\ReflectionClass $class, Ending $ending)
    {
        $this->class = $class;
        $this->ending = $ending;
    }

    /**
     * @param list<mixed> $providers as declared
     *
     * @return list<array{string, array<array-key, mixed>}>
     *
     * @throws Fault of kind `provider`, or `load` when the constructor throws
     */
    public function product(array $providers): array
    {
        $collections = [];
        foreach ($providers as $provider) {
            $key = \is_string($provider) ? $provider : null;
            $sets = $this->collected[$key ?? ''] ?? null;
            if ($key === null || $sets === null) {
                $sets = $this->collect($provider);
                if ($key !== null) {
                    $this->collected[$key] = $sets;
                }
            }
            $collections[] = $sets;
        }

        return ParameterSets::product($collections);
    }

    /**
     * @param mixed $provider
     *
     * @return list<array{string, array<array-key, mixed>}>
     */
    private function collect($provider): array
    {
        [$callable, $name, $file, $line] = $this->resolve($provider);
        $this->ending->enter("the provider $name ran", $file, $line);
        try {
            return ParameterSets::collect($callable(), $name);
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'provider')->orAt($file, $line);
        }
    }

    /**
     * @param mixed $provider
     *
     * @return array{callable, string, string, int} what to call, its name, and where it stands
     */
    private function resolve($provider): array
    {
        $class = $this->class;
        if (\is_string($provider) && $class->hasMethod($provider)) {
            $method = $class->getMethod($provider);
            $name = $class->getName() . '::' . $method->getName();
            $place = [(string) $method->getFileName(), (int) $method->getStartLine()];
            if (!$method->isPublic()) {
                throw new Fault('provider', "The provider $name is not public.", 'Make it public.', ...$place);
            }

            return [[$method->isStatic() ? $class->getName() : $this->instance(), $method->getName()], $name, $place[0], $place[1]];
        }
        $name = \is_string($provider) ? $provider : ValuePrinter::print($provider);
        try {
            if (\is_callable($provider)) {
                $closure = \Closure::fromCallable($provider);
                $function = new \ReflectionFunction($closure);

                return [$closure, $name, (string) $function->getFileName(), (int) $function->getStartLine()];
            }
            $instance = \is_string($provider) && $class->hasMethod('__call') ? $this->instance() : null;
            if ($instance !== null && \is_callable([$instance, $provider])) {
                return [[$instance, $provider], $name, (string) $class->getFileName(), (int) $class->getStartLine()];
            }
        } catch (Fault $fault) {
            throw $fault;
        } catch (\Throwable $thrown) {
            // An autoloader that throws: the provider doesn't exist either way.
        }
        throw new Fault(
            'provider',
            "The provider $name is neither a public method of {$class->getName()} nor a function.",
            'Correct the name in ParamProviders.',
            (string) $class->getFileName(),
            (int) $class->getStartLine()
        );
    }

    private function instance(): object
    {
        if ($this->failure !== null) {
            throw $this->failure;
        }
        if ($this->instance === null) {
            $this->ending->enter(
                "the constructor of {$this->class->getName()} ran",
                (string) $this->class->getFileName(),
                (int) $this->class->getStartLine()
            );
            try {
                $this->instance = Fault::instanceOf($this->class);
            } catch (\Throwable $thrown) {
                $this->failure = Fault::from($thrown, 'load')
                    ->orAt((string) $this->class->getFileName(), (int) $this->class->getStartLine());
                throw $this->failure;
            }
        }

        return $this->instance;
    }
}
