import { expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { Body } from '../exchange/http/body.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { hintWords } from '../reports/words/hint.ts';
import { RejectedConfiguration } from './rejected-configuration.ts';

const header = { ...traceHeader(), models: { chat: 'small', vision: 'small', completion: 'other' } };

function createExchange(id: string, model: string, status: number, error: object = {}): Exchange {
  return {
    id,
    after: 0,
    ended: 1,
    scenario: null,
    probe: null,
    request: {
      method: 'POST',
      target: '/v1/chat/completions',
      headers: [['content-type', 'application/json']],
      body: Body.from(JSON.stringify({ model })),
    },
    response: {
      status,
      reason: '',
      headers: [['content-type', 'application/json']],
      body: Body.from(JSON.stringify({ error })),
      trailers: [],
      pieces: [],
    },
    end: { how: 'complete', detail: null, at: 0 },
  };
}

function blockedBy(...exchanges: readonly string[]): Judgement {
  return {
    requirements: [],
    errata: [],
    choices: [],
    operations: [],
    blockers: exchanges.map((id) => ({
      exchange: id,
      obstacle: { kind: 'answered', method: 'POST', path: '/v1/chat/completions', status: 404 },
      requirements: 1,
    })),
    stopReason: 'completed',
    stop: null,
    hints: [],
    states: [],
    cost: { requests: 0, bytes: 0, tokens: 0 },
  };
}

const notFound = { code: 'model_not_found' };

function listHints(exchanges: readonly Exchange[], ...blockers: readonly string[]): readonly string[] {
  const configuration = new RejectedConfiguration(header);
  for (const exchange of exchanges) configuration.feed(exchange);
  return configuration.hints(blockedBy(...blockers)).map(hintWords);
}

function isBlamedBy(message: string, model: string): boolean {
  const configuration = new RejectedConfiguration({ ...header, models: { chat: model } });
  configuration.feed(createExchange('e1', model, 400, { message }));
  return configuration.hints(blockedBy('e1')).length > 0;
}

test('a model with which every request was refused is named with all its roles', () => {
  expect(listHints([createExchange('e1', 'small', 404, notFound)], 'e1')).toEqual([
    'every request with the model small was refused (404 model_not_found): is --model chat=small --model vision=small right?',
  ]);
});

test.for([
  [
    'with which a request succeeded before',
    [createExchange('e1', 'small', 200), createExchange('e2', 'small', 404, notFound)],
  ],
  [
    'with which a request succeeded afterwards',
    [createExchange('e2', 'small', 404, notFound), createExchange('e3', 'small', 200)],
  ],
  ['that was not configured', [createExchange('e2', 'strange', 404, notFound)]],
  ['that was refused for another reason', [createExchange('e2', 'small', 400, { message: 'too long' })]],
  [
    'whose name is only part of another word',
    [createExchange('e2', 'small', 400, { message: 'v1/small is busy' })],
  ],
] as const)('a model %s is not suspected', ([, exchanges]) => {
  expect(listHints(exchanges, 'e2')).toEqual([]);
});

test('a message blames a model that it names as a whole word, whatever characters the name has', () => {
  expect(isBlamedBy('no model a.b(c) here', 'a.b(c)')).toBe(true);
  expect(isBlamedBy('no model a-b here', 'a.b')).toBe(false);
  expect(isBlamedBy('the text is too long', 'o')).toBe(false);
});

test('a refusal that no verdict cites gives no hint', () => {
  expect(listHints([createExchange('e1', 'small', 404, notFound)], 'e9')).toEqual([]);
});
