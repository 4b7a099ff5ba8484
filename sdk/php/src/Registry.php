<?php

declare(strict_types=1);

namespace Tare\Worker;

/** Loads sources and enumerates their cases, in the order of files, classes and methods as written. */
final class Registry
{
    /** @var list<BenchmarkCase> */
    private $cases = [];

    /** @var list<Operation> */
    private $operations = [];

    /** @var callable(array<string, mixed>): void */
    private $send;

    /** @var Ending */
    private $ending;

    /** @var array<string, true> classes enumerated already: a file may be named twice */
    private $seen = [];

    /** @var array<string, true> notices given */
    private $noticed = [];

    /**
     * @param callable(array<string, mixed>): void $send takes `case` and `notice` frames, without their id
     */
    public function __construct(callable $send, Ending $ending)
    {
        $this->send = $send;
        $this->ending = $ending;
    }

    /**
     * @param list<string> $files
     */
    public function load(array $files, ?string $bootstrap): void
    {
        // The user's code may change the directory.
        $paths = \array_map([self::class, 'absolute'], $files);
        if ($bootstrap !== null && !$this->includeFile(self::absolute($bootstrap), 'bootstrap')) {
            return;
        }
        if (DeclarationReader::matches(DeclarationReader::pattern(), '') === null) {
            $this->notice('error', new Fault(
                'load',
                '`runner.subject_pattern` is no regular expression of PHP\'s: ' . ValuePrinter::text(DeclarationReader::pattern()) . '.',
                'Correct it; PHPBench writes no delimiters around it.'
            ));

            return;
        }
        foreach ($paths as $position => $path) {
            if ($this->includeFile($path, 'source')) {
                $this->enumerate((string) \realpath($path), $files[$position]);
            }
        }
    }

    public function find(int $number): ?BenchmarkCase
    {
        return $this->cases[$number] ?? null;
    }

    public function count(): int
    {
        return \count($this->cases);
    }

    /**
     * @return list<Operation> by number
     */
    public function operations(): array
    {
        return $this->operations;
    }

    private static function absolute(string $path): string
    {
        $resolved = Quiet::call(static function () use ($path) {
            return \strpos($path, "\0") === false ? \realpath($path) : false;
        });

        return $resolved === false ? $path : $resolved;
    }

    private function includeFile(string $path, string $role): bool
    {
        $readable = Quiet::call(static function () use ($path): bool {
            return \strpos($path, "\0") === false && \is_file($path) && \is_readable($path);
        });
        if (!$readable) {
            $exists = \strpos($path, "\0") === false && \file_exists($path);
            $this->notice('error', new Fault(
                'load',
                'The ' . $role . ' ' . ($exists ? 'is not a readable file.' : 'does not exist.'),
                'Check the path and its permissions.',
                $path
            ));

            return false;
        }
        $this->ending->enter("the $role was loaded", $path, null);
        try {
            (static function () {
                require_once \func_get_arg(0);
            })($path);

            return true;
        } catch (\ParseError $error) {
            $this->notice('error', Fault::from($error, 'syntax'));
        } catch (\Throwable $thrown) {
            $this->notice('error', Fault::from($thrown, 'load')->orAt($path, 1));
        }

        return false;
    }

    private function enumerate(string $path, string $asked): void
    {
        $before = \count($this->cases) + \count($this->operations);
        $subjects = 0;
        foreach ($this->classesIn($path) as $class) {
            $this->seen[$class->getName()] = true;
            $providers = new Providers($class, $this->ending);
            $subjects += $this->addOperations($class, $asked);
            foreach ($this->subjectsOf($class) as $method) {
                ++$subjects;
                try {
                    $this->add(new Benchmark($class, $method, $asked), $providers);
                } catch (Fault $fault) {
                    $this->notice('error', $fault, null, $class->getName() . '::' . $method->getName());
                }
            }
        }
        if ($subjects === 0 && $before === \count($this->cases) + \count($this->operations)) {
            $this->notice('warning', new Fault(
                'load',
                'The file holds no benchmark.',
                'A benchmark is a public method of a concrete class whose name begins with bench, or that is marked with Subject.',
                $path
            ));
        }
    }

