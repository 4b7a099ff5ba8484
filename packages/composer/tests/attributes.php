<?php

/* The classes for editors take what the worker reads. */

$sdk = dirname(__DIR__, 3) . '/sdk/php/src';

return \PHP_VERSION_ID < 80000 ? [] : [
    'what the worker reads of an operation, its class takes' => static function () use ($sdk): void {
        foreach (['Fault', 'ValuePrinter', 'Declaration', 'AnnotationParser', 'Imports', 'DeclarationReader', 'Operation'] as $source) {
            require_once "$sdk/$source.php";
        }
        foreach (['Base', 'Operation'] as $class) {
            require_once dirname(__DIR__) . "/attributes/$class.php";
        }
        $subject = new class() {
            #[\Tare\Operation(weight: 9, name: 'get')]
            public function named(): void
            {
            }

            #[\Tare\Operation(3)]
            #[\Tare\Base]
            public function plain(): void
            {
            }
        };
        $made = [];
        $read = [];
        foreach (['named', 'plain'] as $name) {
            $method = new \ReflectionMethod($subject, $name);
            foreach ($method->getAttributes() as $attribute) {
                $made[] = $attribute->newInstance();
            }
            foreach (\Tare\Worker\DeclarationReader::attributes($method) as $declaration) {
                $read[] = [$declaration->kind, $declaration->arguments, $declaration->trouble];
            }
        }
        Check::same([[9, 'get'], [3, null]], [[$made[0]->weight, $made[0]->name], [$made[1]->weight, $made[1]->name]]);
        Check::holds($made[2] instanceof \Tare\Base, 'Base is an attribute');
        Check::same([['Operation', ['weight' => 9, 'name' => 'get'], null], ['Operation', [3], null], ['Base', [], null]], $read);
    },
];
