import OpenAI, { toFile } from 'openai';
import { serveReference } from '../../reference/service.ts';
import { startRecorder } from '../record/record.ts';

type Client = typeof OpenAI;

export const SESSION_KEY = 'sk-live-key-of-the-recording';

const messages = [{ role: 'user' as const, content: 'Say héllo 👋' }];
const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];

export async function runOpenaiSession(
  baseURL: string,
  apiKey: string,
  Client: Client = OpenAI,
): Promise<unknown[]> {
  const client = new Client({ baseURL, apiKey, maxRetries: 0 });
  const seen: unknown[] = [];
  const models = await client.models.list();
  const model = models.data[0]?.id ?? '';
  seen.push(models.data);
  const file = await client.files.create({
    file: await toFile(Buffer.from('{"a":1}\n'.repeat(2_000)), 'lines.jsonl'),
    purpose: 'fine-tune',
  });
  seen.push(file, await (await client.files.content(file.id)).text());
  seen.push(await client.chat.completions.create({ model, messages, n: 2, logprobs: true }));
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  for await (const chunk of stream) seen.push(chunk);
  const toolChoice = { type: 'function' as const, function: { name: 'weather' } };
  const callStream = await client.chat.completions.create({
    model,
    messages,
    tools,
    tool_choice: toolChoice,
    stream: true,
  });
  for await (const chunk of callStream) seen.push(chunk);
  seen.push(await client.files.del(file.id));
  seen.push(await client.files.retrieve(file.id).catch((error: { status: number }) => error.status));
  return seen;
}

export async function recordSession(cassette: string, Client: Client = OpenAI): Promise<unknown[]> {
  const reference = await serveReference({ clock: () => 1_700_000_000_000 });
  const recorder = await startRecorder({ baseUrl: reference.url, cassette });
  try {
    return await runOpenaiSession(recorder.url, SESSION_KEY, Client);
  } finally {
    await recorder.close();
    await reference.close();
  }
}
