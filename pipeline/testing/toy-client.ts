import { PNG } from 'pngjs';

/** At most one of `json`, `form` and `text` is sent. */
export interface ToyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly form?: Readonly<Record<string, string | File>>;
  /** JSON text, in place of `json`, for a mistake that an object cannot express. */
  readonly text?: string;
}

export interface Mistake {
  readonly step: string;
  readonly change: (request: ToyRequest) => ToyRequest;
}

const CHAT = { model: 'chat-small', messages: [{ role: 'user', content: 'Hello.' }] };
const V2 = { 'vendor-beta': 'assistants=v2' };
const V1 = { 'vendor-beta': 'assistants=v1' };

export async function runToyClient(baseUrl: string, mistake: Mistake | null): Promise<void> {
  const session = new ToySession(baseUrl, mistake);
  await session.post('chat', '/chat/completions', { ...CHAT, temperature: 0.5, stop: ['x'], user: 'me' });
  await session.post('json-mode', '/chat/completions', {
    model: 'chat-small',
    messages: [{ role: 'user', content: 'Write JSON.' }],
    response_format: { type: 'json_object' },
  });
  await session.post('moderation', '/moderations', { input: 'Hello.' });
  await session.post('speech', '/audio/speech', { model: 'tts-1', input: 'Hi.', voice: 'alloy', speed: 1 });
  await session.post('image', '/images/generations', { prompt: 'A cat.', n: 1, size: '256x256' });
  await session.form('edit', '/images/edits', { image: picture(16, 16), prompt: 'A hat.', size: '256x256' });
  await session.form('transcription', '/audio/transcriptions', {
    file: new File([Buffer.from('RIFF0000WAVEfmt ')], 'a.wav'),
    model: 'listening',
  });
  await useAssistants(session);
  await useFiles(session);
  await session.get('models', '/models');
}

async function useAssistants(session: ToySession): Promise<void> {
  const fields = { model: 'chat-small', name: 'Toy', metadata: { a: 'b' }, temperature: 0.5 };
  const assistant = await session.post('assistant', '/assistants', fields, V2);
  await session.get('assistants', '/assistants?limit=1&order=asc', V2);
  await session.get('retrieve', `/assistants/${assistant}`, V2);
  const thread = await session.post('thread', '/threads', { metadata: {} }, V2);
  const path = `/threads/${thread}/messages`;
  const message = await session.post('message', path, { role: 'user', content: 'Hi.' }, V1);
  await session.post('reply', path, { role: 'assistant', content: 'Hi.' }, V1);
  await session.get('messages', `${path}?limit=20&after=${message}`, V1);
  await session.post('modify', `${path}/${message}`, { metadata: { c: 'd' } }, V1);
  const store = await session.post('store', '/vector_stores', { name: 'Toy' }, V2);
  await session.get('store-files', `/vector_stores/${store}/files?filter=completed`, V2);
}

async function useFiles(session: ToySession): Promise<void> {
  const batch = await session.form('batch-file', '/files', {
    purpose: 'batch',
    file: toyBatchFile(toyBatchLine(), toyBatchLine({ custom_id: '2' })),
  });
  const other = await session.form('other-file', '/files', {
    purpose: 'assistants',
    file: new File(['Hello.'], 'notes.txt'),
  });
  session.fileIds = { batch, other };
  await session.post('batch', '/batches', {
    input_file_id: batch,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const training = await session.form('training-file', '/files', {
    purpose: 'fine-tune',
    file: new File([trainingLines()], 'train.jsonl'),
  });
  await session.post('job', '/fine_tuning/jobs', {
    model: 'chat-small',
    training_file: training,
    suffix: 'toy',
  });
  await session.get('files', '/files?purpose=batch');
}

export function toyBatchLine(
  members: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: CHAT, ...members };
}

export function toyBatchFile(...lines: readonly unknown[]): File {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return new File([text], 'input.jsonl');
}

function trainingLines(): string {
  const message = {
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  };
  return `${JSON.stringify(message)}\n`.repeat(10);
}

export function picture(width: number, height: number): File {
  return new File([new Uint8Array(PNG.sync.write(new PNG({ width, height })))], 'picture.png');
}

class ToySession {
  readonly #baseUrl: string;
  readonly #mistake: Mistake | null;
  /** Ids that replace `{batch}` and `{other}` in JSON bodies: mistakes name files before they are uploaded. */
  fileIds: Readonly<Record<string, string>> = {};

  constructor(baseUrl: string, mistake: Mistake | null) {
    this.#baseUrl = baseUrl;
    this.#mistake = mistake;
  }

  get(step: string, path: string, headers: ToyRequest['headers'] = {}): Promise<string> {
    return this.#send(step, { method: 'GET', path, headers });
  }

  post(
    step: string,
    path: string,
    json: Readonly<Record<string, unknown>>,
    headers: ToyRequest['headers'] = {},
  ): Promise<string> {
    return this.#send(step, { method: 'POST', path, headers, json });
  }

  form(step: string, path: string, form: NonNullable<ToyRequest['form']>): Promise<string> {
    return this.#send(step, { method: 'POST', path, headers: {}, form });
  }

  async #send(step: string, plain: ToyRequest): Promise<string> {
    const keyed = { ...plain, headers: { authorization: 'Bearer toy-key', ...plain.headers } };
    const request = step === this.#mistake?.step ? this.#mistake.change(keyed) : keyed;
    const response = await fetch(`${this.#baseUrl}${request.path}`, this.#createInit(request));
    const text = await response.text();
    try {
      const { id } = JSON.parse(text) as { id?: string }; // as: other answers have no id
      return id ?? '';
    } catch {
      return '';
    }
  }

  #createInit({ method, headers, json, form, text }: ToyRequest): RequestInit {
    if (form !== undefined) {
      const body = new FormData();
      for (const [name, value] of Object.entries(form)) body.append(name, value);
      return { method, headers, body };
    }
    const content = text ?? (json === undefined ? undefined : JSON.stringify(json));
    if (content === undefined) return { method, headers };
    const body = content.replace(/\{(batch|other)\}/g, (_, name: string) => this.fileIds[name] ?? '');
    return { method, headers: { 'content-type': 'application/json', ...headers }, body };
  }
}
