<?php

declare(strict_types=1);

namespace Tare\Clock;

/*
 * Tare depends on no package. Where PSR-20 (psr/clock) can be loaded, its interface is the parent, so that each of these clocks goes
 * wherever a Psr\Clock\ClockInterface is asked for; where it can't, the same method is declared here.
 */
if (\interface_exists(\Psr\Clock\ClockInterface::class)) {
    /**
     * A clock as PSR-20 has it, with plain numbers beside the date.
     */
    interface Clock extends \Psr\Clock\ClockInterface, Reading
    {
    }
} else {
    /**
     * A clock as PSR-20 has it, with plain numbers beside the date.
     */
    interface Clock extends Reading
    {
        /** Now, in the default time zone. */
        public function now(): \DateTimeImmutable;
    }
}
