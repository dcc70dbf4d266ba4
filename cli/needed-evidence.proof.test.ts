import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { judgeTrace } from '../explain/judge.ts';
import type { RequirementVerdict } from '../judge/verdict/verdict.ts';
import { openRecordedTraffic } from '../pipeline/traffic/recorded-traffic.ts';
import { withBody, withStatus } from '../proof/mutations/exchanges.ts';
import { causeWords } from '../reports/words/cause.ts';
import { catalogue } from '../suites/index.ts';
import {
  dropEvent,
  eventsWhere,
  inEveryResponse,
  inTurn,
  lastEvent,
  lastPicked,
  removeIn,
  setIn,
  setInEvent,
} from '../suites/vocabulary/changes.ts';
import { valueAtPath } from '../suites/vocabulary/json.ts';
import type { EventPicker, Mutation } from '../suites/vocabulary/types.ts';
import { runAssay } from './testing/run-assay.ts';

const CHAT = 'createChatCompletion';
const IMAGES = ['createImage', 'createImageEdit', 'createImageVariation'];
const RETRIEVE_JOB = 'retrieveFineTuningJob';

const lastChunk: EventPicker = lastPicked(eventsWhere((data) => valueAtPath(data, 'choices') !== undefined));
const usageChunk: EventPicker = eventsWhere((data) => (valueAtPath(data, 'usage') ?? null) !== null);

const CASES: readonly (readonly [id: string, edit: Mutation, reason: string, other: Mutation])[] = [
  [
    'chat.reply.id-unique',
    inTurn(
      removeIn(CHAT, '/id'),
      setInEvent(
        CHAT,
        eventsWhere(() => true),
        '/id',
        null,
      ),
    ),
    'none shows an answer or stream of createChatCompletion with an id',
    removeIn(CHAT, '/choices'),
  ],
  [
    'chat.tools.only-given-functions',
    setIn(CHAT, '/choices/*/message/tool_calls', []),
    'and with a call of a function',
    setIn(CHAT, '/choices', []),
  ],
  [
    'chat.reply.tokens-bounded',
    inTurn(removeIn(CHAT, '/usage'), setInEvent(CHAT, usageChunk, '/usage', null)),
    'and with a number as completion_tokens of its usage',
    setIn(CHAT, '/choices', []),
  ],
  [
    'chat.stream.nothing-after-done',
    dropEvent(CHAT, lastEvent),
    'none shows a stream with events of createChatCompletion, with [DONE]',
    dropEvent(CHAT, lastChunk),
  ],
  [
    'completions.text.tokens-bounded',
    inTurn(
      removeIn('createCompletion', '/usage'),
      setInEvent('createCompletion', usageChunk, '/usage', null),
    ),
    'and with a number as completion_tokens of its usage',
    setIn('createCompletion', '/choices', []),
  ],
  [
    'audio.speech.takes-time',
    inEveryResponse('createSpeech', (exchange) => withBody(exchange, 'no sound')),
    'and with a duration that can be read',
    inEveryResponse('createSpeech', (exchange) => withStatus(exchange, 500)),
  ],
  [
    'audio.verbose.ends-after-start',
    removeIn('createTranscription', '/words', '/segments'),
    'and with the times of a word or segment',
    removeIn('createTranscription', '/text'),
  ],
  [
    'batches.create.counts-from-zero',
    removeIn('createBatch', '/request_counts'),
    'none shows a 2xx answer of createBatch in JSON, with request_counts',
    removeIn('createBatch', '/metadata'),
  ],
  [
    'batches.cancel.tells-since-when',
    setIn('cancelBatch', '/status', 'cancelled'),
    'whose earlier answer has status "cancelling"',
    inEveryResponse('retrieveBatch', (exchange) => withStatus(exchange, 500)),
  ],
  [
    'batch:#cancelling-at-set',
    inTurn(setIn('cancelBatch', '/status', 'cancelled'), setIn('retrieveBatch', '/status', 'cancelled')),
    'none with batch that has status "cancelling"',
    removeIn('cancelBatch', '/metadata'),
  ],
  [
    'files.list.each-once',
    setIn('listFiles', '/data', []),
    'none shows a 2xx answer of listFiles in JSON, with at least 1 element in data',
    inEveryResponse('listFiles', (exchange) => withStatus(exchange, 500)),
  ],
  [
    'fine-tuning.results.model-of-base',
    removeIn(RETRIEVE_JOB, '/fine_tuned_model'),
    'and with a text as fine_tuned_model',
    setIn(RETRIEVE_JOB, '/status', 'running'),
  ],
  [
    'fine-tuning.checkpoints.names-job',
    setIn('listFineTuningCheckpoints', '/data', []),
    'with at least 1 element in data',
    inEveryResponse('listFineTuningCheckpoints', (exchange) => withBody(exchange, '')),
  ],
  [
    'images.answer.url-is-absolute',
    inTurn(...IMAGES.map((operation) => removeIn(operation, '/data/*/url'))),
    'and with a url',
    inTurn(...IMAGES.map((operation) => setIn(operation, '/data', []))),
  ],
  [
    'messages.create.no-run',
    removeIn('createMessage', '/run_id'),
    'whose answer has run_id',
    removeIn('createMessage', '/id'),
  ],
  [
    'messages.create.user-names-no-assistant',
    removeIn('createMessage', '/assistant_id'),
    'and whose answer has assistant_id',
    removeIn('createMessage', '/run_id'),
  ],
  [
    'models.delete.gone-from-retrieve',
    setIn('deleteModel', '/deleted', false),
    'whose earlier answer has deleted true',
    removeIn('deleteModel', '/object'),
  ],
  [
    'moderations.results.same-categories',
    setIn('createModeration', '/results', []),
    'with at least 1 element in results',
    removeIn('createModeration', '/model'),
  ],
  [
    'run-steps.last-error.null-when-completed',
    inTurn(setIn('listRunSteps', '/data/*/status', 'failed'), setIn('retrieveRunStep', '/status', 'failed')),
    'none shows a step, that is completed or in progress',
    inTurn(
      setIn('listRunSteps', '/data', []),
      inEveryResponse('retrieveRunStep', (exchange) => withStatus(exchange, 500)),
    ),
  ],
  [
    'runs.create.not-started',
    inTurn(
      setIn('createRun', '/status', 'in_progress'),
      setIn('createThreadAndRun', '/status', 'in_progress'),
    ),
    'and with status queued',
    removeIn('createRun', '/started_at'),
  ],
  [
    'runs.stream.thread-of-run',
    dropEvent(
      'createThreadAndRun',
      eventsWhere(
        (data) =>
          typeof data === 'object' && data !== null && 'object' in data && data['object'] === 'thread',
      ),
    ),
    'and with thread.created',
    dropEvent('createThreadAndRun', lastEvent),
  ],
  [
    'threads.delete.gone-from-retrieve',
    setIn('deleteThread', '/deleted', false),
    'whose earlier answer has deleted true',
    removeIn('deleteThread', '/object'),
  ],
  [
    'assistants-v2.create.default-temperature',
    removeIn('createAssistant', '/temperature'),
    'and with temperature',
    setIn('createAssistant', '/top_p', null),
  ],
  [
    'assistant-files.delete.leaves-file-ids',
    removeIn('retrieveAssistant', '/file_ids'),
    'that shows file_ids',
    removeIn('retrieveAssistant', '/name'),
  ],
  [
    'vector-stores.expired.expires-at-set',
    inTurn(
      setIn('retrieveVectorStore', '/status', 'completed'),
      setIn('modifyVectorStore', '/status', 'completed'),
    ),
    'whose answer has status "expired"',
    removeIn('retrieveVectorStore', '/name'),
  ],
  [
    'vector-store-file-batches.cancel.leaves-in-progress',
    setIn('cancelVectorStoreFileBatch', '/status', 'paused'),
    'with status in_progress, cancelling or cancelled',
    removeIn('cancelVectorStoreFileBatch', '/created_at'),
  ],
  [
    'listMessages.page.order-asc',
    setIn('listMessages', '/data/*/created_at', 1_700_000_000),
    'whose query has order asc and with two times of creation',
    inEveryResponse('listMessages', (exchange) => withStatus(exchange, 500)),
  ],
  [
    'listAssistants.v2.page.has-more',
    removeIn('listAssistants', '/has_more'),
    'none shows a page of listAssistants, with has_more',
    removeIn('listAssistants', '/first_id'),
  ],
];

