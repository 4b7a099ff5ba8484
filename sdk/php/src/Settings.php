<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * What class and method ask for, merged as PHPBench merges it: annotations replace what was declared further up unless
 * they say `extend=true`; lists in attributes always add; single values of the method override the class's, those of a
 * class its parents'. Where both forms declare a kind, the attributes count.
 */
final class Settings
{
    private const LISTS = [
        'ParamProviders' => 'providers', 'BeforeMethods' => 'beforeMethods', 'AfterMethods' => 'afterMethods', 'Groups' => 'groups',
        'Assert' => 'assertions',
    ];

    private const CLASS_LISTS = ['BeforeClassMethods' => 'beforeClassMethods', 'AfterClassMethods' => 'afterClassMethods'];

    private const UNITS = [
        'nanoseconds' => 'nanoseconds', 'microseconds' => 'microseconds', 'milliseconds' => 'milliseconds', 'seconds' => 'seconds',
        'nanosecond' => 'nanoseconds', 'microsecond' => 'microseconds', 'millisecond' => 'milliseconds', 'second' => 'seconds',
        'us' => 'microseconds', 'ms' => 'milliseconds', 's' => 'seconds',
    ];

    /** Longer ones than reports have. */
    private const LONG_UNITS = ['minute', 'minutes', 'm', 'hour', 'hours', 'day', 'days'];

    /** @var list<mixed> names of methods or functions, or callables */
    public $providers = [];

    /** @var list<string> */
    public $beforeMethods = [];

    /** @var list<string> */
    public $afterMethods = [];

    /** @var list<string> */
    public $beforeClassMethods = [];

    /** @var list<string> */
    public $afterClassMethods = [];

    /** @var list<string> */
    public $groups = [];

    /** @var list<string> in PHPBench's expression language; the core reads them */
    public $assertions = [];

    /** @var list<int> calls a sample; a variant for each */
    public $revs = [];

    /** @var int|null samples a launch */
    public $samples;

    /** @var list<int> calls before the timed ones of every sample; a variant for each */
    public $warmup = [];

    /** @var int microseconds after every sample */
    public $sleep = 0;

    /** @var int|null */
    public $timeoutMs;

    /** @var string|null */
    public $unit;

    /** @var string|null */
    public $skip;

    /** @var bool the others of its class are compared with it */
    public $base = false;

    /** @var list<Declaration> what couldn't be read but doesn't change what is run */
    public $troubles = [];

    /** @var list<string> what is understood differently */
    public $notes = [];

    /** @var list<string> kinds that Tare leaves alone */
    public $ignored = [];

    /**
     * @param \ReflectionClass<object> $class
     *
     * @throws Fault of kind `load` when a declaration can't be obeyed
     */
    public static function of(\ReflectionClass $class, \ReflectionMethod $method): self
    {
        $settings = new self();
        $settings->revs = self::configured('TARE_REVS');
        $settings->warmup = self::configured('TARE_WARMUP');
        $lineage = [];
        for ($ancestor = $class; $ancestor !== false; $ancestor = $ancestor->getParentClass()) {
            $lineage[] = $ancestor;
        }
        $annotations = [];
        $own = DeclarationReader::annotations($method);
        foreach (\array_reverse($lineage) as $ancestor) {
            if ($ancestor->hasMethod($method->name)) {
                $overridden = $ancestor->getMethod($method->name);
                if ($overridden->class === $ancestor->name && $method->class !== $ancestor->name) {
                    $annotations[] = DeclarationReader::annotations($overridden);
                }
            }
        }
        foreach (\array_reverse($lineage) as $ancestor) {
            $annotations[] = self::withoutBase(DeclarationReader::annotations($ancestor), $ancestor);
        }
        $annotations[] = $own;
        $attributes = \array_map(static function (\ReflectionClass $ancestor): array {
            return self::withoutBase(DeclarationReader::attributes($ancestor), $ancestor);
        }, $lineage);
        $fromMethod = DeclarationReader::attributes($method);
        $settings->refuseClassHooks(\array_merge($own, $fromMethod), $method);

        // PHPBench appends the lists of attributes from the class upwards.
        $lists = \array_merge(...\array_merge($attributes, [$fromMethod]));
        $values = \array_merge(...\array_merge(\array_reverse($attributes), [$fromMethod]));
        $kinds = \array_column($lists, 'kind');
        $older = \array_filter(\array_merge(...$annotations), static function (Declaration $declaration) use ($kinds): bool {
            return !\in_array($declaration->kind, $kinds, true);
        });
        foreach (\array_merge($older, $lists) as $declaration) {
            $settings->take($declaration, true);
        }
        foreach (\array_merge($older, $values) as $declaration) {
            $settings->take($declaration, false);
        }

        if (\getenv('TARE_GIVEN') === 'revs') {
            // The user has said how many calls a sample makes: no case differs by them.
            $settings->revs = [];
        }

        return $settings;
    }