    /**
     * @return list<\ReflectionClass<object>> concrete ones, by line
     */
    private function classesIn(string $path): array
    {
        $classes = [];
        foreach (\get_declared_classes() as $name) {
            $class = new \ReflectionClass($name);
            if (
                $class->getFileName() === $path && !$class->isAbstract() && !$class->isAnonymous()
                && !\is_subclass_of($name, 'UnitEnum') && !isset($this->seen[$name])
            ) {
                $classes[] = $class;
            }
        }
        \usort($classes, static function (\ReflectionClass $a, \ReflectionClass $b): int {
            return [$a->getStartLine(), $a->getName()] <=> [$b->getStartLine(), $b->getName()];
        });

        return $classes;
    }

    /**
     * @param \ReflectionClass<object> $class
     *
     * @return int how many there are, those that can't be used among them
     */
    private function addOperations(\ReflectionClass $class, string $asked): int
    {
        $found = 0;
        foreach ($class->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
            $mark = Operation::mark($method);
            if ($mark === null) {
                continue;
            }
            ++$found;
            try {
                $operation = new Operation($class, $method, $mark, $asked);
                foreach ($this->operations as $other) {
                    if ($other->suite() === $operation->suite() && $other->name === $operation->name) {
                        throw new Fault('load', "Two operations of {$class->getName()} are called $operation->name.", 'Give each a name of its own.', $asked, (int) $method->getStartLine());
                    }
                }
                $this->operations[] = $operation;
            } catch (Fault $fault) {
                $this->notice('error', $fault);
            }
        }

        return $found;
    }

    /**
     * @param \ReflectionClass<object> $class
     *
     * @return list<\ReflectionMethod>
     */
    private function subjectsOf(\ReflectionClass $class): array
    {
        return \array_values(\array_filter(
            $class->getMethods(\ReflectionMethod::IS_PUBLIC),
            static function (\ReflectionMethod $method): bool {
                return DeclarationReader::isSubject($method);
            }
        ));
    }

    /**
     * @throws Fault
     */
    private function add(Benchmark $benchmark, Providers $providers): void
    {
        $settings = $benchmark->settings;
        foreach ($settings->ignored as $kind) {
            $level = \in_array($kind, Declaration::MISSED, true) ? 'warning' : 'info';
            $this->notice($level, new Fault('ignored', "$kind has no effect: " . Declaration::IGNORED[$kind] . '.'), "ignored $kind");
        }
        foreach ($settings->troubles as $declaration) {
            $this->notice('warning', new Fault(
                'declaration',
                \ucfirst((string) $declaration->trouble) . '; the benchmark is measured without it.',
                'Correct it, or load the class that it names with a bootstrap file.',
                (string) $benchmark->class->getFileName(),
                $benchmark->line
            ));
        }
        foreach ($settings->notes as $note) {
            $file = (string) $benchmark->class->getFileName();
            $this->notice('warning', new Fault('declaration', "$note.", 'Correct it, or leave it out.', $file, $benchmark->line));
        }
        if ($benchmark->method->isGenerator()) {
            $this->notice('warning', new Fault(
                'generator',
                $benchmark->name() . '() is a generator: a call runs none of its body.',
                'Iterate over the generator inside the subject.',
                (string) $benchmark->class->getFileName(),
                $benchmark->line
            ));
        }
        $sets = [[null, []]];
        // What is left out isn't worth a provider's work, nor its failure.
        if ($settings->providers !== [] && $settings->skip === null) {
            $sets = $providers->product($settings->providers);
        }
        foreach (BenchmarkCase::all($benchmark, $sets) as $case) {
            ($this->send)(['frame' => 'case', 'case' => \count($this->cases)] + $case->keys());
            $this->cases[] = $case;
        }
    }

    /** Tells the core, once: many subjects share a class, a parent. What fails for one benchmark is told for each, so that the core knows which. */
    private function notice(string $level, Fault $fault, ?string $key = null, ?string $benchmark = null): void
    {
        $keys = $fault->keys() + ['benchmark' => $benchmark];
        $key = $key ?? \serialize($keys);
        if (!isset($this->noticed[$key])) {
            $this->noticed[$key] = true;
            ($this->send)(['frame' => 'notice', 'level' => $level] + $keys);
        }
    }
}
