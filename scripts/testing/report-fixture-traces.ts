// Two traces of imaginary targets. Comments say what the exchanges of the broken target show in reports.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { NoteContent, TraceItem } from '../../exchange/trace.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder } from '../../judge/testing/trace-builder.ts';

const STEP_MS = 2.25;
/** Creation time of every object, in Unix seconds. */
const CREATED = 1_700_000_000;
const MODEL = { id: 'tiny', object: 'model', created: CREATED, owned_by: 'us' };
const LIST = { object: 'list', data: [MODEL] };
const COMPLETION = {
  id: 'chatcmpl-2',
  object: 'chat.completion',
  created: CREATED,
  model: 'tiny',
  system_fingerprint: 'fp_1',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello' }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
};
/** Its filename would clear a screen and reverse the text direction. */
const FILE = {
  id: 'file-9',
  object: 'file',
  bytes: '12',
  created_at: CREATED,
  filename: 'a\u001b[2J\u202e.jsonl',
  purpose: 'batch',
  status: 'processed',
};

class Session {
  /** Exchanges and notes in the order in which a recorder would write them. */
  readonly items: TraceItem[] = [];
  readonly #trace = new TraceBuilder();

  /** Adds an exchange that begins after all previous ones have ended. */
  add(operation: string, request: RequestSketch = {}, response: ResponseSketch = {}): Exchange {
    const exchange = withTimes(this.#trace.add(operation, request, response));
    this.items.push(exchange);
    return exchange;
  }

  note(content: NoteContent): void {
    this.items.push({ after: this.#trace.exchanges.length, ...content });
  }
}

/** Adds the key, and times for each piece of the body: one for each event of a stream, one for any other body. */
function withTimes(exchange: Exchange): Exchange {
  const { request, response, end } = exchange;
  const headers = [['authorization', 'Bearer key-alias-000000000000'] as const, ...request.headers];
  // Without a response, the connection breaks after the time that a slow target takes.
  if (response === null)
    return {
      ...exchange,
      request: { ...request, headers },
      end: { how: 'upstream-reset', detail: 'ECONNRESET', at: 120.4 },
    };
  // A piece begins where an event begins: after the blank line that ends the previous event.
  const offsets = [
    0,
    ...[...(response.body.text ?? '').matchAll(/\n\n(?=.)/gs)].map(({ index }) => index + 2),
  ];
  const pieces = offsets.map((offset, place) => ({ offset, at: 9.4 + place * STEP_MS }));
  const last = pieces.at(-1)?.at ?? 0;
  return {
    ...exchange,
    request: { ...request, headers },
    response: { ...response, pieces },
    end: { ...end, at: last + 0.5 },
  };
}

export function greenTrace(): readonly TraceItem[] {
  const session = new Session();
  session.add('listModels', {}, { json: LIST });
  session.add('listModels', {}, { json: LIST });
  session.add('retrieveModel', { path: { model: 'tiny' } }, { json: MODEL });
  return session.items;
}

export function brokenTrace(): readonly TraceItem[] {
  const session = new Session();
  session.add('listModels', {}, { json: LIST });
  session.add('retrieveModel', { path: { model: 'tiny' } }, { json: MODEL });
  addWrongAnswers(session);
  addRefusals(session);
  addUnprovenViolation(session);
  // A connection that breaks before the response.
  session.add('retrieveFileContent', { path: { file_id: 'file-9' } }, { status: 0, how: 'upstream-reset' });
  // An operation that the target does not offer.
  session.add('deleteModel', { path: { model: 'tiny' } }, { status: 405, json: refusal('no such route') });
  addBlockedScenarios(session);
  addRuns(session);
  return session.items;
}

/** Responses that each violate a requirement: a stream, a field in one and in many places, a body that is not JSON. */
function addWrongAnswers(session: Session): void {
  // The stream sends `finish_reason` before its last content; the prompt would colour a terminal red.
  session.add(
    'createChatCompletion',
    { body: chat("It's \u001b[31mred", { stream: true }) },
    { events: EARLY_END },
  );
  session.add('retrieveFile', { path: { file_id: 'file-9' } }, { json: FILE });
  const data = Array.from({ length: 8 }, (_, place) => ({ ...FILE, id: `file-${place}` }));
  session.add('listFiles', {}, { json: { object: 'list', data } });
  // An HTML page from a proxy instead of a list.
  session.add(
    'listModels',
    {},
    { text: '<html><body>Hello</body></html>', headers: [['content-type', 'text/html; charset=utf-8']] },
  );
}

/**
 * Three refusals with one cause, because the model produces one completion per request, and replies that show two
 * alternatives of `chat.model.echo`.
 */
function addRefusals(session: Session): void {
  for (const words of ['One', 'Two', 'Three'])
    session.add(
      'createChatCompletion',
      { body: chat(words, { n: 2 }) },
      { status: 400, json: refusal('n must be 1') },
    );
  // Three replies, one of which names another model.
  for (const [place, model] of ['tiny', 'tiny', 'tiny-2'].entries())
    session.add(
      'createChatCompletion',
      { body: chat('Hi', { n: 1 }) },
      { json: { ...COMPLETION, model, id: `chatcmpl-${place + 3}` } },
    );
}

/** A violation proves nothing if the target responds with a failure of its own. */
function addUnprovenViolation(session: Session): void {
  const probe = {
    operation: 'createChatCompletion',
    pointer: 'body.temperature',
    keyword: 'maximum',
  } as const;
  session.add(
    'createChatCompletion',
    { body: chat('Hi', { temperature: 2 }), probe: { ...probe, id: 'p1', side: 'valid', control: null } },
    { json: COMPLETION },
  );
  session.add(
    'createChatCompletion',
    {
      body: chat('Hi', { temperature: 2.1 }),
      probe: { ...probe, id: 'p2', side: 'violation', control: 'p1' },
    },
    { status: 500, json: refusal('internal') },
  );
}

/** A scenario that a response blocks, and one that no model is configured for. */
function addBlockedScenarios(session: Session): void {
  session.note({ note: 'scenario-started', scenario: 'files.life.batch' });
  const { id } = session.add(
    'retrieveFile',
    { path: { file_id: 'file-3' } },
    { status: 500, json: refusal('disk') },
  );
  session.note({
    note: 'blocked',
    scenario: 'files.life.batch',
    by: id,
    obstacle: { kind: 'answered', method: 'GET', path: '/v1/files/{file_id}', status: 500 },
  });
  session.note({ note: 'scenario-ended', scenario: 'files.life.batch' });
  session.note({
    note: 'scenario-skipped',
    scenario: 'chat.probe.createChatCompletion.messages.vision',
    reason: 'not-configured',
    missing: { what: 'model', role: 'vision' },
  });
}

/** Streamed runs for the state diagram: one that completes, one that skips `in_progress`, and one that fails. */
function addRuns(session: Session): void {
  for (const [place, statuses] of [
    ['queued', 'in_progress', 'completed'],
    ['queued', 'completed'],
    ['queued', 'in_progress', 'failed'],
  ].entries()) {
    // The first event announces the object, the others name the state that it enters.
    const events = statuses.map((status, step) => ({
      event: step === 0 ? 'thread.run.created' : `thread.run.${status}`,
      data: { id: `run_${place}`, object: 'thread.run', created_at: CREATED, status },
    }));
    session.add('createRun', { path: { thread_id: 'thread_1' }, body: { stream: true } }, { events });
  }
}

/** Data of the events of a stream whose second chunk already has the finish_reason of the last. */
const EARLY_END: readonly Json[] = [
  chunk({ role: 'assistant', content: '' }, null),
  chunk({ content: 'Hel' }, 'stop'),
  chunk({ content: 'lo' }, null),
  chunk({}, 'stop'),
  '[DONE]',
];

function chunk(delta: Readonly<Record<string, Json>>, finish: 'stop' | null): Json {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: CREATED,
    model: 'tiny',
    system_fingerprint: 'fp_1',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  };
}

function chat(words: string, more: Readonly<Record<string, Json>>): Json {
  return { model: 'tiny', messages: [{ role: 'user', content: words }], ...more };
}

/** The body of a refusal, in the form that most services use; the specification leaves it open. */
function refusal(message: string): Json {
  return { error: { message, type: 'error', param: null, code: null } };
}