    /**
     * PHPBench's `runner.revs` and `runner.warmup`, for benchmarks that say nothing themselves.
     *
     * @return list<int>
     */
    private static function configured(string $variable): array
    {
        $given = \getenv($variable);
        if (! \is_string($given) || \preg_match('/^\d{1,15}(,\d{1,15})*$/D', $given) !== 1) {
            return [];
        }

        return \array_values(\array_unique(\array_map('intval', \explode(',', $given))));
    }

    private function take(Declaration $declaration, bool $isList): void
    {
        $kind = $declaration->kind;
        if ($isList !== isset(self::LISTS[$kind])) {
            return;
        }
        if (isset(Declaration::IGNORED[$kind])) {
            $this->ignored[] = $kind;

            return;
        }
        if ($declaration->trouble !== null) {
            if ($declaration->isVital()) {
                throw new Fault('load', \ucfirst($declaration->trouble) . '.');
            }
            $this->troubles[] = $declaration;

            return;
        }
        if ($isList) {
            $name = self::LISTS[$kind];
            // An assertion never takes the place of another.
            $before = $declaration->extends || $kind === 'Assert' ? $this->$name : [];
            $this->$name = \array_merge($before, $kind === 'ParamProviders' ? self::providersOf($declaration) : $declaration->strings());

            return;
        }
        $this->takeValue($declaration);
    }

    private function takeValue(Declaration $declaration): void
    {
        switch ($declaration->kind) {
            case 'BeforeClassMethods':
            case 'AfterClassMethods':
                $this->{self::CLASS_LISTS[$declaration->kind]} = $declaration->strings();
                break;
            case 'Revs':
                $this->revs = \array_values(\array_unique($declaration->counts()));
                break;
            case 'Iterations':
                // Several numbers of samples are one distribution: the most precise one is enough.
                $this->samples = \max($declaration->counts()) ?: null;
                break;
            case 'Warmup':
                $this->warmup = \array_values(\array_unique($declaration->counts()));
                break;
            case 'Sleep':
                $this->sleep = $declaration->counts()[0];
                break;
            case 'Timeout':
                $this->timeoutMs = (int) \ceil($declaration->seconds() * 1000) ?: null;
                break;
            case 'OutputTimeUnit':
                $this->takeUnit($declaration);
                break;
            case 'Skip':
                $this->skip = \is_string($declaration->value) && $declaration->value !== ''
                    ? ValuePrinter::clean($declaration->value, 1000)
                    : 'marked with Skip in the source';
                break;
            case Declaration::BASE:
                $this->base = true;
                break;
        }
    }

    private function takeUnit(Declaration $declaration): void
    {
        $unit = $declaration->value;
        $printed = ValuePrinter::print($unit);
        $this->unit = \is_string($unit) ? self::UNITS[$unit] ?? null : null;
        if (\in_array($unit, self::LONG_UNITS, true)) {
            $this->unit = 'seconds';
            $this->notes[] = "OutputTimeUnit of $printed is shown in seconds, the longest unit of Tare's reports";
        } elseif ($this->unit === null && $unit !== 'time') {
            $this->notes[] = "OutputTimeUnit of $printed is no unit of time; the report chooses one";
        }
    }

    /**
     * Names, or callables: a pair of a class and a method is one of them.
     *
     * @return list<mixed>
     */
    private static function providersOf(Declaration $declaration): array
    {
        $value = $declaration->value;
        $isPair = \is_array($value) && \array_keys($value) === [0, 1] && \is_string($value[0]) && \is_string($value[1])
            && \class_exists($value[0]) && \method_exists($value[0], $value[1]);

        return $isPair ? [$value] : $declaration->values();
    }

    /**
     * At a class the mark would make each of its methods the base of all others.
     *
     * @param list<Declaration> $declarations
     * @param \ReflectionClass<object> $class
     *
     * @return list<Declaration>
     */
    private static function withoutBase(array $declarations, \ReflectionClass $class): array
    {
        foreach ($declarations as $declaration) {
            if ($declaration->kind === Declaration::BASE) {
                $declaration->trouble = "Base stands at the class {$class->name}, but is meant for one of its methods";
            }
        }

        return $declarations;
    }

    /**
     * @param list<Declaration> $declarations
     */
    private function refuseClassHooks(array $declarations, \ReflectionMethod $method): void
    {
        foreach ($declarations as $declaration) {
            if (isset(self::CLASS_LISTS[$declaration->kind])) {
                throw new Fault(
                    'load',
                    "$declaration->kind stands at the method {$method->class}::{$method->name}(), but is meant for classes.",
                    'Move it to the class, or use BeforeMethods and AfterMethods.'
                );
            }
        }
    }
}
