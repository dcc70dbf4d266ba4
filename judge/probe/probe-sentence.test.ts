import { expect, test } from 'vitest';
import { probeSentence } from './probe-sentence.ts';
import { constraintsOfOperation } from './request-constraints.ts';

test('the sentence about an unknown id names the nearest owner, if there is one', () => {
  const constraints = constraintsOfOperation('retrieveMessageFile').filter(
    ({ carrier }) => carrier === 'path',
  );
  expect(constraints.map((constraint) => probeSentence(constraint, 'rejected'))).toEqual([
    'retrieveMessageFile gives no 2xx for an unknown thread_id.',
    'retrieveMessageFile gives no 2xx for an unknown message_id, nor for one of another thread.',
    'retrieveMessageFile gives no 2xx for an unknown file_id, nor for one of another message.',
  ]);
});