const all = await catalogue();
const folder = mkdtempSync(join(tmpdir(), 'assay-needed-'));
let header: TraceHeader;
const items: TraceItem[] = [];

beforeAll(async () => {
  const only = CASES.map(([id]) => id).join(',');
  await runAssay(['run', '--only', only, '--report', 'json', '--report-dir', folder]);
  const recorded = await openRecordedTraffic([join(folder, 'cassette')]);
  header = recorded.header;
  for (const trace of recorded.traces()) for await (const item of trace) items.push(item);
  recorded.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(CASES)(
  '%s names the condition that edited responses do not meet, and only for that edit',
  (id, edit, reason, other) => {
    expect(judgeEdited(id, null).verdict).toBe('pass');
    const { verdict, cause } = judgeEdited(id, edit);
    const words = cause === null ? '' : causeWords(cause).replace(/; nearest .*$/, '');
    expect([verdict, words.slice(-reason.length)]).toEqual(['inconclusive', reason]);
    const elsewhere = judgeEdited(id, other).cause;
    expect(elsewhere === null ? '' : causeWords(elsewhere)).not.toContain(reason);
  },
);

function judgeEdited(id: string, edit: Mutation | null): RequirementVerdict {
  const scenarios = all.expectedEvidence?.scenarios.get(id) ?? [];
  const selected = items.filter((item) => isNote(item) || scenarios.includes(item.scenario ?? ''));
  const exchanges = selected.flatMap((item) => (isNote(item) ? [] : [item]));
  const edited = new Map((edit?.(exchanges) ?? exchanges).map((exchange) => [exchange.id, exchange]));
  const trace = selected.map((item) => (isNote(item) ? item : (edited.get(item.id) ?? item)));
  const requirementSets = all.requirementSets.filter((set) => set.requirements.some((one) => one.id === id));
  const { requirements } = judgeTrace({ ...all, requirementSets }, header, trace);
  const found = requirements.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} was not judged.`);
  return found;
}
