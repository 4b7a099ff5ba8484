<?php

declare(strict_types=1);

namespace Tare\Worker;

/** One attribute or annotation: PHPBench's by its short name, Tare's own `Base` and `Operation` with their namespace or without any. */
final class Declaration
{
    /** What Tare does. */
    public const KINDS = [
        'Subject', 'ParamProviders', 'BeforeMethods', 'AfterMethods', 'BeforeClassMethods', 'AfterClassMethods', 'Revs', 'Iterations',
        'Warmup', 'Groups', 'Skip', 'Timeout', 'Sleep', 'OutputTimeUnit', 'Assert',
    ];

    /** Tare's own: the method is what the others of its class are compared with. */
    public const BASE = 'Base';

    /** Tare's own: the method is done under load. */
    public const OPERATION = 'Operation';

    /** What it leaves alone, and why. */
    public const IGNORED = [
        'Executor' => 'Tare has its own way of running a benchmark',
        'RetryThreshold' => 'Tare does not repeat samples until they look calm, which flatters the spread; --precision 5% measures until the interval is that narrow',
        'OutputMode' => 'results are always times',
        'Format' => 'the report chooses its own format',
    ];

    /** Of these, what is about how it is measured; the others are about what is shown. */
    public const MISSED = ['Executor', 'RetryThreshold'];

    /** Without these a benchmark would run something else than its author wrote, or would hold whatever it takes. */
    private const VITAL = ['ParamProviders', 'BeforeMethods', 'AfterMethods', 'BeforeClassMethods', 'AfterClassMethods', 'Assert'];

    /** @var string a kind, as spelt above */
    public $kind;

    /** @var mixed its main argument; null without one */
    public $value;

    /** @var array<array-key, mixed> all of them, by position or name */
    public $arguments;

    /** @var bool whether a list adds to what was declared before */
    public $extends;

    /** @var string|null why it can't be read */
    public $trouble;

    /**
     * @param array<array-key, mixed> $arguments by position or name
     */
    public function __construct(string $kind, array $arguments, bool $extends, ?string $trouble = null)
    {
        $this->kind = $kind;
        $this->extends = $extends;
        $this->trouble = $trouble;
        $this->arguments = $arguments;
        unset($arguments['extend'], $arguments['precision']);
        $this->value = \array_key_exists('value', $arguments) ? $arguments['value'] : (\array_values($arguments)[0] ?? null);
    }

    /** Whether a name is PHPBench's: in its namespace, in none, or in what a file's own namespace makes of one whose `use` is missing. */
    public static function isPhpbenchs(string $name, string $namespace): bool
    {
        $slash = \strrpos($name, '\\');
        $of = $slash === false ? '' : \trim(\substr($name, 0, $slash), '\\');
        if (\preg_match('/(^|\\\\)PhpBench(\\\\|$)/', $of) === 1) {
            return true;
        }
        $own = $namespace !== '' && \strncmp("$of\\", "$namespace\\", \strlen($namespace) + 1) === 0;
        $rest = $own ? (string) \substr($of, \strlen($namespace) + 1) : $of;

        return \in_array($rest, ['', 'Bench'], true) && ($of === '' || !\class_exists($name));
    }

    /** A name that PHPBench's namespace has no attribute of: most likely a slip of the pen. */
    public static function misspelt(string $name, string $written): self
    {
        $slash = \strrpos($name, '\\');
        $short = $slash === false ? $name : \substr($name, $slash + 1);
        $nearest = null;
        foreach (\array_merge(self::KINDS, \array_keys(self::IGNORED)) as $kind) {
            $distance = \levenshtein(\strtolower(\substr($short, 0, 64)), \strtolower($kind));
            if ($distance <= \strlen($kind) / 3 && ($nearest === null || $distance < $nearest[0])) {
                $nearest = [$distance, $kind];
            }
        }
        $meant = $nearest === null ? '' : " (did you mean {$nearest[1]}?)";

        return new self($short, [], true, "`$written` is none that PHPBench has$meant");
    }

    /** The kind whose short name $name ends in; annotations are matched in any case, as PHPBench does. */
    public static function kindOf(string $name, bool $anyCase): ?string
    {
        $slash = \strrpos($name, '\\');
        $short = $slash === false ? $name : \substr($name, $slash + 1);
        // The words are too common to be taken from just any namespace. One that lacks its `use` or its leading backslash is resolved
        // in the namespace of the file, and is meant all the same.
        foreach ([self::BASE, self::OPERATION] as $own) {
            if ($short === $own) {
                $full = '\\' . \ltrim($name, '\\');
                $tares = '\\Tare\\' . $own;

                return $full === '\\' . $own || \substr($full, -\strlen($tares)) === $tares ? $own : null;
            }
        }
        foreach (\array_merge(self::KINDS, \array_keys(self::IGNORED)) as $kind) {
            if ($short === $kind || ($anyCase && \strcasecmp($short, $kind) === 0)) {
                return $kind;
            }
        }

        return null;
    }

    public function isVital(): bool
    {
        return \in_array($this->kind, self::VITAL, true);
    }

    /**
     * @return list<mixed>
     */
    public function values(): array
    {
        if ($this->value === null) {
            return [];
        }

        return \is_array($this->value) ? \array_values($this->value) : [$this->value];
    }

    /**
     * @return list<string>
     *
     * @throws Fault of kind `load`
     */
    public function strings(): array
    {
        foreach ($this->values() as $value) {
            if (!\is_string($value)) {
                throw $this->wrong('names');
            }
        }

        return $this->values();
    }

    /**
     * @return list<int> at least one
     *
     * @throws Fault of kind `load`
     */
    public function counts(): array
    {
        $counts = [];
        foreach ($this->values() as $value) {
            $count = \is_string($value) && \preg_match('/^\d{1,15}$/D', $value) === 1 ? (int) $value : $value;
            if (!\is_int($count) || $count < 0 || $count > Frames::MAX_INTEGER) {
                throw $this->wrong('whole numbers of at least 0');
            }
            $counts[] = $count;
        }
        if ($counts === []) {
            throw $this->wrong('a whole number of at least 0');
        }

        return $counts;
    }

    /**
     * @throws Fault of kind `load`
     */
    public function seconds(): float
    {
        if (!\is_numeric($this->value) || $this->value < 0 || $this->value > 1e9) {
            throw $this->wrong('seconds');
        }

        return (float) $this->value;
    }

    public function wrong(string $wanted): Fault
    {
        return new Fault('load', "$this->kind wants $wanted, not " . ValuePrinter::print($this->value) . '.');
    }
}
