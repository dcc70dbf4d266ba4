import { inject } from 'vitest';

/** How many of the random cases of a property a test tries: all of them if thorough, otherwise a tenth. */
export function propertyRuns(thorough: number): number {
  return inject('isThorough') ? thorough : Math.ceil(thorough / 10);
}
