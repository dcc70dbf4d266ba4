import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import type { Json } from '../../exchange/http/body.ts';
import { batchLine, uploadFlawed, uploadSample, uploadTable } from '../files/samples.ts';
import { invalidFileCall } from '../generate/files/invalid-files.ts';
import { jsonLines } from '../generate/files/sample-files.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { authenticationScenarios } from '../generate/probes/authentication.ts';
import { probeScenarios } from '../generate/probes/scenarios.ts';
import { lifecycleScenario } from '../generate/relations/lifecycle.ts';
import * as bases from './base.ts';
import { batchResource as resource } from './resources.ts';
import {
  batchBody,
  CHAT,
  COMPLETIONS,
  chatLines,
  completionLines,
  createSampleBatch,
  finishBatch,
  isBatchOver,
  refusedLine,
  uploadBatchInput,
} from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const authentication = authenticationScenarios(Object.values(bases));

export const listPaging = listScenarios({
  operation: 'listBatches',
  cost: ['batches'],
  roles: ['chat'],
  element: createSampleBatch,
});

const traits = { family: 'batches', cost: ['batches'], roles: ['chat'] } as const;

export const lifecycle = lifecycleScenario({
  resource,
  shows: ['metadata:*'],
  roles: ['chat'],
  bodies: async (context) => {
    const file = await uploadBatchInput(context, chatLines(context));
    const { metadata: _, ...bare } = batchBody(context, file);
    return [
      bare,
      { ...bare, metadata: { made_by: context.tag, purpose: 'a look' } },
      { ...bare, metadata: null },
    ];
  },
});

/** A batch to its end, in which all goes well; then it is over, and can be cancelled no more. */
export const batchesCompletedScenario = scenario({
  ...traits,
  name: 'batches.completed',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batch:*', 'batches.create.*', 'batches.results.*', 'batches.status.*', 'batches.completed.*'],
  run: async (context) => {
    await finishBatch(context, batchBody(context, await uploadBatchInput(context, chatLines(context))));
  },
});

export const batchesCompletionsScenario = scenario({
  ...traits,
  name: 'batches.completions',
  operations: ['createBatch', 'retrieveBatch'],
  roles: ['completion'],
  shows: ['batches.results.*'],
  run: async (context) => {
    await finishBatch(
      context,
      batchBody(context, await uploadBatchInput(context, completionLines(context)), COMPLETIONS),
    );
  },
});

/** Some requests that go well, and one that its endpoint turns down. */
export const batchesMixedScenario = scenario({
  ...traits,
  name: 'batches.mixed',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batches.results.*', 'batches.error-line.*'],
  run: async (context) => {
    const lines = [...chatLines(context), refusedLine(context, 'refused')];
    await finishBatch(context, batchBody(context, await uploadBatchInput(context, lines)));
  },
});

/** A batch that is cancelled at once, and one that is cancelled on its way; then both are looked at until they are over. */
export const batchesCancelledScenario = scenario({
  ...traits,
  name: 'batches.cancelled',
  operations: ['createBatch', 'cancelBatch', 'retrieveBatch'],
  shows: ['batch:*', 'batches.cancel.*', 'batches.status.*', 'cancelBatch:answer#*'],
  run: async (context) => {
    for (const looks of [0, 1]) {
      const path = { batch_id: await createSampleBatch(context) };
      for (let i = 0; i < looks; i++) await context.call('retrieveBatch', { path });
      await context.call('cancelBatch', { path });
      await context.call('cancelBatch', { path });
      await context.poll('retrieveBatch', { path }, isBatchOver);
      await context.call('cancelBatch', { path });
    }
  },
});

/** Inputs that are none: files with another purpose, and lines that break a rule of the format. */
export const invalidFiles = scenario({
  ...traits,
  name: 'batches.misfits',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batches.input.*', 'batches.errors.*'],
  run: async (context) => {
    await finishBatch(context, batchBody(context, await uploadSample(context, 'fine-tune')));
    const unknown = batchBody(context, context.unknownId('file-'));
    await finishBatch(context, unknown, invalidFileCall('createBatch', 'input_file_id', 'unknown'));
    for (const [flaw, file] of flawed(context)) {
      const id = await uploadFlawed(context, 'batch', file);
      if (id === null) continue;
      await finishBatch(
        context,
        batchBody(context, id),
        invalidFileCall('createBatch', 'input_file_id', flaw),
      );
    }
    // Good requests, so that nothing but the purpose is wrong.
    await finishBatch(
      context,
      batchBody(context, await uploadBatchInput(context, chatLines(context), 'assistants')),
    );
  },
});

/** One request too many; and few that are too long together: whether a megabyte has a million bytes is left open. */
export const batchesLargeScenario = scenario({
  ...traits,
  name: 'batches.large',
  operations: ['createBatch', 'retrieveBatch'],
  shows: ['batches.input.most-*'],
  cost: ['batches', 'large'],
  run: async (context) => {
    const model = context.model('chat');
    const many = Array.from({ length: 50_001 }, (_, i) => batchLine(`${i}`, model));
    const long = Array.from({ length: 101 }, (_, i) => longLine(`${i}`, model));
    for (const [lines, keyword] of [
      [many, 'maxLines'],
      [long, 'maxBytes'],
    ] as const) {
      const body = batchBody(context, await uploadBatchInput(context, lines));
      await finishBatch(context, body, invalidFileCall('createBatch', 'input_file_id', keyword));
    }
  },
});

/** A request of more than a megabyte, however that is counted. */
function longLine(custom_id: string, model: string): Json {
  const body = { model, messages: [{ role: 'user', content: 'a'.repeat(1 << 20) }], max_tokens: 1 };
  return { custom_id, method: 'POST', url: CHAT, body };
}

/** Files each of which breaks one rule of what a batch takes. */
function flawed(context: ScenarioContext) {
  const model = context.model('chat');
  const [good, more] = [batchLine('first', model), batchLine('second', model)];
  const [other = null] = completionLines(context);
  const lines = (...all: readonly Json[]) => jsonLines(`${context.tag}.jsonl`, all);
  return [
    ['format', uploadTable(context.tag)],
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
