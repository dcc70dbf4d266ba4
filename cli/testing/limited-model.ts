import { requestBodyOf, startUpstream, type TestUpstream } from '../../proxy/testing/upstream.ts';
import { isObject, tryParseJson } from '../../schemas/json.ts';

const CONTEXT_TOKENS = 512;
const CHARACTERS_PER_TOKEN = 4;
/** Requests that the service handles concurrently; the others wait. */
const SLOTS = 2;

/** Fields for capabilities that the model lacks; the service accepts and ignores them. */
const IGNORED_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls', 'response_format'];

/**
 * Serves a small model in front of `upstream`, as a correct service would: the model calls no function, ends no reply
 * by itself, fills JSON mode with white space, and has a context of `CONTEXT_TOKENS`.
 */
export function serveLimitedModel(upstream: string): Promise<TestUpstream> {
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
  return startUpstream((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const serve = async () => {
      const bytes = await requestBodyOf(incoming);
      const body = /\/completions$/.test(url) ? objectIn(bytes.toString()) : null;
      const refusal = body === null ? null : refusalOf(body);
      if (refusal !== null) {
        outgoing.writeHead(400, { 'content-type': 'application/json' }).end(refusal);
        return;
      }
      const { 'content-length': _, host: __, connection: ___, ...fields } = headers;
      const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
      const send = (content: Uint8Array<ArrayBuffer> | string) =>
        fetch(`${origin}${url}`, { method, headers: pairs, ...(content.length > 0 && { body: content }) });
      // The request is sent unchanged first, so that the service refuses invalid ones.
      const unchanged = await send(new Uint8Array(bytes));
      const isFinal = body === null || !unchanged.ok;
      const answer = isFinal ? unchanged : await send(JSON.stringify(withoutIgnoredFields(body)));
      const text = await answer.text();
      outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      outgoing.end(body === null ? text : limitedAnswer(text, body));
    };
    void withSlot(serve).catch(() => outgoing.destroy());
  });
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(text: string): Fields | null {
  const value = tryParseJson(text);
  return isObject(value) ? value : null;
}

function refusalOf({ messages, prompt = '', tools, ...body }: Fields): string | null {
  const promptTokens = Math.ceil(JSON.stringify([messages ?? prompt, tools]).length / CHARACTERS_PER_TOKEN);
  const limits = [body['max_completion_tokens'], body['max_tokens']];
  const completionTokens = limits.find((limit) => typeof limit === 'number') ?? 0;
  if (promptTokens + completionTokens <= CONTEXT_TOKENS) return null;
  const message = `the request exceeds the available context size of ${CONTEXT_TOKENS} tokens`;
  return JSON.stringify({ error: { message, type: 'exceed_context_size_error', param: null, code: 400 } });
}

function withoutIgnoredFields(body: Fields): Fields {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !IGNORED_FIELDS.includes(name)));
}

function limitedAnswer(text: string, { stop, response_format: format }: Fields): string {
  const content = stop == null ? text.replaceAll('"finish_reason":"stop"', '"finish_reason":"length"') : text;
  const isJsonMode = isObject(format) && format['type'] === 'json_object';
  if (!isJsonMode) return content;
  return content.replaceAll(/"content":"(?:[^"\\]|\\.)*"/g, String.raw`"content":"\n\n"`);
}
