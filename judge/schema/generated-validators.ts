import type { GeneratedValidators } from './schema-inspector.ts';

/**
 * The validators of the trees of responses, or of those of request bodies, as generated code: null in the sources. The
 * build of the package puts a module with the code in the place of this one (`scripts/build/`), as generating it takes a
 * quarter of a second in each process.
 */
export function generatedValidators(_trees: 'responses' | 'requests'): GeneratedValidators | null {
  return null;
}
