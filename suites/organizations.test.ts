import { expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import { judgeRequirement } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import { organizations } from './organizations.requirements.ts';
import { ORGANIZATION_LISTS, SECOND_KEY } from './organizations.ts';

function countViolations(list: string, own: Json, other: Json): number {
  const trace = new TraceBuilder();
  const listResponse = (element: Json) => ({ json: { object: 'list', data: [element] } });
  trace.add(list, {}, listResponse(own));
  const probe = { ...SECOND_KEY, id: 'p', operation: list, side: 'valid', control: null } as const;
  trace.add(list, { probe }, listResponse(other));
  const family = ORGANIZATION_LISTS.find((one) => one.list === list)?.family;
  const requirement = organizations.find(({ id }) => id === `${family}.scope.organization`);
  if (requirement === undefined) throw new Error(`no requirement judges ${list}`);
  const exchanges = trace.exchanges.map((exchange) => ({ ...exchange, scenario: 'a' }));
  const { observations, violations } = judgeRequirement(requirement, exchanges);
  expect(observations).toBe(1);
  return violations.length;
}

test.each(ORGANIZATION_LISTS)(
  '$list: the same object is a violation, and an equal id alone is not',
  ({ list, identifiedBy }) => {
    const members = Object.fromEntries(identifiedBy.map((name) => [name, `a ${name}`]));
    const object = { id: 'object-1', created_at: 1_700_000_000, ...members };
    expect(countViolations(list, object, object)).toBe(1);
    expect(countViolations(list, object, { ...object, status: 'later' })).toBe(1);
    expect(countViolations(list, object, { ...object, id: 'object-2' })).toBe(0);
    expect(countViolations(list, object, { ...object, created_at: 1_700_000_001 })).toBe(0);
    for (const name of identifiedBy)
      expect(countViolations(list, object, { ...object, [name]: 'another' })).toBe(0);
  },
);
