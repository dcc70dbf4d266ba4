import { expect, test } from 'vitest';
import { readSettings } from '../drive/configuration/settings.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { TOOL } from '../exchange/tool.ts';
import { messageOf } from '../schemas/error-message.ts';
import { refuseOtherRun } from './resume.ts';

const header = traceHeader({
  tool: TOOL,
  target: { baseUrl: 'http://127.0.0.1:8000/v1', name: '127.0.0.1:8000' },
  claims: { families: ['chat', 'batches'], how: 'given' },
  models: { chat: 'mine', speech: 'tts-1' },
  allow: ['free', 'tokens', 'batches'],
  key: false,
});

function explainRefusal(
  flags: Record<string, unknown>,
  recorded = header,
  env: Record<string, string> = {},
): string {
  try {
    refuseOtherRun('kept', recorded, readSettings({ flags, env, file: null, readText: () => '' }));
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

test.for([
  {
    flags: { baseUrl: 'http://127.0.0.1:8001' },
    says: 'base URL http://127.0.0.1:8000/v1, not http://127.0.0.1:8001/v1',
  },
  { flags: { model: ['chat=other'] }, says: 'the chat model mine, not other' },
  { flags: { model: ['vision=other'] }, says: 'the vision model none, not other' },
  { flags: { claim: 'chat' }, says: '--claim batches,chat, not chat' },
  { flags: { only: ['chat.*'] }, says: '--only none, not chat.*' },
  { flags: { skip: ['chat.*'] }, says: '--skip none, not chat.*' },
  { flags: { allow: 'training' }, says: '--allow batches,tokens, not tokens,training' },
  { flags: { allow: 'none' }, says: '--allow batches,tokens, not none' },
  { flags: { shard: '1/2' }, says: 'shard none, not 1/2' },
  { flags: { scenario: ['chat.basic'] }, says: '--scenario has no effect' },
  { flags: { dryRun: true }, says: '--dry-run' },
  { flags: { reportDir: 'elsewhere' }, says: 'not to elsewhere' },
])('a run is not resumed with other settings: $says', ({ flags, says }) => {
  expect(explainRefusal(flags)).toContain(says);
  expect(explainRefusal(flags)).toMatch(/^--resume kept: /);
});

test.for([
  { what: 'recorded traffic', header: traceHeader({ tool: TOOL }), says: 'not a run' },
  {
    what: 'a run of the embedded reference',
    header: { ...header, target: { baseUrl: 'http://127.0.0.1:1/v1', name: 'reference' } },
    says: 'the reference service inside assay',
  },
  {
    what: 'a run of another version',
    header: { ...header, tool: { name: 'assay', version: '0.0.0-other' } },
    says: '0.0.0-other',
  },
  {
    what: 'a run whose key is missing',
    header: { ...header, key: true },
    says: 'which is missing now: set ASSAY_API_KEY',
  },
])('$what is not resumed', ({ header: recorded, says }) => {
  expect(explainRefusal({}, recorded)).toContain(says);
});

test('a run without a key is not resumed with one', () => {
  expect(explainRefusal({}, header, { OPENAI_API_KEY: 'sk-something-long' })).toContain(
    'OPENAI_API_KEY contains one',
  );
});

test('a run is resumed with the same settings, in any order', () => {
  const same = {
    baseUrl: 'http://127.0.0.1:8000',
    model: ['chat=mine'],
    claim: 'batches,chat',
    timeout: '3600',
  };
  expect(explainRefusal({ ...same, allow: 'batches,tokens', reportDir: 'kept' })).toBe('');
});
