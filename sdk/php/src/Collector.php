<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * How far the calls of a turn bring PHP's collector of cycles. It begins when so many possible roots have come together.
 */
final class Collector
{
    /** @var array<string, mixed> */
    private $before = [];

    /** @var array<string, mixed> */
    private $after = [];

    public function begin(): void
    {
        $this->before = \gc_status();
    }

    public function end(): void
    {
        $this->after = \gc_status();
    }

    /**
     * What `samples` has of it: millionths of a collection. Nothing where one ran: PHP counts it twice if there were destructors.
     *
     * @return array<string, int>
     */
    public function keys(): array
    {
        $due = (int) ($this->after['threshold'] ?? 0);
        if ($due <= 0 || $this->after['runs'] !== $this->before['runs'] || !\gc_enabled()) {
            return [];
        }

        return ['collector_ppm' => \max(0, \intdiv(1000000 * ($this->after['roots'] - $this->before['roots']), $due))];
    }
}
