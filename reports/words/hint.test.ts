import { expect, test } from 'vitest';
import type { Hint } from '../../exchange/note.ts';
import { hintWords } from './hint.ts';

const without = [
  { role: 'completion', refused: ['a'] },
  { role: 'vision', refused: [], blind: ['a'] },
];
const models = [{ role: 'chat', id: 'a' }];
const blind =
  'no model for vision, as a accepts images and nothing shows that it reads them (--model vision=a if it does)';

test.for<readonly [Hint, string]>([
  [
    { kind: 'models-found', models, without, total: 1 },
    `models found by trial (the target lists 1): --model chat=a; no model for completion (tried a); ${blind}. --model ROLE=ID sets them, --model ROLE=none turns a role off`,
  ],
  [
    { kind: 'models-found', models, without, total: 1, given: 'a' },
    `--model a serves chat; it was refused, or not tried, for completion; ${blind}`,
  ],
  [
    { kind: 'dialect-would-excuse', dialect: 'compatible', failures: 4 },
    '--dialect compatible excuses 4 of the failing requirements, as deviations that servers of open models share',
  ],
  [
    { kind: 'dialect-would-excuse', dialect: 'openai', failures: 4 },
    'the target is api.openai.com: --dialect openai lists its intentional deviations from the specification, and excuses 4 of the failing requirements',
  ],
  [
    { kind: 'key-refused' },
    'every request was refused, because the target rejects the key that was sent: does it belong to this target?',
  ],
  [
    { kind: 'models-refused', status: 401, keyVariable: 'MY_KEY', key: 'none' },
    'the target answers 401 to the list of models, so no model was found. No key was sent: put it in MY_KEY, or name its variable with --api-key-env.',
  ],
  [
    { kind: 'models-found', models, without: [{ role: 'chat', refused: ['a'] }], total: 1 },
    'models found by trial (the target lists 1): --model chat=a; a refused the trial for chat for another reason, which the run shows. --model ROLE=ID sets them, --model ROLE=none turns a role off',
  ],
  [
    { kind: 'models-found', models, without: [{ role: 'chat', refused: ['a'] }], total: 1, given: 'a' },
    'no answer shows what --model a serves; a refused the trial for chat for another reason, which the run shows',
  ],
  [
    { kind: 'models-not-in-reference', models: ['a', 'b', 'c', 'd'], offered: ['chat-large', 'tts-1'] },
    'the client asked for a, b, c and 1 more, and the reference that answered has models with other names: --base-url URL lets your service answer, or name one of chat-large, tts-1',
  ],
  [
    { kind: 'claim-not-offered', names: ['images'], status: 404, offered: ['chat', 'models'] },
    'the target does not offer images, which the claim names: it answers 404, as to a path that no service has. Implement it, or take it out of --claim, ASSAY_CLAIM or "claim" in the configuration: the target offers chat, models',
  ],
  [
    {
      kind: 'errors-at-random',
      requests: 2,
      statuses: [500, 502],
      operations: ['createRun', 'listFiles'],
      exchanges: ['e3', 'e9'],
    },
    'the target answered 500 or 502 to 2 requests of createRun, listFiles, but not when they were sent again (e3, e9): a client that does not retry them fails',
  ],
  [
    { kind: 'answers-disturbed', answers: 1 },
    '1 answer was changed by --disturb: the original responses are unknown and not judged',
  ],
  [
    { kind: 'marks-not-believed', answers: 2 },
    '2 answers with the header field x-assay-disturbed or x-assay-created-before were judged like any other, because any service can send it. If assay serve or replay --disturb answered, give --disturbed to the command that recorded the traffic, or to check',
  ],
  [
    { kind: 'answers-too-long', answers: 2 },
    '2 answers are too long to be judged, and ignored as evidence: more bytes or events than assay reads, or an event of 16 MiB or more, or of more than 500,000 lines',
  ],
])('%j reads: %s', ([hint, words]) => {
  expect(hintWords(hint)).toBe(words);
});
