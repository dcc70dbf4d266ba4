import { expect, test } from 'vitest';
import { UnansweredCalls } from './run-session.ts';

test('names the calls without a response since the last one, invalid requests first', () => {
  const calls = new UnansweredCalls();
  const begin = (exchange: string, invalid?: true) =>
    calls.begin({ method: 'POST', path: '/v1/files', exchange, ...(invalid && { invalid }) });
  const [answered, silent, invalid] = [begin('e1'), begin('e2'), begin('e3', true)];
  begin('e4');
  begin('e0')('silent');
  answered('answered');
  silent('silent');
  invalid('silent');
  expect(calls.list().map(({ exchange }) => exchange)).toEqual(['e3', 'e2', 'e4']);
  expect(calls.list()[0]).toEqual({ method: 'POST', path: '/v1/files', exchange: 'e3', invalid: true });
});
