// Calls that the sessions of all versions of openai share. The models are those of the reference.
import type OpenAI from 'openai';
import type { Uploadable } from 'openai/uploads';
import { PNG } from 'pngjs';

/** Wraps bytes in the upload type of the library version under test. */
export type MakeFile = (bytes: Uint8Array, name: string) => Promise<Uploadable>;

const CHAT = 'chat-large';
const WEATHER = {
  type: 'function' as const, // as: a literal type
  function: {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const user = (content: string) => ({ role: 'user' as const, content }); // as: a literal type

export async function useText(client: OpenAI): Promise<void> {
  for await (const { id } of client.models.list()) if (id === CHAT) await client.models.retrieve(id);
  // The request has only settings that both the library and the specification have.
  await client.chat.completions.create({
    model: CHAT,
    messages: [{ role: 'system', content: 'Be brief.' }, user('Say "hello"')],
    temperature: 0.2,
    top_p: 1,
    max_tokens: 20,
    n: 1,
    stop: ['.'],
    seed: 1,
    user: 'someone',
    presence_penalty: 0,
    frequency_penalty: 0,
    logit_bias: {},
    logprobs: true,
    top_logprobs: 2,
  });
  const options = { stream: true, stream_options: { include_usage: true } } as const; // as: the flag decides the type
  for await (const _ of await client.chat.completions.create({
    model: CHAT,
    messages: [user('Count to 5')],
    ...options,
  }));
  // JSON mode requires that the prompt asks for JSON.
  await client.chat.completions.create({
    model: CHAT,
    messages: [user('Name a colour as JSON.')],
    response_format: { type: 'json_object' },
  });
  await callTool(client);
  const prompt = { model: 'text-base', prompt: 'Count to 5', max_tokens: 20 };
  await client.completions.create({ ...prompt, echo: true, logprobs: 1 });
  for await (const _ of await client.completions.create({ ...prompt, stream: true }));
  await client.moderations.create({ input: ['Hello.', 'Good morning.'] });
}

async function callTool(client: OpenAI): Promise<void> {
  const question = [user('How is the weather in Rome?')];
  const completion = await client.chat.completions.create({
    model: CHAT,
    messages: question,
    tools: [WEATHER],
    tool_choice: 'auto',
  });
  const message = completion.choices[0]?.message;
  const call = message?.tool_calls?.[0];
  if (message !== undefined && call !== undefined)
    await client.chat.completions.create({
      model: CHAT,
      tools: [WEATHER],
      messages: [...question, message, { role: 'tool', tool_call_id: call.id, content: 'sunny' }],
    });
}

export async function useMedia(client: OpenAI, makeFile: MakeFile): Promise<void> {
  await client.images.generate({
    model: 'image-3',
    prompt: 'a cat',
    size: '1792x1024',
    quality: 'hd',
    style: 'natural',
  });
  // The picture is completely transparent, so that it can be its own mask.
  const picture = await makeFile(PNG.sync.write(new PNG({ width: 16, height: 16 })), 'picture.png');
  const shape = { n: 1, size: '256x256', response_format: 'b64_json' } as const; // as: literal types
  await client.images.edit({ image: picture, mask: picture, prompt: 'a hat', ...shape });
  await client.images.createVariation({ image: picture, ...shape });
  // The speech is transcribed again, so that no audio file is needed.
  const speech = { model: 'tts-1', voice: 'nova', input: 'The quick brown fox.', speed: 1 } as const; // as: literal types
  const spoken = await client.audio.speech.create({ ...speech, response_format: 'mp3' });
  const sound = await makeFile(new Uint8Array(await spoken.arrayBuffer()), 'speech.mp3');
  await client.audio.transcriptions.create({
    file: sound,
    model: 'transcribe-1',
    language: 'en',
    prompt: 'A fox.',
    temperature: 0,
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  });
  await client.audio.translations.create({ file: sound, model: 'transcribe-1' });
}

/** Jobs are cancelled, not awaited, because the service decides how they end. */
export async function useJobs(client: OpenAI, makeFile: MakeFile): Promise<void> {
  const jsonLines = (rows: readonly unknown[]) =>
    Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const upload = async (name: string, rows: readonly unknown[], purpose: 'fine-tune' | 'batch') =>
    client.files.create({ file: await makeFile(jsonLines(rows), name), purpose });
  const example = { messages: [user('Hi'), { role: 'assistant', content: 'Ho' }] };
  const training = await upload('train.jsonl', Array(10).fill(example), 'fine-tune');
  await client.files.retrieve(training.id);
  for await (const _ of client.files.list({ purpose: 'fine-tune' }));
  await (await client.files.content(training.id)).text();
  const { jobs } = client.fineTuning;
  const hyperparameters = { n_epochs: 2 };
  const job = await jobs.create({
    model: 'chat-small',
    training_file: training.id,
    suffix: 'mine',
    hyperparameters,
  });
  await jobs.retrieve(job.id);
  for await (const _ of jobs.list({ limit: 20 }));
  for await (const _ of jobs.listEvents(job.id, { limit: 20 }));
  await jobs.cancel(job.id);
  const body = { model: 'chat-small', messages: [user('Say "x"')] };
  const url = '/v1/chat/completions' as const; // as: a literal type
  const input = await upload('input.jsonl', [{ custom_id: 'a', method: 'POST', url, body }], 'batch');
  const batch = await client.batches.create({
    input_file_id: input.id,
    endpoint: url,
    completion_window: '24h',
  });
  await client.batches.retrieve(batch.id);
  // Older versions of the library cannot list batches.
  if ('list' in client.batches) for await (const _ of client.batches.list({ limit: 20 }));
  await client.batches.cancel(batch.id);
  await client.files.del(training.id);
}

type RunSettings = Pick<
  OpenAI.Beta.Threads.RunCreateParamsNonStreaming,
  'tool_choice' | 'max_completion_tokens'
>;

export interface AssistantUse {
  readonly assistant: string;
  readonly messages: readonly [
    OpenAI.Beta.Threads.MessageCreateParams,
    OpenAI.Beta.Threads.MessageCreateParams,
  ];
  /** Parameters of the request that lists the messages. Default: none. */
  readonly page?: OpenAI.Beta.Threads.MessageListParams;
  readonly runs: readonly [RunSettings, RunSettings];
  readonly output: string;
}

/** Returns the ids of the thread and of the second message. */
export async function useThread(
  { beta: { threads } }: OpenAI,
  { messages: [first, second], page }: AssistantUse,
): Promise<readonly [thread: string, message: string]> {
  const thread = await threads.create({ messages: [first] });
  await threads.retrieve(thread.id);
  await threads.update(thread.id, { metadata: { a: 'b' } });
  const message = await threads.messages.create(thread.id, second);
  await threads.messages.retrieve(thread.id, message.id);
  await threads.messages.update(thread.id, message.id, { metadata: { c: 'd' } });
  for await (const _ of threads.messages.list(thread.id, page));
  return [thread.id, message.id];
}

export async function useRuns(
  { beta: { threads } }: OpenAI,
  thread: string,
  { assistant: assistant_id, runs: [settings, streamed], output }: AssistantUse,
): Promise<OpenAI.Beta.Threads.Run> {
  let run = await threads.runs.createAndPoll(thread, { assistant_id, ...settings });
  if (run.status === 'requires_action')
    run = await threads.runs.submitToolOutputsAndPoll(thread, run.id, {
      tool_outputs: outputsOf(run, output),
    });
  // The specification has no lists and no updates of runs, so the next two requests are never judged.
  for await (const _ of threads.runs.list(thread));
  await threads.runs.update(thread, run.id, { metadata: { e: 'f' } });
  for await (const { id } of threads.runs.steps.list(thread, run.id))
    await threads.runs.steps.retrieve(thread, run.id, id);
  await threads.runs.stream(thread, { assistant_id, ...streamed }).finalRun();
  const otherRun = await threads.createAndRun({ assistant_id, thread: { messages: [user('Hi')] } });
  return threads.runs.cancel(otherRun.thread_id, otherRun.id);
}

export function outputsOf({ required_action: action }: OpenAI.Beta.Threads.Run, output: string) {
  const calls = action?.submit_tool_outputs.tool_calls ?? [];
  return calls.map(({ id }) => ({ tool_call_id: id, output }));
}
