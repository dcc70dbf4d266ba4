// Tests `--fault` with a sample of requirements of each kind, generic faults and unknown names. `npm run prove` breaks
// every requirement, in a recorded trace.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import type { Reference } from '../reference/service.ts';
import { catalogue } from '../suites/index.ts';
import { verdictsOnFaultyService } from './testing/faulty-service.ts';

const fullCatalogue = await catalogue();

test.concurrent.each([
  'chat.stream.done-ends-stream',
  'chat.stream.usage-once/in every chunk',
  'files.upload.bytes-are-size',
  'models.retrieve.as-listed/a longer name, and another owner',
  'models.list.each-once',
  'model:owned_by#required',
  'createModeration:answer#json',
  'createChatCompletion:body.temperature#maximum.rejected',
  'createChatCompletion:body.temperature#maximum.accepted',
  'modifyAssistant.v1:body.file_ids[]#type.accepted',
  'retrieveFile:path.file_id#unknown.rejected',
])('the fault %s is detected by its requirement, whose failure has no shared cause', async (fault) => {
  const [requirement = ''] = fault.split('/');
  const verdicts = await verdictsOnFaultyService(fault, requirement, fullCatalogue);
  const broken = verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  expect(broken.map(({ id, cause }) => [id, cause])).toEqual([[requirement, null]]);
});

describe('the generic faults', () => {
  let reference: Reference;
  beforeAll(async () => {
    reference = await startReference({
      fault: 'refuse:listFiles, empty:listModels,cut:createChatCompletion',
    });
  });
  afterAll(() => reference.close());

  test('refuse rejects a request of its operation', async () => {
    expect((await fetch(`${reference.url}/files`)).status).toBe(400);
  });

  test('empty removes the elements of a list, which can still be retrieved one by one', async () => {
    const list = await (await fetch(`${reference.url}/models`)).json();
    expect(list).toEqual({ object: 'list', data: [] });
    expect((await fetch(`${reference.url}/models/chat-small`)).status).toBe(200);
  });

  test('cut ends a stream early', async () => {
    const messages = [{ role: 'user', content: 'count to 20' }];
    const body = JSON.stringify({ model: 'chat-small', stream: true, messages });
    const headers = { 'content-type': 'application/json' };
    const stream = await fetch(`${reference.url}/chat/completions`, { method: 'POST', headers, body });
    const text = await stream.text();
    expect(text.match(/^data: /gm)?.length).toBeGreaterThan(5);
    expect(text).not.toContain('[DONE]');
  });
});

test.each([
  ['files.upload.bytes-are-sise', /^Unknown fault 'files\.upload\.bytes-are-sise'; the nearest are /],
  [
    'ignore:createChatCompletion.stopp',
    /^No body or query has the field 'createChatCompletion\.stopp'.*; the nearest are createChatCompletion\.stop/,
  ],
  [
    'files.upload.bytes-are-size/none',
    /^Unknown change 'none' of files\.upload\.bytes-are-size; it has one more, nothing\.$/,
  ],
  ['files.upload.bytes-are-size/none, too', /^Unknown change 'none, too' of /],
  [
    'files.upload.bytes-are-size/one more, model-without-m',
    /^Unknown change 'one more, model-without-m' of /,
  ],
  ['files.upload.bytes-are-size/one more, none:such', /^Unknown fault 'none:such'/],
  ['constructor:listFiles', /^Unknown fault 'constructor:listFiles'/],
  [
    'refuse:createRuns',
    /^Unknown operation 'createRuns' in --fault refuse:createRuns; the nearest are createRun/,
  ],
])('the fault %s is rejected, and the message says what is unknown', async (fault, message) => {
  await expect(startReference({ fault })).rejects.toThrow(message);
});
