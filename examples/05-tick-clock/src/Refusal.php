<?php

declare(strict_types=1);

/**
 * What was sent can't be served; the code is the answer's status, and the connection is closed after it.
 */
final class Refusal extends RuntimeException
{
    public function __construct(int $status)
    {
        parent::__construct('', $status);
    }
}
