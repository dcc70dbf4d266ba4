import type { Judgement, RequirementVerdict, Verdict } from '../../verdict/verdict.ts';
import type { BaselineEntry } from '../baseline-entry.ts';

export const today = '2026-11-20';

export function verdictOn(verdict: Verdict, ...signatures: string[]): RequirementVerdict {
  const place = { at: '/bytes', expected: 'integer', exchange: 'e1' };
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
    findings: signatures.map((signature) => ({ ...place, signature })),
    findingsTotal: signatures.length,
  };
}

export function wholeRunWith(...requirements: RequirementVerdict[]): Judgement {
  const cost = { requests: 1, bytes: 1, tokens: 0 };
  const empty = { errata: [], choices: [], operations: [], blockers: [] };
  return { requirements, ...empty, stopReason: 'completed', cost };
}

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
