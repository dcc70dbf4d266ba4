import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { batchLine, tableFile, uploadFlawed, uploadSample } from '../files/samples.ts';
import { violationLabel } from '../generate/rule-probes.ts';
import { jsonLines } from '../generate/sample-files.ts';
import { removeValue } from '../vocabulary/changes.ts';
import type { Json } from '../vocabulary/types.ts';
import { batchBody, COMPLETIONS, chatLines, runBatch, uploadBatchInput } from './samples.ts';

const traits = { family: 'batches', cost: ['batches'], roles: ['chat'] } as const;

export const batchesMisfitsScenario = scenario({
  ...traits,
  name: 'batches.misfits',
  optionalRoles: ['completion'],
  operations: ['createBatch', 'retrieveBatch'],
  run: async (context) => {
    await runBatch(context, batchBody(context, await uploadSample(context, 'fine-tune')));
    const unknown = batchBody(context, context.unknownId('file-'));
    await runBatch(context, unknown, violationLabel('createBatch', 'body.input_file_id#unknown'));
    for (const [flaw, file] of invalidInputs(context)) {
      const id = await uploadFlawed(context, 'batch', file);
      if (id === null) continue;
      await runBatch(
        context,
        batchBody(context, id),
        violationLabel('createBatch', `body.input_file_id#${flaw}`),
      );
    }
    // The requests in the file are valid; only its purpose is wrong.
    await runBatch(
      context,
      batchBody(context, await uploadBatchInput(context, chatLines(context), 'assistants')),
    );
    await context.call('listBatches', { query: { limit: 100 } });
  },
});

/** Exceeds the maximum number of requests, and then the maximum size under both definitions of a megabyte. */
export const batchesLargeScenario = scenario({
  ...traits,
  name: 'batches.large',
  operations: ['createBatch', 'retrieveBatch'],
  cost: ['batches', 'large'],
  run: async (context) => {
    const model = context.model('chat');
    const tooManyLines = Array.from({ length: 50_001 }, (_, i) => batchLine(`${i}`, model));
    const tooManyBytes = Array.from({ length: 101 }, (_, i) => longLine(`${i}`, model));
    for (const [lines, keyword] of [
      [tooManyLines, 'maxLines'],
      [tooManyBytes, 'maxBytes'],
    ] as const) {
      const body = batchBody(context, await uploadBatchInput(context, lines));
      await runBatch(context, body, violationLabel('createBatch', `body.input_file_id#${keyword}`));
    }
  },
});

function longLine(id: string, model: string): Json {
  const messages = [{ role: 'user', content: 'a'.repeat(1 << 20) }];
  return batchLine(id, model, { messages, max_tokens: 1 });
}

function invalidInputs(context: ScenarioContext) {
  const model = context.model('chat');
  const [first, second] = [batchLine('first', model), batchLine('second', model)];
  // Any model will do if the target serves no completions: only the endpoint of the line is wrong.
  const body = { model, prompt: 'Say assay.', max_tokens: 4, ...context.modelField('completion') };
  const completion = { custom_id: 'second', method: 'POST', url: COMPLETIONS, body };
  const lines = (...requests: readonly Json[]) => jsonLines(`${context.tag}.jsonl`, requests);
  return [
    ['format', tableFile(context.tag)],
    ['uniqueItems', lines(first, first)],
    ...['custom_id', 'method', 'url', 'body'].map(
      (field) => ['fields', lines(first, removeValue(`/${field}`)(second))] as const,
    ),
    ['fields', lines(first, { ...second, custom_id: 7 })],
    ['fields', lines(first, { ...second, body: 'a text' })],
    ['method', lines(first, { ...second, method: 'GET' })],
    ['url', lines(first, { ...second, url: '/v1/models' })],
    ['endpoint', lines(first, completion)],
  ] as const;
}
