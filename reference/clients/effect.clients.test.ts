// A third-party client that decodes every response with its own schemas and rejects any that does not match. It is
// newer than the specification: chat, moderations, the list of files and file batches are not tested, because its
// schemas require a value or a field that the specification does not have.
import * as OpenAi from '@effect/ai-openai/Generated';
import { FetchHttpClient, HttpClient, HttpClientRequest } from '@effect/platform';
import { Effect } from 'effect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';

let reference: Reference;
let client: OpenAi.Client;

beforeAll(async () => {
  reference = await serveReference();
  const http = Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer));
  const toReference = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) =>
    HttpClientRequest.setHeader(
      HttpClientRequest.prependUrl(request, reference.url),
      'Vendor-Beta',
      'assistants=v2',
    ),
  );
  client = OpenAi.make(toReference(http));
});

afterAll(async () => reference.close());

const call = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect);
const model = 'chat-large';

const uploadFile = (
  text = 'Some notes.',
  purpose: 'assistants' | 'batch' | 'fine-tune' = 'assistants',
  name = 'a.txt',
) => call(client.createFile({ file: new File([text], name), purpose }));

const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object' } },
} as const; // as: a literal type

describe('responses of the assistants API', () => {
  it('are decoded for assistants', async () => {
    const file = await uploadFile();
    const assistant = await call(
      client.createAssistant({
        model,
        tools: [{ type: 'file_search' }, { type: 'code_interpreter' }, weather],
        tool_resources: { code_interpreter: { file_ids: [file.id] } },
      }),
    );
    expect((await call(client.getAssistant(assistant.id))).id).toBe(assistant.id);
    expect((await call(client.modifyAssistant(assistant.id, { name: 'n' }))).name).toBe('n');
    expect((await call(client.listAssistants({ limit: 1 }))).first_id).toBe(assistant.id);
    expect((await call(client.deleteAssistant(assistant.id))).deleted).toBe(true);
  });

  it('are decoded for threads and messages', async () => {
    const { id } = await call(client.createThread({ messages: [{ role: 'user', content: 'Hi' }] }));
    expect((await call(client.getThread(id))).id).toBe(id);
    expect((await call(client.modifyThread(id, { metadata: { a: 'b' } }))).metadata).toEqual({ a: 'b' });
    const message = await call(client.createMessage(id, { role: 'assistant', content: 'Ho' }));
    expect((await call(client.getMessage(id, message.id))).role).toBe('assistant');
    expect((await call(client.modifyMessage(id, message.id, { metadata: { a: 'b' } }))).metadata).toEqual({
      a: 'b',
    });
    expect((await call(client.listMessages(id, { order: 'asc' }))).data.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ]);
    expect((await call(client.deleteMessage(id, message.id))).deleted).toBe(true);
    expect((await call(client.deleteThread(id))).deleted).toBe(true);
  });

  it('are decoded for a run that calls a function, and for one that is cancelled', async () => {
    const { id: assistant_id } = await call(
      client.createAssistant({ model, instructions: 'Help.', tools: [weather] }),
    );
    const thread = { messages: [{ role: 'user' as const, content: 'How is the weather?' }] }; // as: a literal type
    const { id, thread_id } = await call(client.createThreadAndRun({ assistant_id, thread }));
    expect((await call(client.getRun(thread_id, id))).status).toBe('in_progress');
    const waiting = await call(client.getRun(thread_id, id));
    expect(waiting.status).toBe('requires_action');
    const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
    const tool_outputs = calls.map((waitingCall) => ({ tool_call_id: waitingCall.id, output: 'sunny' }));
    expect((await call(client.submitToolOuputsToRun(thread_id, id, { tool_outputs }))).status).toBe('queued');
    await call(client.getRun(thread_id, id));
    expect((await call(client.getRun(thread_id, id))).usage?.total_tokens).toBeGreaterThan(0);
    expect((await call(client.modifyRun(thread_id, id, { metadata: { a: 'b' } }))).metadata).toEqual({
      a: 'b',
    });
    const steps = await call(client.listRunSteps(thread_id, id));
    expect(steps.data.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect((await call(client.getRunStep(thread_id, id, steps.first_id))).type).toBe('message_creation');
    const next = await call(client.createRun(thread_id, { payload: { assistant_id, tool_choice: 'none' } }));
    expect((await call(client.cancelRun(thread_id, next.id))).status).toBe('cancelling');
    expect((await call(client.listRuns(thread_id))).data.map(({ status }) => status)).toEqual([
      'cancelling',
      'completed',
    ]);
    expect((await call(client.getRun(thread_id, next.id))).status).toBe('cancelled');
  });

  it('are decoded for vector stores', async () => {
    const files = [await uploadFile(), await uploadFile(''), await uploadFile('x', 'assistants', 'x.png')];
    const { id } = await call(
      client.createVectorStore({ expires_after: { anchor: 'last_active_at', days: 1 } }),
    );
    for (const { id: file_id } of files) await call(client.createVectorStoreFile(id, { file_id }));
    for (const { id: file_id } of files) await call(client.getVectorStoreFile(id, file_id));
    expect(
      (await call(client.listVectorStoreFiles(id, { order: 'asc' }))).data.map(({ status }) => status),
    ).toEqual(['completed', 'failed', 'failed']);
    expect((await call(client.getVectorStore(id))).file_counts).toMatchObject({ completed: 1, failed: 2 });
    expect((await call(client.modifyVectorStore(id, { name: 'n' }))).name).toBe('n');
    expect((await call(client.listVectorStores({ limit: 1 }))).data.map(({ status }) => status)).toEqual([
      'completed',
    ]);
    expect((await call(client.deleteVectorStoreFile(id, files[0]?.id ?? ''))).deleted).toBe(true);
    expect((await call(client.deleteVectorStore(id))).deleted).toBe(true);
  });
});

