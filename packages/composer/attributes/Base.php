<?php

declare(strict_types=1);

namespace Tare;

/**
 * At a subject: the other subjects of its class are compared with it. Editors read this class; Tare reads the attribute's name alone.
 */
#[\Attribute(\Attribute::TARGET_METHOD)]
final class Base
{
}
