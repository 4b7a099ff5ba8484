<?php

declare(strict_types=1);

/**
 * A body that does nothing weighs nothing: what a tool reads here is its own weight.
 */
final class NoopBench
{
    public function benchNoop(): void
    {
    }
}
