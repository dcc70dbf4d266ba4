import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { OpenVocabulary } from './open-vocabulary.ts';

test('an unlisted field is named by its path, without indexes and escapes', () => {
  const call = Call.from(new TraceBuilder().add('createChatCompletion', { body: {} }), 'Vendor-Beta');
  if (call === null) throw new Error('no call');
  const vocabulary = new OpenVocabulary(['fields']);
  vocabulary.recordPermitted(call, { violations: [], unlisted: ['/messages/0/a~1b'] }, 'server');
  expect(vocabulary.verdicts().map(({ taken }) => taken)).toEqual([['accepts `messages[].a/b`']]);
});
