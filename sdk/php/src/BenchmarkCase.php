<?php

declare(strict_types=1);

namespace Tare\Worker;

/** A benchmark with one parameter set and one number of calls. */
final class BenchmarkCase
{
    /** Most parameters printed. */
    private const PRINTED = 64;

    /** @var Benchmark */
    public $benchmark;

    /** @var string|null name of the set; null for a benchmark without parameters */
    public $name;

    /** @var array<array-key, mixed> */
    public $parameters;

    /** @var int|null calls a sample, as the author wants */
    private $revs;

    /** @var int calls before the timed ones of every sample */
    public $warmup;

    /**
     * @param array<array-key, mixed> $parameters
     */
    public function __construct(Benchmark $benchmark, ?string $name, array $parameters, ?int $revs, int $warmup)
    {
        $this->benchmark = $benchmark;
        $this->name = $name;
        $this->parameters = $parameters;
        $this->revs = $revs;
        $this->warmup = $warmup;
    }

    /**
     * One for each parameter set and each of several `Revs` and `Warmup`, whose number is then part of the name.
     *
     * @param list<array{string|null, array<array-key, mixed>}> $sets
     *
     * @return list<self>
     */
    public static function all(Benchmark $benchmark, array $sets): array
    {
        $cases = [];
        $revs = $benchmark->settings->revs;
        $warmup = $benchmark->settings->warmup;
        foreach ($sets as [$name, $parameters]) {
            foreach ($revs === [] ? [null] : $revs as $calls) {
                foreach ($warmup === [] ? [0] : $warmup as $warm) {
                    $parts = \array_merge(
                        $name === null ? [] : [$name],
                        \count($revs) > 1 ? [$calls . ' revs'] : [],
                        \count($warmup) > 1 ? [$warm . ' warmup'] : [],
                    );
                    $cases[] = new self($benchmark, $parts === [] ? null : \implode(', ', $parts), $parameters, $calls, $warm);
                }
            }
        }

        return $cases;
    }

    /**
     * @return array<string, mixed> the keys of a `case` frame
     */
    public function keys(): array
    {
        $settings = $this->benchmark->settings;
        $names = [];
        $values = [];
        foreach (\array_slice($this->parameters, 0, self::PRINTED, true) as $key => $value) {
            $names[] = ValuePrinter::clean((string) $key, 200);
            $values[] = ValuePrinter::print($value);
        }
        $left = \count($this->parameters) - \count($names);
        if ($left > 0) {
            $names[] = '…';
            $values[] = "$left more";
        }

        return [
            'benchmark' => $this->benchmark->name(),
            'parameters' => $this->name,
            'names' => $names === [] ? null : $names,
            'values' => $names === [] ? null : $values,
            'file' => $this->benchmark->file,
            'line' => $this->benchmark->line,
            'groups' => $settings->groups === [] ? null : \array_values(\array_unique($settings->groups)),
            'iterations' => $this->revs,
            'samples' => $settings->samples,
            'timeout_ms' => $settings->timeoutMs,
            'unit' => $settings->unit,
            'skip' => $settings->skip,
            'base' => $settings->base ? true : null,
            'assertions' => $settings->assertions === [] ? null : $settings->assertions,
        ];
    }
}
