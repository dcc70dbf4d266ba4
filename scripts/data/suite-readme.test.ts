import { expect, test } from 'vitest';
import { suiteBlocks } from './suite-readme.ts';

const SOURCE = `
/** Every call of the operations. A second sentence. */
export function requests(
  ...operations: readonly string[]
): Selector<Requested> {
  return stateless(operations);
}

/** Evidence that fulfils a condition: the rest is ignored. */
export function where<E extends Evidence>(selector: Selector<E>, keep: (one: E) => boolean): Selector<E> {
  return { ...selector, keep };
}

export const lastEvent: EventPicker = (frames) => [frames.length - 1];

/** Not a building block, although a function inside returns one. */
export function area(name: string): string {
  const inner = (): Mutation => {
    return change;
  };
  return name + inner.name;
}

/** Not exported. */
function swap(): Mutation {
  return change;
}
`;

test('exports are building blocks by the type of their results', () => {
  expect(suiteBlocks('suites/a.ts', SOURCE)).toEqual([
    {
      name: 'requests',
      file: 'suites/a.ts',
      section: 'Selectors',
      sentence: 'Every call of the operations.',
    },
    {
      name: 'where',
      file: 'suites/a.ts',
      section: 'Combinators',
      sentence: 'Evidence that fulfils a condition.',
    },
    { name: 'lastEvent', file: 'suites/a.ts', section: 'Event pickers', sentence: '' },
  ]);
});
