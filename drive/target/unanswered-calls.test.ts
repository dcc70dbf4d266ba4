import { expect, test } from 'vitest';
import { UnansweredCalls } from './unanswered-calls.ts';

test('calls that got no response since the last response arrived are listed, invalid requests first', () => {
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

test('only calls in flight when the target first closed a connection are listed, and none to a closed port', () => {
  const calls = new UnansweredCalls();
  const begin = (exchange: string) => calls.begin({ method: 'POST', path: '/v1/files', exchange });
  const [deadly, concurrent, connecting] = [begin('e1'), begin('e2'), begin('e3')];
  deadly('closed');
  const [later, last] = [begin('e4'), begin('e5')];
  concurrent('closed');
  connecting('refused');
  later('closed');
  expect(calls.list().map(({ exchange }) => exchange)).toEqual(['e1', 'e2']);
  last('refused');
  begin('e6')('answered');
  begin('e7')('closed');
  expect(calls.list().map(({ exchange }) => exchange)).toEqual(['e7']);
});