describe('responses of the inference API', () => {
  it('are decoded for models and files', async () => {
    const [first] = (await call(client.listModels())).data;
    expect((await call(client.retrieveModel(first?.id ?? ''))).owned_by).toBe('system');
    const { id } = await uploadFile();
    expect((await call(client.retrieveFile(id))).bytes).toBe(11);
    expect((await call(client.deleteFile(id))).deleted).toBe(true);
  });

  it('are decoded for completions and images', async () => {
    const text = await call(client.createCompletion({ model: 'text-base', prompt: 'Once', logprobs: 2 }));
    expect(text.choices).toHaveLength(1);
    const images = await call(
      client.createImage({ prompt: 'A cat', response_format: 'b64_json', size: '256x256' }),
    );
    expect(images.data).toHaveLength(1);
  });

  it('are decoded for fine-tuning and batches', async () => {
    const example = {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    };
    const training = await uploadFile(`${JSON.stringify(example)}\n`.repeat(10), 'fine-tune', 'a.jsonl');
    const job = await call(client.createFineTuningJob({ model: 'chat-small', training_file: training.id }));
    expect((await call(client.retrieveFineTuningJob(job.id))).id).toBe(job.id);
    expect((await call(client.listFineTuningEvents(job.id))).data).not.toHaveLength(0);
    expect((await call(client.listFineTuningJobCheckpoints(job.id))).has_more).toBe(false);
    expect((await call(client.listPaginatedFineTuningJobs())).data.map(({ id }) => id)).toEqual([job.id]);
    expect((await call(client.cancelFineTuningJob(job.id))).status).toBe('cancelled');
    const line = {
      custom_id: '1',
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model, messages: example.messages },
    };
    const input = await uploadFile(JSON.stringify(line), 'batch', 'b.jsonl');
    const body = {
      input_file_id: input.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const; // as: literal types
    const batch = await call(client.createBatch(body));
    expect((await call(client.retrieveBatch(batch.id))).id).toBe(batch.id);
    expect((await call(client.listBatches())).data.map(({ id }) => id)).toEqual([batch.id]);
    expect((await call(client.cancelBatch(batch.id))).status).toBe('cancelling');
  });
});
