import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { batchLine, uploadFlawed, uploadSample, uploadTable } from '../files/samples.ts';
import { invalidFileCall } from '../generate/invalid-files.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import { createdResource } from '../generate/resources.ts';
import { jsonLines } from '../generate/sample-files.ts';
import type { Json } from '../vocabulary/types.ts';
import {
  batchBody,
  CHAT,
  COMPLETIONS,
  chatLines,
  completionLines,
  createSampleBatch,
  finishBatch,
  isBatchOver,
  isValidated,
  readBatchFiles,
  rejectedLine,
  uploadBatchInput,
} from './samples.ts';

const resource = createdResource('batches');

export const listPaging = listScenarios({
  operation: 'listBatches',
  cost: ['batches'],
  roles: ['chat'],
  element: createSampleBatch,
});

const traits = { family: 'batches', cost: ['batches'], roles: ['chat'] } as const;

export const lifecycle = lifecycleScenario({
  resource,
  roles: ['chat'],
  bodies: async (context) => {
    const file = await uploadBatchInput(context, chatLines(context));
    const { metadata: _, ...bare } = batchBody(context, file);
    return [
      bare,
      { ...bare, metadata: { made_by: context.tag, purpose: '一瞥, 🎉, e\u0301' } },
      { ...bare, metadata: null },
    ];
  },
});

/** Runs a batch of valid requests to its end, then tries to cancel it. */
export const batchesCompletedScenario = scenario({
  ...traits,
  name: 'batches.completed',
  operations: ['createBatch', 'retrieveBatch'],
  run: async (context) => {
    await finishBatch(context, batchBody(context, await uploadBatchInput(context, chatLines(context))));
  },
});

export const batchesCompletionsScenario = scenario({
  ...traits,
  name: 'batches.completions',
  operations: ['createBatch', 'retrieveBatch'],
  roles: ['completion'],
  run: async (context) => {
    await finishBatch(
      context,
      batchBody(context, await uploadBatchInput(context, completionLines(context)), COMPLETIONS),
    );
  },
});

/** Runs valid requests and one that its endpoint rejects. */
export const batchesMixedScenario = scenario({
  ...traits,
  name: 'batches.mixed',
  operations: ['createBatch', 'retrieveBatch'],
  run: async (context) => {
    const lines = [...chatLines(context), rejectedLine(context, 'refused')];
    await finishBatch(context, batchBody(context, await uploadBatchInput(context, lines)));
    await context.call('listBatches', { query: { limit: 100 } });
  },
});

/**
 * Cancels one batch at once and one in progress, retrieves both until they have ended, and the files that they name.
 */
export const batchesCancelledScenario = scenario({
  ...traits,
  name: 'batches.cancelled',
  operations: ['createBatch', 'cancelBatch', 'retrieveBatch'],
  run: async (context) => {
    for (const atOnce of [true, false]) {
      const path = { batch_id: await createSampleBatch(context) };
      if (!atOnce) await context.poll('retrieveBatch', { path }, isValidated);
      await context.call('cancelBatch', { path });
      await context.call('cancelBatch', { path });
      const ended = await context.poll('retrieveBatch', { path }, isBatchOver);
      await context.call('cancelBatch', { path });
      await readBatchFiles(context, ended.json);
    }
    await context.call('listBatches', { query: { limit: 100 } });
  },
});

/** Invalid inputs: files with another purpose, and lines that violate a rule of the format. */
export const invalidFiles = scenario({
  ...traits,
  name: 'batches.misfits',
  operations: ['createBatch', 'retrieveBatch'],
  run: async (context) => {
    await finishBatch(context, batchBody(context, await uploadSample(context, 'fine-tune')));
    const unknown = batchBody(context, context.unknownId('file-'));
    await finishBatch(context, unknown, invalidFileCall('createBatch', 'input_file_id', 'unknown'));
    for (const [flaw, file] of invalidInputs(context)) {
      const id = await uploadFlawed(context, 'batch', file);
      if (id === null) continue;
      await finishBatch(
        context,
        batchBody(context, id),
        invalidFileCall('createBatch', 'input_file_id', flaw),
      );
    }
    // The requests are valid: only the purpose is wrong.
    await finishBatch(
      context,
      batchBody(context, await uploadBatchInput(context, chatLines(context), 'assistants')),
    );
    await context.call('listBatches', { query: { limit: 100 } });
  },
});

/**
 * Sends one request too many, and requests whose total size is too large. Whether a megabyte has a million bytes is left open.
 */
export const batchesLargeScenario = scenario({
  ...traits,
  name: 'batches.large',
  operations: ['createBatch', 'retrieveBatch'],
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

/** A request larger than a megabyte under either definition. */
function longLine(custom_id: string, model: string): Json {
  const body = { model, messages: [{ role: 'user', content: 'a'.repeat(1 << 20) }], max_tokens: 1 };
  return { custom_id, method: 'POST', url: CHAT, body };
}

/** Input files that each violate one rule. */
function invalidInputs(context: ScenarioContext) {
  const model = context.model('chat');
  const [good, more] = [batchLine('first', model), batchLine('second', model)];
  const [other = null] = completionLines(context);
  const lines = (...all: readonly Json[]) => jsonLines(`${context.tag}.jsonl`, all);
  return [
    ['format', uploadTable(context.tag)],
    ['uniqueItems', lines(good, good)],
    ...['custom_id', 'method', 'url', 'body'].map(
      (field) => ['fields', lines(good, withoutField(more, field))] as const,
    ),
    ['fields', lines(good, { ...more, custom_id: 7 })],
    ['fields', lines(good, { ...more, body: 'a text' })],
    ['method', lines(good, { ...more, method: 'GET' })],
    ['url', lines(good, { ...more, url: '/v1/models' })],
    ['endpoint', lines(good, other)],
  ] as const;
}

function withoutField(line: Readonly<Record<string, Json>>, field: string): Json {
  const { [field]: _, ...rest } = line;
  return rest;
}
