import { buffer } from 'node:stream/consumers';
import { type TestUpstream, testUpstream } from '../../proxy/testing/upstream.ts';
import { isObject } from '../../schemas/json.ts';

/** The context of the model in tokens, and the bytes of one token. */
const CONTEXT_TOKENS = 512;
const BYTES_PER_TOKEN = 4;
/** Requests that the service handles concurrently; the others wait. */
const SLOTS = 2;

/** Fields for capabilities that the model lacks; the service accepts them anyway. */
const WITHOUT_EFFECT = ['tools', 'tool_choice', 'parallel_tool_calls', 'response_format'];

/**
 * A correct service with a small model in front of `upstream`: the model calls no function, never ends a reply by
 * itself, fills JSON mode with white space, and has a context of 512 tokens. Two requests run at a time.
 */
export function limitedModel(upstream: string): Promise<TestUpstream> {
  const { origin } = new URL(upstream);
  let running = 0;
  const waiting: (() => void)[] = [];
  const withSlot = async (work: () => Promise<void>) => {
    if (running >= SLOTS) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    await work().finally(() => {
      running -= 1;
      waiting.shift()?.();
    });
  };
  return testUpstream((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const serve = async () => {
      const given = await buffer(incoming);
      const body = /\/completions$/.test(url) ? objectIn(given.toString()) : null;
      const refusal = body === null ? null : refusalOf(body);
      if (refusal !== null) {
        outgoing.writeHead(400, { 'content-type': 'application/json' }).end(refusal);
        return;
      }
      const { 'content-length': _, host: __, connection: ___, ...fields } = headers;
      const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
      const send = (sent: Uint8Array<ArrayBuffer> | string) =>
        fetch(`${origin}${url}`, { method, headers: pairs, ...(sent.length > 0 && { body: sent }) });
      // The request is sent unchanged first, so that the service refuses invalid ones.
      const checked = await send(new Uint8Array(given));
      const answer = body === null || !checked.ok ? checked : await send(JSON.stringify(withoutFields(body)));
      const text = await answer.text();
      outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      outgoing.end(body === null ? text : limitedAnswer(text, body));
    };
    void withSlot(serve).catch(() => outgoing.destroy());
  });
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function refusalOf({
  messages,
  prompt = '',
  tools,
  ...body
}: Readonly<Record<string, unknown>>): string | null {
  const read = Math.ceil(JSON.stringify([messages ?? prompt, tools]).length / BYTES_PER_TOKEN);
  const [most] = [body['max_completion_tokens'], body['max_tokens'], 0].filter(
    (one) => typeof one === 'number',
  );
  if (read + Number(most) <= CONTEXT_TOKENS) return null;
  const message = `the request exceeds the available context size of ${CONTEXT_TOKENS} tokens`;
  return JSON.stringify({ error: { message, type: 'exceed_context_size_error', param: null, code: 400 } });
}

function withoutFields(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !WITHOUT_EFFECT.includes(name)));
}

/**
 * The response as this model writes it: cut off at the limit, unless a stop sequence ends it, and white space in JSON
 * mode.
 */
function limitedAnswer(
  text: string,
  { stop, response_format: format }: Readonly<Record<string, unknown>>,
): string {
  const cut = stop == null ? text.replaceAll('"finish_reason":"stop"', '"finish_reason":"length"') : text;
  const isJsonMode = isObject(format) && format['type'] === 'json_object';
  return isJsonMode ? cut.replaceAll(/"content":"(?:[^"\\]|\\.)*"/g, String.raw`"content":"\n\n"`) : cut;
}
