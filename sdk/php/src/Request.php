<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * A request, its values checked when they are asked for: only the keys that a request knows count, whatever the others
 * hold (PROTOCOL 1.3). What is missing, of the wrong type or out of range is a `bad-request` (2.4).
 */
final class Request
{
    /** @var string */
    public $kind;

    /** @var int */
    public $id;

    /** @var array<array-key, mixed> */
    private $values;

    /** @var array<array-key, string> first character of each value: tells an object from an array after decoding */
    private $openings;

    /**
     * @param array<array-key, mixed>  $values
     * @param array<array-key, string> $openings
     */
    public function __construct(string $kind, int $id, array $values, array $openings)
    {
        $this->kind = $kind;
        $this->id = $id;
        $this->values = $values;
        $this->openings = $openings;
    }

    public function has(string $key): bool
    {
        return \array_key_exists($key, $this->values);
    }

    public function string(string $key): string
    {
        $value = $this->value($key);
        if (!\is_string($value)) {
            throw $this->wrong($key, 'a string');
        }

        return $value;
    }

    public function optionalString(string $key): ?string
    {
        return $this->has($key) ? $this->string($key) : null;
    }

    public function optionalBoolean(string $key): ?bool
    {
        if (!$this->has($key)) {
            return null;
        }
        $value = $this->value($key);
        if (!\is_bool($value)) {
            throw $this->wrong($key, 'a boolean');
        }

        return $value;
    }

    public function integer(string $key, int $least, int $most): int
    {
        $value = $this->value($key);
        if (!\is_int($value)) {
            throw $this->wrong($key, 'an integer');
        }
        if ($value < $least || $value > $most) {
            throw $this->wrong($key, "an integer from $least to $most, not $value");
        }

        return $value;
    }

    /**
     * @return list<string> at least one
     */
    public function strings(string $key): array
    {
        $value = $this->value($key);
        if (!\is_array($value) || $value === [] || !\is_string($value[0])) {
            throw $this->wrong($key, 'an array of at least one string');
        }

        return $value;
    }

    /**
     * @return list<int> at least one
     */
    public function integers(string $key, int $least, int $most, int $longest): array
    {
        $value = $this->value($key);
        if (!\is_array($value) || $value === [] || !\is_int($value[0]) || \count($value) > $longest) {
            throw $this->wrong($key, "an array of 1 to $longest integers");
        }
        foreach ($value as $item) {
            if ($item < $least || $item > $most) {
                throw $this->wrong($key, "an array of integers from $least to $most; $item is none");
            }
        }

        return $value;
    }

    /**
     * @return mixed
     */
    private function value(string $key)
    {
        if (!$this->has($key)) {
            throw new Fault('bad-request', "The `$this->kind` request lacks the key `$key`.");
        }
        $value = $this->values[$key];
        if (\is_array($value)) {
            if ($this->openings[$key] !== '[' || !self::isUniform($value)) {
                throw $this->wrong($key, 'no nested or mixed value');
            }
        } elseif (!self::isScalar($value)) {
            throw $this->wrong($key, 'a string, a boolean or an integer of at most 2^53-1');
        }

        return $value;
    }

    /**
     * @param array<array-key, mixed> $values
     */
    private static function isUniform(array $values): bool
    {
        $type = $values === [] ? '' : \gettype($values[0]);
        foreach ($values as $value) {
            if (\gettype($value) !== $type || !self::isScalar($value)) {
                return false;
            }
        }

        return true;
    }

    /**
     * @param mixed $value
     */
    private static function isScalar($value): bool
    {
        return \is_string($value) || \is_bool($value)
            || (\is_int($value) && $value >= -Frames::MAX_INTEGER && $value <= Frames::MAX_INTEGER);
    }

    private function wrong(string $key, string $wanted): Fault
    {
        return new Fault('bad-request', "The key `$key` of the `$this->kind` request wants $wanted.");
    }
}
