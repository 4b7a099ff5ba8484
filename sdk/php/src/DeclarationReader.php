<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Collects what a class and a method declare, from doc comments and from attributes. Attributes are read by name and
 * arguments and never instantiated, so their classes needn't be installed.
 */
final class DeclarationReader
{
    /**
     * @param \ReflectionClass<object>|\ReflectionMethod $element
     *
     * @return list<Declaration>
     */
    public static function annotations(\Reflector $element): array
    {
        $comment = $element->getDocComment();
        if ($comment === false || \strpos($comment, '@') === false) {
            return [];
        }
        $class = $element instanceof \ReflectionMethod ? $element->getDeclaringClass() : $element;
        \assert($class instanceof \ReflectionClass);

        return (new AnnotationParser([$class->getName(), $class->getNamespaceName()]))->parse($comment);
    }

    /**
     * @param \ReflectionClass<object>|\ReflectionMethod $element
     *
     * @return list<Declaration>
     */
    public static function attributes(\Reflector $element): array
    {
        if (\PHP_VERSION_ID < 80000) {
            return [];
        }
        $found = [];
        foreach ($element->getAttributes() as $attribute) {
            $kind = Declaration::kindOf($attribute->getName(), false);
            if ($kind === null) {
                continue;
            }
            try {
                $found[] = new Declaration($kind, $attribute->getArguments(), true);
            } catch (\Throwable $thrown) {
                $found[] = new Declaration($kind, [], true, "`#[$kind]` cannot be read: " . $thrown->getMessage());
            }
        }

        return $found;
    }

    /**
     * The method's declarations, and whether one of them makes it a subject.
     */
    public static function isSubject(\ReflectionMethod $method): bool
    {
        if (\strncmp($method->getName(), 'bench', 5) === 0) {
            return true;
        }
        foreach (\array_merge(self::attributes($method), self::annotations($method)) as $declaration) {
            if ($declaration->kind === 'Subject') {
                return true;
            }
        }

        return false;
    }
}
