import type { GeneratedValidators } from './schema-inspector.ts';

/** Validators as code, with which the build replaces this module (`scripts/build/`); null in the sources. */
export function generatedValidators(_trees: 'responses' | 'requests'): GeneratedValidators | null {
  return null;
}
