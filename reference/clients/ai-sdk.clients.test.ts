// A third-party client that parses every response and every chunk with its own schemas (zod).
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';

let reference: Reference;
let provider: ReturnType<typeof connect>;

const connect = (baseURL: string) =>
  createOpenAICompatible({ name: 'reference', baseURL, apiKey: 'any', includeUsage: true });

beforeAll(async () => {
  reference = await serveReference();
  provider = connect(reference.url);
});

afterAll(async () => reference.close());

// as: literal types
const promptOf = (text: string) => ({
  prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
});
const tools = [
  {
    type: 'function' as const, // as: a literal type
    name: 'get_weather',
    description: 'Tells the weather of a city.',
    inputSchema: { type: 'object' as const, properties: { city: { type: 'string' as const } } }, // as: literal types
  },
];

async function readParts<T>(stream: ReadableStream<T>): Promise<T[]> {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe('a chat completion', () => {
  it('is parsed whole', async () => {
    const { content, finishReason, usage } = await provider
      .chatModel('chat-large')
      .doGenerate(promptOf('Say "one two"'));
    expect(content).toEqual([{ type: 'text', text: 'one two' }]);
    expect([finishReason, usage.outputTokens]).toEqual(['stop', 2]);
  });

  it('is parsed chunk by chunk', async () => {
    const { stream } = await provider.chatModel('chat-large').doStream(promptOf('Say "one two"'));
    const parts = await readParts(stream);
    expect(parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('')).toBe(
      'one two',
    );
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop', usage: { outputTokens: 2 } });
    expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
  });

  it('is parsed with tool calls', async () => {
    const options = { ...promptOf('How is the weather in Rome?'), tools };
    const whole = await provider.chatModel('chat-large').doGenerate(options);
    const toolCall = { type: 'tool-call', toolName: 'get_weather', input: '{"city":"Rome"}' };
    expect(whole).toMatchObject({ content: [toolCall], finishReason: 'tool-calls' });
    const { stream } = await provider.chatModel('chat-large').doStream(options);
    expect((await readParts(stream)).filter(({ type }) => type === 'tool-call')).toMatchObject([toolCall]);
  });
});

describe('the client parses', () => {
  it('a completion, whole and in chunks', async () => {
    const model = provider.completionModel('text-base');
    const whole = await model.doGenerate({ ...promptOf('Once'), maxOutputTokens: 3 });
    expect(whole).toMatchObject({ finishReason: 'length', usage: { outputTokens: 3 } });
    const { stream } = await model.doStream({ ...promptOf('Once'), maxOutputTokens: 3 });
    expect((await readParts(stream)).at(-1)).toMatchObject({ type: 'finish', finishReason: 'length' });
  });

  it('an image', async () => {
    const image = {
      prompt: 'A cat',
      n: 1,
      size: '256x256' as const, // as: a literal type
      aspectRatio: undefined,
      seed: undefined,
      providerOptions: {},
    };
    const { images } = await provider.imageModel('image-2').doGenerate(image);
    expect(Buffer.from(String(images[0]), 'base64').subarray(1, 4).toString()).toBe('PNG');
  });

  it('an error', async () => {
    const refused = provider.chatModel('no-such-model').doGenerate(promptOf('Hi'));
    await expect(refused).rejects.toMatchObject({
      statusCode: 404,
      data: { error: { code: 'model_not_found' } },
    });
  });
});
