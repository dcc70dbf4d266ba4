import type { Judgement, RequirementVerdict, Verdict } from '../../verdict/verdict.ts';
import type { BaselineEntry } from '../baseline-entry.ts';

export const today = '2026-11-20';

/** Id of a choice on which most services agree. */
export const LIMIT_CHOICE = 'chat.finish-reason.at-limit';

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

/** Whether an operation rejects a kind of invalid request; it accepts them if there are signatures. */
export function verdictOnInvalid(place: string, ...signatures: string[]): RequirementVerdict {
  return {
    ...verdictOn(signatures.length > 0 ? 'fail' : 'pass', ...signatures),
    id: `createRun:body.${place}.rejected`,
    kind: 'rejected',
  };
}

export function wholeRunWith(...requirements: RequirementVerdict[]): Judgement {
  const cost = { requests: 1, bytes: 1, tokens: 0 };
  const empty = { errata: [], choices: [], operations: [], blockers: [] };
  return { requirements, ...empty, stopReason: 'completed', cost };
}

/** The target took `taken` at `LIMIT_CHOICE`, and one alternative of a choice on which services differ. */
export function wholeRunTaking(...taken: string[]): Judgement {
  const choice = { spec: '2', says: 'Which.', consistent: true };
  return {
    ...wholeRunWith(verdictOn('pass')),
    choices: [
      { ...choice, id: LIMIT_CHOICE, taken, usual: ['length'] },
      { ...choice, id: 'models.list.order', taken: ['oldest first'] },
    ],
  };
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
