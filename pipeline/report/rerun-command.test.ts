import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import { sampleReport } from '../../reports/testing/sample.ts';
import { claimFlag, gateFlags, rerunFlags, selectionFlags } from './rerun-command.ts';

const { report, evidence } = sampleReport('broken');
const [finding] = report.requirements.flatMap(({ findings }) => findings);
const recorded = evidence.exchange(finding?.exchange ?? '');

function makeExchange(scenario: string | null, target: string): Exchange {
  if (recorded === undefined) throw new Error('The sample lacks the exchange of its first finding.');
  return { ...recorded, scenario, request: { ...recorded.request, method: 'GET', target } };
}

const ID = 'file:bytes#type';
const ONLY = ` --only '${ID}'`;
const inList = makeExchange('files.auth.listFiles', '/v1/files?limit=2');

test('a finding without a scenario, or in one that is meant to show it, needs no other scenario', () => {
  expect(selectionFlags(ID, undefined)).toBe(ONLY);
  expect(selectionFlags(ID, makeExchange(null, '/v1/files'))).toBe(ONLY);
  expect(selectionFlags(ID, makeExchange('files.twins', '/v1/files'))).toBe(ONLY);
});

test('a finding in another scenario needs that one', () => {
  const elsewhere = makeExchange('files.auth.retrieveFile', '/v1/files/file-1');
  expect(selectionFlags(ID, elsewhere)).toBe(`${ONLY} --scenario files.auth.retrieveFile`);
});

test('a finding in a list of objects of all scenarios is selected like one outside such lists, else with all scenarios', () => {
  expect(selectionFlags(ID, inList, () => [inList])).toBe(`${ONLY} --scenario '*'`);
  const intended = makeExchange('files.twins', '/v1/files/file-1');
  expect(selectionFlags(ID, inList, () => [inList, undefined, intended])).toBe(ONLY);
  const elsewhere = makeExchange('files.auth.retrieveFile', '/v1/files/file-1');
  expect(selectionFlags(ID, inList, () => [elsewhere])).toBe(`${ONLY} --scenario files.auth.retrieveFile`);
});

test('the model of assistants is named only if it is not that of chat', () => {
  const flagsOf = (models: Record<string, string>) => rerunFlags(traceHeader({ models }));
  const base = rerunFlags(traceHeader({ models: {} }));
  expect(flagsOf({ chat: 'a', assistant: 'a' })).toBe(flagsOf({ chat: 'a' }));
  expect(flagsOf({ chat: 'a', assistant: 'b' })).toBe(`${flagsOf({ chat: 'a' })} --model assistant=b`);
  expect(flagsOf({ assistant: 'a' })).toBe(`${base} --model assistant=a`);
});

test('another run of the embedded reference needs no target and no models, but `large` if that was allowed', () => {
  const header = traceHeader({ target: { baseUrl: 'http://127.0.0.1:1/v1', name: 'reference' } });
  expect(rerunFlags({ ...header, models: { chat: 'a' }, allow: ['free', 'tokens'] })).toBe('');
  expect(rerunFlags({ ...header, allow: ['free', 'tokens', 'large'] })).toBe(' --allow large');
});

test('claims and tolerated kinds need a flag only if they differ from the standing ones in more than their order', () => {
  const { claims } = traceHeader({ claims: { families: [], how: 'given' } });
  const flagFor = (...standingClaim: readonly string[]) =>
    claimFlag({ claims }, { claim: ['images', 'chat'], standingClaim });
  expect([flagFor('chat', 'images'), flagFor('chat')]).toEqual(['', ' --claim images,chat']);
  const gate = { failOn: 'must', strictBaseline: false, allowInconclusive: false } as const;
  const standingGate = { ...gate, tolerate: ['lenient-validation', 'clients'] } as const;
  expect(gateFlags({ ...gate, tolerate: ['clients', 'lenient-validation'], standingGate })).toBe('');
  expect(gateFlags({ ...gate, tolerate: ['clients'], standingGate })).toBe(' --tolerate clients');
});
