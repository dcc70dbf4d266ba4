import OpenAI, { toFile } from 'openai';
import { PNG } from 'pngjs';
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

const toJsonl = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join('\n');
const upload = async (name: string, text: string, purpose: 'fine-tune' | 'batch' | 'assistants') =>
  client.files.create({ file: await toFile(Buffer.from(text), name), purpose });
const createPicture = (side: number, alpha: number) =>
  toFile(
    PNG.sync.write(
      Object.assign(new PNG({ width: side, height: side }), {
        data: Buffer.alloc(side * side * 4, Buffer.from([200, 100, 50, alpha])),
      }),
    ),
    'picture.png',
  );

describe('files', () => {
  it('are uploaded, found, read and deleted', async () => {
    const created = await upload('nötes.txt', 'Some notes.', 'assistants');
    expect(created).toMatchObject({ filename: 'nötes.txt', bytes: 11, purpose: 'assistants' });
    expect((await client.files.waitForProcessing(created.id)).status).toBe('processed');
    expect((await client.files.retrieve(created.id)).id).toBe(created.id);
    const listIds = async (purpose: string) => {
      const ids: string[] = [];
      for await (const { id } of client.files.list({ purpose })) ids.push(id);
      return ids;
    };
    expect(await listIds('assistants')).toContain(created.id);
    expect(await listIds('batch')).not.toContain(created.id);
    expect(await (await client.files.content(created.id)).text()).toBe('Some notes.');
    expect(await client.files.retrieveContent(created.id)).toBe('Some notes.');
    expect(await client.files.del(created.id)).toEqual({ id: created.id, object: 'file', deleted: true });
    await expect(client.files.content(created.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('images', () => {
  const readSize = (bytes: Buffer) => {
    const { width, height } = PNG.sync.read(bytes);
    return [width, height];
  };

  it('are generated, by URL and as base64', async () => {
    const { data } = await client.images.generate({ prompt: 'a cat', n: 2, size: '256x256' });
    expect(data).toHaveLength(2);
    for (const { url } of data) {
      const answer = await fetch(url ?? '');
      expect(answer.headers.get('content-type')).toBe('image/png');
      expect(readSize(Buffer.from(await answer.arrayBuffer()))).toEqual([256, 256]);
    }
    const wide = await client.images.generate({
      prompt: 'a cat',
      model: 'image-3',
      size: '1792x1024',
      quality: 'hd',
      response_format: 'b64_json',
    });
    expect(readSize(Buffer.from(wide.data[0]?.b64_json ?? '', 'base64'))).toEqual([1792, 1024]);
    expect(wide.data[0]?.revised_prompt).toContain('a cat');
  });

  it('are edited and varied', async () => {
    const shape = { size: '256x256', response_format: 'b64_json' } as const;
    const [clear, solid] = [await createPicture(64, 0), await createPicture(64, 255)];
    const edit = await client.images.edit({ image: solid, mask: clear, prompt: 'a hat', ...shape });
    expect(readSize(Buffer.from(edit.data[0]?.b64_json ?? '', 'base64'))).toEqual([256, 256]);
    const variation = await client.images.createVariation({ image: solid, n: 2, ...shape });
    expect(variation.data).toHaveLength(2);
    expect(variation.data[0]?.b64_json).not.toBe(variation.data[1]?.b64_json);
  });

  it('are rejected without a transparent part or with a mask of another size, and if they are not PNG', async () => {
    const [solid, smallMask] = [await createPicture(64, 255), await createPicture(32, 0)];
    await expect(client.images.edit({ image: solid, prompt: 'a hat' })).rejects.toThrow(/transparent/);
    await expect(client.images.edit({ image: solid, mask: smallMask, prompt: 'a' })).rejects.toThrow(
      /64 by 64/,
    );
    const text = await toFile(Buffer.from('no picture'), 'picture.png');
    await expect(client.images.createVariation({ image: text })).rejects.toThrow(/PNG/);
  });
});

describe('audio', () => {
  const speak = async (format: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm', speed = 1) => {
    const request = {
      model: 'tts-1',
      voice: 'nova',
      input: 'The quick brown fox. '.repeat(5),
      speed,
    } as const;
    const answer = await client.audio.speech.create({ ...request, response_format: format as 'mp3' });
    return { bytes: Buffer.from(await answer.arrayBuffer()), type: answer.headers.get('content-type') };
  };

  it.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/opus'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
  ] as const)('is synthesised as %s and transcribed again', async (format, type) => {
    const spoken = await speak(format);
    expect(spoken.type).toBe(type);
    const name = format === 'opus' ? 'speech.ogg' : `speech.${format}`;
    const heard = await client.audio.transcriptions.create({
      file: await toFile(spoken.bytes, name),
      model: 'transcribe-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(heard.text).toBe('The quick brown fox. '.repeat(5).trim());
    const { duration, words, segments } = heard as unknown as {
      duration: number; // as: this client types every transcription as plain
      words: { end: number }[];
      segments: unknown[];
    };
    expect(duration).toBeGreaterThan(1.04);
    expect(duration).toBeLessThan(1.2);
    expect(words).toHaveLength(20);
    expect(words.at(-1)?.end).toBeCloseTo(duration, 2);
    expect(segments).toHaveLength(3);
  });

  it('is synthesised as aac and as raw samples', async () => {
    const aac = await speak('aac');
    expect([aac.type, aac.bytes.readUInt16BE(0) >> 4]).toEqual(['audio/aac', 0xfff]);
    const pcm = await speak('pcm');
    expect([pcm.type, pcm.bytes.length]).toEqual(['audio/pcm', 2 * Math.round(1.05 * 24_000)]);
  });

  it('takes twice as long at half the speed', async () => {
    const [normal, slow] = [await speak('pcm'), await speak('pcm', 0.5)];
    expect(slow.bytes.length).toBe(2 * normal.bytes.length);
  });

  it('is the same each time', async () => {
    const [normal, again] = [await speak('pcm'), await speak('pcm')];
    expect(again.bytes.equals(normal.bytes)).toBe(true);
  });

  it('is transcribed as text and as captions', async () => {
    const file = await toFile((await speak('wav', 0.25)).bytes, 'a.wav');
    const listen = (response_format: 'text' | 'srt' | 'vtt') =>
      client.audio.transcriptions.create({ file, model: 'transcribe-1', response_format });
    const cue = /00:00:00[.,]000 --> 00:00:0\d[.,]\d{3}\nThe quick brown/;
    expect(await listen('text')).toBe(`${'The quick brown fox. '.repeat(5).trim()}\n`);
    expect(await listen('srt')).toMatch(new RegExp(`^1\n${cue.source}`));
    expect(await listen('vtt')).toMatch(new RegExp(`^WEBVTT\n\n${cue.source}`));
  });

  it('is translated', async () => {
    const file = await toFile((await speak('wav')).bytes, 'a.wav');
    const translated = await client.audio.translations.create({ file, model: 'transcribe-1' });
    expect(translated.text).toContain('quick');
  });

  it('is rejected if it contains no sound', async () => {
    const text = await toFile(Buffer.from('no sound'), 'a.wav');
    await expect(client.audio.translations.create({ file: text, model: 'transcribe-1' })).rejects.toThrow(
      /audio/,
    );
  });
});

describe('fine-tuning', () => {
  const example = {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho' },
    ],
  };
  const start = async (epochs: number) => {
    const training = await upload('train.jsonl', toJsonl([example, example]), 'fine-tune');
    return client.fineTuning.jobs.create({
      model: 'chat-small',
      training_file: training.id,
      suffix: 'mine',
      hyperparameters: { n_epochs: epochs },
    });
  };

  it('passes through its states to a model that can be used and deleted', async () => {
    const created = await start(12);
    const states = [created.status];
    let job = created;
    for (let polls = 0; job.status !== 'succeeded' && polls < 100; polls += 1) {
      job = await client.fineTuning.jobs.retrieve(created.id);
      states.push(job.status);
    }
    expect(states).toEqual(['queued', 'validating_files', 'running', 'succeeded']);
    expect(job.fine_tuned_model).toMatch(/^ft:chat-small:[^:]+:mine:\w+$/);
    const model = job.fine_tuned_model ?? '';
    const completion = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Say "x"' }],
    });
    expect(completion.choices[0]?.message.content).toBe('x');
    const results = await client.files.content(job.result_files[0] ?? '');
    expect(await results.text()).toMatch(/^step,train_loss/);
    expect(await client.models.del(model)).toEqual({ id: model, object: 'model', deleted: true });
    await expect(client.models.retrieve(model)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const checkpoints = [];
    for await (const { id } of client.fineTuning.jobs.checkpoints.list(created.id)) checkpoints.push(id);
    expect(new Set(checkpoints).size).toBe(12);
    const events = [];
    for await (const { message } of client.fineTuning.jobs.listEvents(created.id, { limit: 5 }))
      events.push(message);
    expect(events.at(-1)).toContain('Created');
    expect(events[0]).toContain('completed');
  });

  it('is cancelled at once', async () => {
    const job = await start(1);
    expect((await client.fineTuning.jobs.cancel(job.id)).status).toBe('cancelled');
    await expect(client.fineTuning.jobs.cancel(job.id)).rejects.toThrow(/cancelled/);
  });

  it('fails for a file that is not JSON', async () => {
    const file = await upload('bad.jsonl', 'no json', 'fine-tune');
    let job = await client.fineTuning.jobs.create({ model: 'chat-small', training_file: file.id });
    for (let n = 0; n < 2; n += 1) job = await client.fineTuning.jobs.retrieve(job.id);
    expect(job).toMatchObject({ status: 'failed', error: { param: 'training_file' } });
  });

  it('is listed with the newest job first', async () => {
    const [older, newer] = [await start(1), await start(1)];
    const ids = [];
    for await (const { id } of client.fineTuning.jobs.list({ limit: 1 })) ids.push(id);
    expect(ids.slice(0, 2)).toEqual([newer.id, older.id]);
  });
});

describe('batches', () => {
  const createLine = (id: string, model: string) => ({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: `Say "${id}"` }] },
  });
  const start = async (lines: readonly unknown[]) =>
    client.batches.create({
      input_file_id: (await upload('in.jsonl', toJsonl(lines), 'batch')).id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { a: 'b' },
    });
  const finish = async (id: string) => {
    const states: string[] = [];
    let batch: OpenAI.Batch;
    do {
      batch = await client.batches.retrieve(id);
      states.push(batch.status);
    } while (!batch.completed_at && !batch.failed_at && !batch.cancelled_at);
    return { batch, states };
  };

  it('run every line through the service', async () => {
    const created = await start([
      createLine('a', 'chat-large'),
      createLine('b', 'nothing'),
      createLine('c', 'chat-small'),
    ]);
    expect(created).toMatchObject({
      status: 'validating',
      request_counts: { total: 0 },
      metadata: { a: 'b' },
    });
    const { batch, states } = await finish(created.id);
    expect(states).toEqual(['in_progress', 'finalizing', 'completed']);
    expect(batch.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
    const read = async (id = '') =>
      (await (await client.files.content(id)).text())
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
    const output = await read(batch.output_file_id);
    expect(
      output.map(({ custom_id, response }) => [custom_id, response.body.choices[0].message.content]),
    ).toEqual([
      ['a', 'a'],
      ['c', 'c'],
    ]);
    const errors = await read(batch.error_file_id);
    expect(errors).toMatchObject([{ custom_id: 'b', error: null, response: { status_code: 404 } }]);
  });

  it('fail for duplicate ids and incomplete lines', async () => {
    const lines = [createLine('a', 'm'), createLine('a', 'm'), { custom_id: 1 }];
    const { batch } = await finish((await start(lines)).id);
    expect(batch.status).toBe('failed');
    expect(batch.errors?.data?.map(({ line }) => line)).toEqual([2, 3]);
  });

  it('are cancelled in two steps', async () => {
    const created = await start([createLine('a', 'chat-large')]);
    expect((await client.batches.cancel(created.id)).status).toBe('cancelling');
    const { states } = await finish(created.id);
    expect(states).toEqual(['cancelled']);
  });

  it('are listed with the newest first', async () => {
    const older = await start([createLine('a', 'chat-large')]);
    const newer = await start([createLine('a', 'chat-large')]);
    const ids = [];
    for await (const { id } of client.batches.list({ limit: 1 })) ids.push(id);
    expect(ids.slice(0, 2)).toEqual([newer.id, older.id]);
  });
});

describe('the whole session', () => {
  it('uses every method for these resources, and every operation of their families', async () => {
    await methods.settle();
    console.log(`openai@4.47.1, files, media, jobs\n${methods.formatTable()}`);
    const roots = ['files', 'images', 'audio', 'fineTuning', 'batches'];
    const offered = roots.flatMap((root) => methodsOf(client, root));
    expect(offered.filter((method) => !methods.operationsByMethod.has(method))).toEqual([]);
    expect(methods.listUnused(['files', 'images', 'audio', 'fine-tuning', 'batches'])).toEqual([]);
  });

  it('receives nothing that breaks a schema', () => {
    expect(methods.violations).toEqual([]);
  });
});
