import { expect, test } from 'vitest';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { withoutLabel, withRequestHeader } from '../mutations/requests.ts';
import { equivalentRequestMutants } from './equivalent-requests.ts';

test('a change of the authentication scheme changes only requests that have the scheme', () => {
  const exchange = withoutLabel(new TraceBuilder().add('listModels', {}, { json: {} }));
  const withKey = withRequestHeader(exchange, 'authorization', 'Bearer key');
  const withoutKey = withRequestHeader(exchange, 'authorization', null);
  const mutants = equivalentRequestMutants('openai-beta');
  const mutant = mutants.find(({ name }) => name === 'the authentication scheme in lower case');
  const changed = mutant?.apply([withKey, withoutKey]);
  expect(changed?.[0]).toEqual(withRequestHeader(exchange, 'authorization', 'bearer key'));
  expect(changed?.[1]).toBe(withoutKey);
});
