import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';
import { MethodRecorder, methodsOf } from '../testing/client-methods.ts';

let reference: Reference;
let client: OpenAI;
const methods = new MethodRecorder();

beforeAll(async () => {
  reference = await serveReference({ apiKey: 'key' });
  client = methods.watch(new OpenAI({ baseURL: reference.url, apiKey: 'key' }));
});

afterAll(async () => reference.close());

const model = 'chat-large';
const user = (content: string) => ({ role: 'user' as const, content });
const weather = {
  name: 'get_current_weather',
  description: 'Tells the weather.',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    required: ['location'],
  },
};

describe('chat', () => {
  it('returns the requested text, as often as requested, and counts its tokens', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [user('Say "Hello there"')],
      n: 2,
    });
    expect(completion.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'Hello there'],
      [1, 'Hello there'],
    ]);
    expect(completion.usage?.completion_tokens).toBe(4);
    expect(completion.usage?.total_tokens).toBe((completion.usage?.prompt_tokens ?? 0) + 4);
  });

  it('ends at a stop sequence, and at the token limit', async () => {
    const request = { model, messages: [user('Count from 1 to 20')] };
    const stopped = await client.chat.completions.create({ ...request, stop: [' 5', '9'] });
    expect(stopped.choices[0]).toMatchObject({
      message: { content: '1, 2, 3, 4,' },
      finish_reason: 'stop',
    });
    const cut = await client.chat.completions.create({ ...request, max_tokens: 3 });
    expect(cut.choices[0]).toMatchObject({ message: { content: '1, 2' }, finish_reason: 'length' });
  });

  it('returns log probabilities and their alternatives', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [user('Say "Hi you"')],
      logprobs: true,
      top_logprobs: 3,
    });
    const content = completion.choices[0]?.logprobs?.content ?? [];
    expect(content.map(({ token }) => token)).toEqual(['Hi', ' you']);
    for (const { token, logprob, bytes, top_logprobs } of content) {
      expect(Buffer.from(bytes ?? []).toString()).toBe(token);
      expect(top_logprobs).toHaveLength(3);
      expect(top_logprobs[0]?.logprob).toBe(logprob);
    }
  });

  it('answers in JSON on request', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [user('Tell me something in JSON')],
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toBeTypeOf('object');
  });

  it('streams the same reply in pieces, and the usage on request', async () => {
    const request = { model, messages: [user('Tell me about rivers')], n: 2, seed: 7 };
    const whole = await client.chat.completions.create(request);
    const pieces: string[][] = [[], []];
    let last: OpenAI.ChatCompletionChunk | undefined;
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.chat.completions.create({ ...request, ...options })) {
      for (const { index, delta } of chunk.choices) if (delta.content) pieces[index]?.push(delta.content);
      last = chunk;
    }
    const texts = pieces.map((deltas) => deltas.join(''));
    expect(Math.min(...pieces.map(({ length }) => length))).toBeGreaterThan(1);
    expect(texts).toEqual(whole.choices.map(({ message }) => message.content));
    expect(new Set(texts).size).toBe(2);
    expect(last).toMatchObject({ choices: [], usage: whole.usage });
  });

  it('can be read by the helper for streams', async () => {
    const events: string[] = [];
    const stream = client.beta.chat.completions
      .stream({ model, messages: [user('Say "one two three"')] })
      .on('content', (delta) => events.push(delta));
    expect(await stream.finalContent()).toBe('one two three');
    expect(events.length).toBeGreaterThan(2);
  });

  it('calls the forced tool with valid arguments', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [user('Anything')],
      tools: [{ type: 'function', function: weather }],
      tool_choice: { type: 'function', function: { name: weather.name } },
    });
    const call = completion.choices[0]?.message.tool_calls?.[0];
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    expect(call?.function.name).toBe(weather.name);
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ location: 'location', unit: 'celsius' });
  });

  it('runs tools to the end, whole and streamed', async () => {
    const cities: string[] = [];
    const request = {
      model,
      messages: [user('How is the weather in Paris?')],
      tools: [
        {
          type: 'function' as const,
          function: {
            ...weather,
            parse: JSON.parse,
            function: (args: { location: string }) => {
              cities.push(args.location);
              return 'sunny';
            },
          },
        },
      ],
    };
    expect(await client.beta.chat.completions.runTools(request).finalContent()).toBe(
      'The tool answered: sunny',
    );
    const streamed = client.beta.chat.completions.runTools({ ...request, stream: true });
    expect(await streamed.finalContent()).toBe('The tool answered: sunny');
    expect(cities).toEqual(['Paris', 'Paris']);
  });

  it('runs functions in the old form, whole and streamed', async () => {
    const request = {
      model,
      messages: [user('How is the weather in Rome?')],
      functions: [{ ...weather, parse: JSON.parse, function: () => 'rainy' }],
    };
    const { completions } = client.beta.chat;
    expect(await completions.runFunctions(request).finalContent()).toBe('The tool answered: rainy');
    const streamed = completions.runFunctions({ ...request, stream: true });
    expect(await streamed.finalContent()).toBe('The tool answered: rainy');
  });
});

