import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { runsAdditionalInstructionsAppended } from './instructions.requirements.ts';
import { runsCreateNeedsAssistant } from './streams.requirements.ts';
import { messageRun, runObject } from './testing/run-events.ts';

const toolsKept = requirementFromRow('runs.overrides.tools');
const temperatureDefault = requirementFromRow('runs.defaults.temperature');
const modelInherited = requirementFromRow('runs.assistant.model');
const metadataKept = requirementFromRow('runs.overrides.metadata');
const thread = { path: { thread_id: 'thread_1' } };
const beta = 'assistants=v2';

function createAssistantTrace(fields: Readonly<Record<string, Json>> = {}): TraceBuilder {
  const trace = new TraceBuilder();
  const json = { id: 'asst_1', model: 'chat-1', instructions: 'Be brief.', temperature: 1, ...fields };
  trace.add('createAssistant', { body: { model: 'chat-1' }, beta }, { json });
  return trace;
}

const plainRequest = { ...thread, body: { assistant_id: 'asst_1' }, beta };

test('a run must have the model of its assistant only if its request sets none', () => {
  const trace = createAssistantTrace();
  trace.add('createRun', plainRequest, { json: runObject('queued', { model: 'other' }) });
  expect(judgeRequirement(modelInherited, trace.exchanges).violations).toMatchObject([
    { at: '/model', actual: 'other' },
  ]);
  const withModel = { ...thread, body: { assistant_id: 'asst_1', model: 'other' }, beta };
  trace.add('createRun', withModel, { json: runObject('queued', { model: 'other' }) });
  expect(judgeRequirement(modelInherited, trace.exchanges).observations).toBe(1);
});

test('an assistant that is modified in the meantime shows nothing about a run', () => {
  const trace = createAssistantTrace();
  trace.add('createRun', plainRequest, { json: runObject('queued', { model: 'other' }) });
  const change = { path: { assistant_id: 'asst_1' }, body: { model: 'other' }, beta, after: 1 };
  trace.add('modifyAssistant', change, { json: { id: 'asst_1', model: 'other' } });
  expect(judgeRequirement(modelInherited, trace.exchanges).observations).toBe(0);
});

test('a run of an assistant with its own temperature may have either that or the default', () => {
  const trace = createAssistantTrace({ temperature: 0.5 });
  trace.add('createRun', plainRequest, { json: runObject('queued', { temperature: 0.5 }) });
  trace.add('createRun', plainRequest, { json: runObject('queued', { temperature: 1 }) });
  expect(judgeRequirement(temperatureDefault, trace.exchanges).observations).toBe(0);
});

test.each([
  ['Be brief.\nUse capitals.', 1, 0],
  ['Be brief. Use capitals.', 1, 0],
  ['Be brief.', 0, 0],
  ['Use capitals.', 1, 1],
  ['Use capitals.\nBe brief.', 1, 1],
])(
  'additional instructions reported as %j give %i observations and %i violations',
  (instructions, expectedObservations, expectedViolations) => {
    const trace = createAssistantTrace();
    const body = { assistant_id: 'asst_1', additional_instructions: 'Use capitals.' };
    trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued', { instructions }) });
    const { observations, violations } = judgeRequirement(
      runsAdditionalInstructionsAppended,
      trace.exchanges,
    );
    expect([observations, violations.length]).toEqual([expectedObservations, expectedViolations]);
  },
);

test('a run may show more of a tool than its request, but must show every tool', () => {
  const trace = new TraceBuilder();
  const tool = { type: 'function', function: { name: 'look', description: null } };
  const more = { type: 'function', function: { name: 'look', strict: false, parameters: {} } };
  const request = {
    ...thread,
    body: { assistant_id: 'asst_1', tools: [tool, { type: 'file_search' }] },
    beta,
  };
  const search = { type: 'file_search', file_search: { max_num_results: 20 } };
  trace.add('createRun', request, { json: runObject('queued', { tools: [more, search] }) });
  expect(judgeRequirement(toolsKept, trace.exchanges)).toEqual({ observations: 1, violations: [] });
  trace.add('createRun', request, { json: runObject('queued', { tools: [more] }) });
  expect(judgeRequirement(toolsKept, trace.exchanges).violations).toHaveLength(1);
});

test('metadata of a run may change while it is in progress', () => {
  const trace = new TraceBuilder();
  const metadata = { made_by: 'me' };
  const events = messageRun
    .slice(1)
    .map(({ event, data }, i) =>
      event.startsWith('thread.run.') && !event.includes('step')
        ? { event, data: { ...Object(data), metadata: i < 2 ? metadata : {} } }
        : { event, data },
    );
  const body = { assistant_id: 'asst_1', metadata, stream: true };
  trace.add('createRun', { ...thread, body, beta }, { events });
  expect(judgeRequirement(metadataKept, trace.exchanges)).toEqual({ observations: 1, violations: [] });
});

test('a completed run of an unknown assistant is a violation of its status, or of the event that completes it', () => {
  const places = [
    { json: runObject('completed') },
    {
      events: [
        { event: 'thread.run.created', data: runObject('queued') },
        { event: 'thread.run.completed', data: runObject('completed') },
      ],
    },
  ].map((response, i) => {
    const trace = new TraceBuilder();
    const body = { assistant_id: 'asst_none', stream: i > 0 };
    const probe = {
      id: 'p1',
      operation: 'createRun',
      pointer: 'body.assistant_id',
      keyword: 'unknown',
      side: 'violation',
      control: 'p0',
    } as const;
    trace.add('createRun', { body, probe }, response);
    return judgeRequirement(runsCreateNeedsAssistant, trace.exchanges).violations.map(({ at }) => at);
  });
  expect(places).toEqual([['/status'], ['event 2']]);
});
