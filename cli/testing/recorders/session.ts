/** A request of the session. `{name}` in `path` or `json` is replaced by the id that an earlier step kept as `name`. */
export interface SessionStep {
  readonly method: string;
  readonly path: string;
  readonly json?: object;
  /** Fields of a form; those with a file name are files. */
  readonly form?: readonly (readonly [name: string, value: string, filename?: string])[];
  readonly beta?: string;
  /** Name under which the `id` of the response is kept for later steps. */
  readonly keep?: string;
}

const beta = 'assistants=v2';
const message = { role: 'user', content: 'Hello' };
const messages = [message];
const model = 'chat-small';

export const SESSION: readonly SessionStep[] = [
  { method: 'GET', path: '/models' },
  { method: 'POST', path: '/chat/completions', json: { model, messages } },
  { method: 'POST', path: '/chat/completions', json: { model, messages, stream: true } },
  { method: 'POST', path: '/moderations', json: { input: 'Hello' } },
  {
    method: 'POST',
    path: '/files',
    form: [
      ['purpose', 'assistants'],
      ['file', 'Some words.', 'words.txt'],
    ],
    keep: 'file',
  },
  { method: 'GET', path: '/files' },
  { method: 'GET', path: '/files/{file}' },
  { method: 'GET', path: '/files/{file}/content' },
  { method: 'DELETE', path: '/files/{file}' },
  { method: 'GET', path: '/files/{file}' },
  { method: 'POST', path: '/assistants', json: { model, name: 'One' }, beta, keep: 'assistant' },
  { method: 'POST', path: '/assistants/{assistant}', json: { name: 'Two' }, beta },
  { method: 'GET', path: '/assistants/{assistant}', beta },
  { method: 'POST', path: '/threads', json: { messages }, beta, keep: 'thread' },
  { method: 'POST', path: '/threads/{thread}/messages', json: message, beta },
  { method: 'GET', path: '/threads/{thread}/messages?order=asc', beta },
  {
    method: 'POST',
    path: '/threads/{thread}/runs',
    json: { assistant_id: '{assistant}', stream: true },
    beta,
  },
  { method: 'GET', path: '/threads/{thread}/messages?order=asc', beta },
  { method: 'DELETE', path: '/assistants/{assistant}', beta },
];

/**
 * Sends the requests in sequence with the global `fetch`. Refers to nothing else in this module, so that Playwright can
 * run it in a browser. Rejects if a request gets no response, or if a response whose id is kept is not JSON.
 */
export async function sendSession({
  base,
  steps,
}: {
  readonly base: string;
  readonly steps: readonly SessionStep[];
}): Promise<void> {
  const ids: Record<string, string> = {};
  const fillIds = (text: string) => text.replace(/\{(\w+)\}/g, (all, name: string) => ids[name] ?? all);
  for (const { method, path, json, form, beta: version, keep } of steps) {
    const fields = new FormData();
    for (const [name, value, filename] of form ?? []) {
      if (filename === undefined) fields.append(name, value);
      else fields.append(name, new Blob([value]), filename);
    }
    const text = json === undefined ? undefined : fillIds(JSON.stringify(json));
    const body = form === undefined ? text : fields;
    const response = await fetch(`${base}${fillIds(path)}`, {
      method,
      headers: {
        authorization: 'Bearer of-a-test',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(version === undefined ? {} : { 'Vendor-Beta': version }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const content = await response.text();
    if (keep !== undefined) ids[keep] = String(JSON.parse(content).id);
  }
}
