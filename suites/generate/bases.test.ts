import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { answerOf } from '../../drive/answer.ts';
import type { Answer, Stage } from '../../drive/scenario.ts';
import { Body } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { probeRuleId } from '../../judge/probe/constraints.ts';
import type { Base } from './base.ts';
import { probesOf } from './probes.ts';
import { constraintsFor, isLeft } from './scenarios.ts';

const suites = dirname(dirname(fileURLToPath(import.meta.url)));

async function bases(family: string): Promise<readonly Base[]> {
  // as: what a family exports there; the filter looks at each value
  const module = (await import(pathToFileURL(join(suites, family, 'base.ts')).href)) as Record<
    string,
    unknown
  >;
  return Object.values(module).filter(
    (value): value is Base => typeof value === 'object' && value !== null && 'ready' in value,
  );
}

/** A stage whose target has made whatever was asked for. */
const stage: Stage = {
  tag: 'assay-test',
  model: (role) => `a-${role}`,
  unknownId: (prefix) => `${prefix}nobody`,
  call: async (operation) => made(operation),
  need: async (operation) => made(operation),
  poll: async (operation) => made(operation),
};

function made(operation: string): Answer {
  const answer = { id: `id_of_${operation}`, status: 'completed', data: [{ id: `id_of_${operation}` }] };
  const response = {
    status: 200,
    reason: 'OK',
    headers: [],
    trailers: [],
    pieces: [],
    body: Body.of(JSON.stringify(answer)),
  };
  const request = { method: 'GET', target: '/v1', headers: [], body: Body.empty };
  const end = { how: 'complete', detail: null, at: 1 } as const;
  const exchange: Exchange = {
    id: 'e1',
    after: 0,
    ended: 1,
    scenario: null,
    probe: null,
    request,
    response,
    end,
  };
  return answerOf(exchange);
}

const families = readdirSync(suites, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[\w-]+\/base\.ts$/.test(file) && !file.startsWith('generate'))
  .map((file) => dirname(file));

describe('a family shows every side of every constraint of its requests, or says why not', () => {
  test.each(families)('%s', async (family) => {
    const declared = await bases(family);
    const missing: string[] = [];
    for (const base of declared) {
      const ready = await base.ready(stage);
      for (const constraint of constraintsFor(base, declared)) {
        const planned = probesOf(constraint, base, ready, stage);
        for (const side of constraint.sides) {
          const wanted = side === 'accepted' ? 'valid' : 'violation';
          const shown = planned.some(({ probe }) => probe.side === wanted);
          if (!shown && !isLeft(base, constraint, side)) missing.push(probeRuleId(constraint, side));
        }
      }
    }
    expect(missing).toEqual([]);
  });

  test.each(families)('%s leaves nothing out in vain', async (family) => {
    const declared = await bases(family);
    for (const base of declared) {
      for (const glob of Object.keys(base.leave ?? {})) {
        const alone: Base = { ...base, leave: { [glob]: '' } };
        const left = constraintsFor(base, declared).filter((constraint) =>
          constraint.sides.some((side) => isLeft(alone, constraint, side)),
        );
        expect({ glob, matches: left.length > 0 }).toEqual({ glob, matches: true });
      }
    }
  });
});
