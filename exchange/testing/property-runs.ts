import { inject } from 'vitest';

export function propertyRuns(thorough: number): number {
  return inject('isThorough') ? thorough : Math.ceil(thorough / 10);
}
