import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';

export interface PlainResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON body; `{}` for an event stream. */
  readonly json: Readonly<Record<string, Json>>;
  /** The named events of a stream, without the final `[DONE]`. */
  readonly events: readonly { readonly event: string; readonly data: JsonObject }[];
}

export type PlainCall = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<PlainResponse>;

export function createPlainClient(url: string, version: 'v1' | 'v2' = 'v2'): PlainCall {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'vendor-beta': `assistants=${version}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
    const { status, headers } = response;
    return {
      status,
      headers,
      // Throws for a body that is not JSON, which fails the test that sent the request.
      json: isStream ? {} : JSON.parse(text),
      events: isStream ? readEvents(text) : [],
    };
  };
}

/** Returns the status, and the `param` of the error; without an error it is undefined. */
export async function requestRefusal(call: PlainCall, path: string, body: object) {
  const { status, json } = await call('POST', path, body);
  const { error } = json;
  return [status, isJsonObject(error) ? error['param'] : undefined];
}

export async function uploadPlainFile(
  url: string,
  name = 'notes.txt',
  text = 'Some notes.',
  purpose = 'assistants',
) {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', new File([text], name));
  const response = await fetch(`${url}/files`, { method: 'POST', body: form });
  return idOfObject(await response.json());
}

export function idOfObject(value: unknown): string {
  const id: unknown = Object(value).id;
  if (typeof id !== 'string') throw new Error(`no id in ${JSON.stringify(value)}`);
  return id;
}

export const pluck = (list: PlainResponse, field: string): Json[] =>
  Array.isArray(list.json['data']) ? list.json['data'].map((item: JsonObject) => item[field] ?? null) : [];

function readEvents(text: string): PlainResponse['events'] {
  const frames = [...text.matchAll(/event: (.*)\ndata: (.*)\n\n/g)];
  return frames.flatMap(([, event = '', data = '']) =>
    data === '[DONE]' ? [] : [{ event, data: JSON.parse(data) }],
  );
}
