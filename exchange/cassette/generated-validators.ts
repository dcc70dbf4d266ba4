import type { ValidateFunction } from '../../schemas/index.ts';

/**
 * Precompiled validators of the formats; null in the sources. The build replaces this module with generated code
 * (`scripts/build/`), because loading the schema compiler takes a tenth of a second.
 */
export function generatedLineValidators(_set: 'formats'): ReadonlyMap<string, ValidateFunction> | null {
  return null;
}
