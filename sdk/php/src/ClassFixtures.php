<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * `BeforeClassMethods` and `AfterClassMethods`. PHPBench runs them once a class, in processes of their own, so they make what lies outside:
 * files, tables. Where several processes of a run live at once, the first one makes it and the last one takes it away. What sets static
 * properties is for its own process, and is done in each.
 *
 * A process that lives holds a shared lock, which the system takes back however it ends.
 */
final class ClassFixtures
{
    private const INSIDE = 'i';

    /** @var \ReflectionClass<object> */
    private $class;

    /** @var resource|null */
    private $living;

    /** @var resource|null guards the look at who lives */
    private $door;

    /**
     * @param \ReflectionClass<object> $class
     */
    public function __construct(\ReflectionClass $class)
    {
        $this->class = $class;
        $folder = \getenv('TARE_SHARED');
        if (\is_string($folder) && $folder !== '' && \is_dir($folder)) {
            $place = $folder . \DIRECTORY_SEPARATOR . \sha1($class->getName());
            $open = static function (string $path) {
                $file = Quiet::call(static function () use ($path) {
                    return \fopen($path, 'c+b');
                });

                return $file === false ? null : $file;
            };
            $this->living = $open("$place.living");
            $this->door = $open("$place.door");
        }
    }

    /**
     * @param list<string> $methods
     */
    public function make(array $methods): void
    {
        if ($methods === []) {
            $this->enter();

            return;
        }
        if ($this->living === null || $this->door === null) {
            $this->call($methods);

            return;
        }
        \flock($this->door, \LOCK_EX);
        try {
            if (\flock($this->living, \LOCK_EX | \LOCK_NB)) {
                \ftruncate($this->door, 0);
                $before = $this->statics();
                $this->call($methods);
                if ($before !== $this->statics()) {
                    \rewind($this->door);
                    \fwrite($this->door, self::INSIDE);
                    \fflush($this->door);
                }
            } elseif ($this->isInside()) {
                $this->call($methods);
            }
            \flock($this->living, \LOCK_SH);
        } finally {
            \flock($this->door, \LOCK_UN);
        }
    }

    /**
     * @param list<string> $methods
     */
    public function unmake(array $methods): void
    {
        if ($this->living === null || $this->door === null) {
            $this->call($methods);

            return;
        }
        \flock($this->door, \LOCK_EX);
        try {
            \flock($this->living, \LOCK_UN);
            $isLast = \flock($this->living, \LOCK_EX | \LOCK_NB);
            if ($isLast || $this->isInside()) {
                $this->call($methods);
            }
        } finally {
            \flock($this->living, \LOCK_UN);
            \flock($this->door, \LOCK_UN);
        }
    }

    /** Lives, without having anything to make. */
    private function enter(): void
    {
        if ($this->living !== null && $this->door !== null) {
            \flock($this->door, \LOCK_EX);
            \flock($this->living, \LOCK_SH);
            \flock($this->door, \LOCK_UN);
        }
    }

    /** Whether the first process saw the methods set static properties. */
    private function isInside(): bool
    {
        \rewind($this->door);

        return \fread($this->door, 1) === self::INSIDE;
    }

    /**
     * @param list<string> $methods
     */
    private function call(array $methods): void
    {
        foreach ($methods as $method) {
            $this->class->getMethod($method)->invoke(null);
        }
    }

    /**
     * @return array<string, mixed> static properties of the class, and of those that it extends
     */
    private function statics(): array
    {
        $found = [];
        for ($class = $this->class; $class !== false; $class = $class->getParentClass()) {
            foreach ($class->getProperties(\ReflectionProperty::IS_STATIC) as $property) {
                if (\PHP_VERSION_ID < 80100) {
                    $property->setAccessible(true);
                }
                if (\PHP_VERSION_ID < 70400 || $property->isInitialized()) {
                    $found[$property->class . '::' . $property->name] = $property->getValue();
                }
            }
        }

        return $found;
    }
}
