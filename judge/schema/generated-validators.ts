import type { GeneratedValidators } from './schema-inspector.ts';

/** Validators as code; null in the sources, because only the build replaces this module (`scripts/build/`). */
export function generatedValidators(_trees: 'responses' | 'requests'): GeneratedValidators | null {
  return null;
}
