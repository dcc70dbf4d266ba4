import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import { markAsClientSide } from './client-side.ts';

test('a client evaluator receives only traffic of the client, and the number of earlier exchanges', () => {
  const received: unknown[] = [];
  const evaluator = {
    call: ({ exchange }: Call) => received.push(['call', exchange]),
    download: (exchange: Exchange) => received.push(['download', exchange]),
    context: ({ exchange }: Call) => received.push(['context', exchange]),
    outside: ({ exchange }: OutsideCall) => received.push(['outside', exchange]),
    next: (before?: number) => received.push(before),
    finish: () => received.push('finish'),
  };
  const set = markAsClientSide({ origin: 'request', requirements: [], open: () => evaluator });
  const wrapped = set.open({ header: { betaHeader: 'Vendor-Beta' } } as Parameters<typeof set.open>[0]); // as: only the header is read
  const fromClient = new TraceBuilder().add('listModels');
  for (const exchange of [fromClient, { ...fromClient, scenario: 'models.list' }]) {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call === null) throw new Error('no call');
    wrapped.call(call);
    wrapped.download?.(exchange);
    wrapped.context?.(call);
    wrapped.outside?.({ exchange } as OutsideCall); // as: only the exchange is read
  }
  wrapped.next?.(7);
  wrapped.finish();
  const kinds = ['call', 'download', 'context', 'outside'];
  expect(received).toEqual([...kinds.map((kind) => [kind, fromClient]), 7, 'finish']);
});
