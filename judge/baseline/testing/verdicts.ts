import type { Judgement, RequirementVerdict, Verdict } from '../../verdict/verdict.ts';
import type { BaselineEntry } from '../covering-entries.ts';

/** The fixed current day of the tests. */
export const today = '2026-11-20';

/** A requirement with a finding for each signature. */
export function verdictOn(verdict: Verdict, ...signatures: string[]): RequirementVerdict {
  return {
    id: 'file:bytes#type',
    kind: 'schema',
    family: 'files',
    operations: ['retrieveFile'],
    level: 'MUST',
    basis: 'stated',
    spec: '2 File',
    says: 'bytes is an integer.',
    verdict,
    cause: null,
    observations: 1,
    baseline: null,
    findings: signatures.map((signature) => ({
      at: '/bytes',
      expected: 'integer',
      exchange: 'e1',
      signature,
    })),
    findingsTotal: signatures.length,
  };
}

/** A judgement of a whole run. */
export function wholeRunWith(...requirements: RequirementVerdict[]): Judgement {
  const cost = { requests: 1, bytes: 1, tokens: 0 };
  return {
    requirements,
    errata: [],
    choices: [],
    operations: [],
    blockers: [],
    stopReason: 'completed',
    cost,
  };
}

/** An entry for the requirement. */
export function knownEntry(fields: Partial<BaselineEntry> = {}): BaselineEntry {
  return {
    id: 'file:bytes#type',
    signatures: ['a'],
    reason: 'fixed in 2.0',
    link: null,
    expires: null,
    ...fields,
  };
}