describe('completions', () => {
  it('continue each of several prompts, with echo and log probabilities', async () => {
    const completion = await client.completions.create({
      model: 'text-base',
      prompt: ['Say "a b"', 'Say "c d"'],
      n: 2,
      echo: true,
      logprobs: 2,
    });
    expect(completion.choices.map(({ text }) => text)).toEqual([
      'Say "a b"a b',
      'Say "a b"a b',
      'Say "c d"c d',
      'Say "c d"c d',
    ]);
    expect(completion.choices[0]?.logprobs?.tokens?.join('')).toBe(completion.choices[0]?.text);
    expect(completion.choices[0]?.logprobs?.text_offset?.at(-1)).toBe(10);
  });

  it('accept token ids, a suffix, and a number to choose the best of', async () => {
    const ids = await client.completions.create({ model: 'text-base', prompt: [[1, 2], [3]], max_tokens: 2 });
    expect(ids.choices).toHaveLength(2);
    expect(ids.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
    const best = await client.completions.create({
      model: 'text-instruct',
      prompt: 'Say "x"',
      best_of: 3,
      suffix: '.',
    });
    expect(best.choices).toHaveLength(1);
    expect(best.usage?.completion_tokens).toBe(3);
  });

  it('stream', async () => {
    let text = '';
    const request = { model: 'text-base', prompt: 'Count to 5', max_tokens: 20 };
    for await (const { choices } of await client.completions.create({ ...request, stream: true })) {
      text += choices[0]?.text ?? '';
    }
    expect(text).toBe('1, 2, 3, 4, 5');
  });
});

describe('other operations', () => {
  it('moderates one text or several', async () => {
    const { results } = await client.moderations.create({ input: ['I will kill you', 'Good morning'] });
    expect(results.map(({ flagged }) => flagged)).toEqual([true, false]);
    expect(results[0]?.categories.violence).toBe(true);
    const single = await client.moderations.create({ input: 'Good morning' });
    expect(single.results.map(({ flagged }) => flagged)).toEqual([false]);
  });

  it('embeds texts', async () => {
    const { data } = await client.embeddings.create({ model: 'embed-1', input: ['a', 'b', 'a'] });
    expect(data[0]?.embedding).toEqual(data[2]?.embedding);
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
  });

  it('lists and retrieves models, rejects an unknown one, and does not delete a built-in one', async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toContain(model);
    expect((await client.models.retrieve(model)).id).toBe(model);
    await expect(client.models.del(model)).rejects.toThrow(/only fine-tuned/);
    await expect(client.models.retrieve('nothing')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('the whole session', () => {
  it('uses every method for these resources, and every operation of their families', async () => {
    await methods.settle();
    console.log(`openai@4.47.1, text\n${methods.formatTable()}`);
    const roots = ['chat', 'beta.chat', 'completions', 'embeddings', 'moderations', 'models'];
    const offered = roots.flatMap((root) => methodsOf(client, root));
    expect(offered.filter((method) => !methods.operationsByMethod.has(method))).toEqual([]);
    expect(methods.listUnused(['chat', 'completions', 'moderations', 'models'])).toEqual([]);
  });

  it('receives nothing that breaks a schema', () => {
    expect(methods.violations).toEqual([]);
  });
});
