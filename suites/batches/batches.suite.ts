import { type Stage, scenario } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { batchLine, offered, table, uploaded } from '../files/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import { jsonl } from '../generate/files.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { misfit } from '../generate/misfits.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { batch as resource } from './resources.ts';
import {
  batch,
  bodyOf,
  CHAT,
  COMPLETIONS,
  chatLines,
  completionLines,
  finished,
  input,
  isOver,
  refusedLine,
} from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

export const lists = listScenarios({
  operation: 'listBatches',
  cost: ['batches'],
  roles: ['chat'],
  element: batch,
});

const traits = { family: 'batches', cost: ['batches'], roles: ['chat'] } as const;

export const life = lifeScenario({
  resource,
  shows: ['metadata:*'],
  roles: ['chat'],
  bodies: async (stage) => {
    const file = await input(stage, chatLines(stage));
    const { metadata: _, ...bare } = bodyOf(stage, file);
    return [
      bare,
      { ...bare, metadata: { made_by: stage.tag, purpose: 'a look' } },
      { ...bare, metadata: null },
    ];
  },
});

/** A batch to its end, in which all goes well; then it is over, and can be cancelled no more. */
export const completed = scenario({
  ...traits,
  name: 'batches.completed',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batch:*', 'batches.create.*', 'batches.results.*', 'batches.status.*', 'batches.completed.*'],
  run: async (stage) => {
    await finished(stage, bodyOf(stage, await input(stage, chatLines(stage))));
  },
});

export const completions = scenario({
  ...traits,
  name: 'batches.completions',
  operations: ['createBatch', 'retrieveBatch'],
  roles: ['completion'],
  shows: ['batches.results.*'],
  run: async (stage) => {
    await finished(stage, bodyOf(stage, await input(stage, completionLines(stage)), COMPLETIONS));
  },
});

/** Some requests that go well, and one that its endpoint turns down. */
export const mixed = scenario({
  ...traits,
  name: 'batches.mixed',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batches.results.*', 'batches.error-line.*'],
  run: async (stage) => {
    const lines = [...chatLines(stage), refusedLine(stage, 'refused')];
    await finished(stage, bodyOf(stage, await input(stage, lines)));
  },
});

/** A batch that is cancelled at once, and one that is cancelled on its way; then both are looked at until they are over. */
export const cancelled = scenario({
  ...traits,
  name: 'batches.cancelled',
  operations: ['createBatch', 'cancelBatch', 'retrieveBatch'],
  shows: ['batch:*', 'batches.cancel.*', 'batches.status.*', 'cancelBatch:answer#*'],
  run: async (stage) => {
    for (const looks of [0, 1]) {
      const path = { batch_id: await batch(stage) };
      for (let i = 0; i < looks; i++) await stage.call('retrieveBatch', { path });
      await stage.call('cancelBatch', { path });
      await stage.call('cancelBatch', { path });
      await stage.poll('retrieveBatch', { path }, isOver);
      await stage.call('cancelBatch', { path });
    }
  },
});

/** Inputs that are none: files with another purpose, and lines that break a rule of the format. */
export const misfits = scenario({
  ...traits,
  name: 'batches.misfits',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batches.input.*', 'batches.errors.*'],
  run: async (stage) => {
    await finished(stage, bodyOf(stage, await uploaded(stage, 'fine-tune')));
    const unknown = bodyOf(stage, stage.unknownId('file-'));
    await finished(stage, unknown, misfit('createBatch', 'input_file_id', 'unknown'));
    for (const [flaw, file] of flawed(stage)) {
      const id = await offered(stage, 'batch', file);
      if (id === null) continue;
      await finished(stage, bodyOf(stage, id), misfit('createBatch', 'input_file_id', flaw));
    }
    // Good requests, so that nothing but the purpose is wrong.
    await finished(stage, bodyOf(stage, await input(stage, chatLines(stage), 'assistants')));
  },
});

/** One request too many; and few that are too long together: whether a megabyte has a million bytes is left open. */
export const large = scenario({
  ...traits,
  name: 'batches.large',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batches.input.most-*'],
  cost: ['batches', 'large'],
  run: async (stage) => {
    const model = stage.model('chat');
    const many = Array.from({ length: 50_001 }, (_, i) => batchLine(`${i}`, model));
    const long = Array.from({ length: 101 }, (_, i) => longLine(`${i}`, model));
    for (const [lines, keyword] of [
      [many, 'maxLines'],
      [long, 'maxBytes'],
    ] as const) {
      const body = bodyOf(stage, await input(stage, lines));
      await finished(stage, body, misfit('createBatch', 'input_file_id', keyword));
    }
  },
});

/** A request of more than a megabyte, however that is counted. */
function longLine(custom_id: string, model: string): Json {
  const body = { model, messages: [{ role: 'user', content: 'a'.repeat(1 << 20) }], max_tokens: 1 };
  return { custom_id, method: 'POST', url: CHAT, body };
}

/** Files each of which breaks one rule of what a batch takes. */
function flawed(stage: Stage) {
  const model = stage.model('chat');
  const [good, more] = [batchLine('first', model), batchLine('second', model)];
  const [other = null] = completionLines(stage);
  const lines = (...all: readonly Json[]) => jsonl(`${stage.tag}.jsonl`, all);
  return [
    ['format', table(stage.tag)],
    ['uniqueItems', lines(good, good)],
    ...['custom_id', 'method', 'url', 'body'].map(
      (field) => ['fields', lines(good, without(more, field))] as const,
    ),
    ['method', lines(good, { ...more, method: 'GET' })],
    ['url', lines(good, { ...more, url: '/v1/models' })],
    ['endpoint', lines(good, other)],
  ] as const;
}

function without(line: Readonly<Record<string, Json>>, field: string): Json {
  const { [field]: _, ...rest } = line;
  return rest;
}
