import type { GeneratedValidators } from './schema-inspector.ts';

/**
 * Precompiled validators of response or request schemas; null in the sources. The build replaces this module by
 * generated code (`scripts/build/`), because compiling takes a quarter of a second per process.
 */
export function generatedValidators(_trees: 'responses' | 'requests'): GeneratedValidators | null {
  return null;
}
