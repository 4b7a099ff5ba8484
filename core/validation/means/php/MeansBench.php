<?php

/** Subjects whose mean cost is another than that of a typical call. */
final class MeansBench
{
    private const TURNS = 20;

    /** @var array<int, int> Calls of the process since the last slow one, by how many there are from one to the next. */
    private static array $made = [5 => 0, 100 => 0, 10_000 => 0, PHP_INT_MAX => 0];

    /** Nothing: what loop and call cost. */
    public function empty(): void
    {
    }

    public function benchEachNone(): void
    {
        $this->periodic(PHP_INT_MAX);
    }

    public function benchEach5(): void
    {
        $this->periodic(5);
    }

    public function benchEach100(): void
    {
        $this->periodic(100);
    }

    public function benchEach10000(): void
    {
        $this->periodic(10_000);
    }

    /** Objects that are freed when the last reference goes. */
    public function benchTree(): void
    {
        $this->nodes();
    }

    /** Objects that refer to each other in a circle: the collector frees ten thousand of them at once. */
    public function benchCycle(): void
    {
        [$first, $last] = $this->nodes();
        $last->next = $first;
    }

    /** @return array{stdClass, stdClass} */
    private function nodes(): array
    {
        $first = $last = new stdClass();
        for ($i = 0; $i < 5; ++$i) {
            $node = new stdClass();
            $node->next = null;
            $last->next = $node;
            $last = $node;
        }

        return [$first, $last];
    }

    /** Each call that is a multiple of `$every` does as much as all calls since the last one, once more. */
    private function periodic(int $every): void
    {
        $this->work(self::TURNS);
        if (++self::$made[$every] === $every) {
            self::$made[$every] = 0;
            $this->work(self::TURNS * $every);
        }
    }

    private function work(int $turns): void
    {
        $x = 1;
        for ($i = 0; $i < $turns; ++$i) {
            $x = ($x * 31 + $i) & 0xffff;
        }
    }
}
