// The lines of a batch input. Their bodies are judged by `judge/client/batched-requests.ts`, like those of single requests.

import { BATCH_ENDPOINTS, type BatchRequestLine, batchLinesOf, UPLOAD } from '../../judge/client/uploads.ts';
import { inFilePart, inRequest, setValue } from '../vocabulary/changes.ts';
import { LruMap } from '../vocabulary/collecting.ts';
import { isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Json, Mutation, RequestEvidence, Selector, Violation } from '../vocabulary/types.ts';

import { type BatchInput, batchInputs } from './files.client.ts';

const { stated } = section('2 Batch');

const CHAT = '/v1/chat/completions';
const COMPLETIONS = '/v1/completions';
const FIELDS = { custom_id: 'string', method: 'string', url: 'string', body: 'object' } as const;

function first(
  { lines }: BatchInput,
  check: (line: BatchRequestLine) => Violation | null,
): readonly Violation[] {
  for (const line of lines) {
    const found = check(line);
    if (found !== null) return [found];
  }
  return [];
}

function withField(name: string): Selector<BatchInput> {
  return where(batchInputs, ({ lines }) => lines.some(({ value }) => textAt(value, name) !== undefined));
}

function eachLine(change: (line: Readonly<Record<string, Json>>, i: number) => Json): Mutation {
  return inFilePart([UPLOAD], 'file', (bytes) => {
    const lines = Buffer.from(bytes).toString().split('\n');
    return Buffer.from(lines.map((line, i) => rewritten(line, (value) => change(value, i))).join('\n'));
  });
}

function rewritten(line: string, change: (value: Readonly<Record<string, Json>>) => Json): string {
  if (!line.startsWith('{')) return line;
  const value = JSON.parse(line) as Json; // as: JSON.parse gives exactly Json, the library types it any
  return isObject(value) ? JSON.stringify(change(value)) : line;
}

function hasType(value: Json | undefined, type: 'string' | 'object'): boolean {
  return type === 'object' ? isObject(value) : typeof value === 'string';
}

export const clientBatchesLineFields = stated('client.batches.line-fields', {
  says: 'Each line of the input of a batch is an object with custom_id, method, url and body.',
  selector: batchInputs,
  check: (input) =>
    first(input, ({ at, value }) => {
      if (!isObject(value)) return { at, expected: 'an object', actual: value };
      for (const [name, type] of Object.entries(FIELDS))
        if (!hasType(value[name], type))
          return { at: `${at} /${name}`, expected: `a ${type}`, actual: value[name] };
      return null;
    }),
  mutations: {
    'no custom_id': eachLine(({ custom_id: _, ...rest }) => rest),
    'no method': eachLine(({ method: _, ...rest }) => rest),
    'no url': eachLine(({ url: _, ...rest }) => rest),
    'no body': eachLine(({ body: _, ...rest }) => rest),
    'a number as custom_id': eachLine((line, i) => ({ ...line, custom_id: i })),
    'the body as a text': eachLine((line) => ({ ...line, body: JSON.stringify(line['body'] ?? null) })),
    lists: eachLine((line) => [line]),
  },
});

/** Per file: another file may reuse the ids. Lines without a custom_id fail `client.batches.line-fields`. */
export const clientBatchesCustomIds = stated('client.batches.custom-ids', {
  says: 'No two lines of the input of a batch have the same custom_id.',
  selector: withField('custom_id'),
  check: (input) => {
    const known = new Set<string>();
    return first(input, ({ at, value }) => {
      const id = textAt(value, 'custom_id');
      if (id === undefined) return null;
      if (known.has(id))
        return { at: `${at} /custom_id`, expected: 'a custom_id that no earlier line has', actual: id };
      known.add(id);
      return null;
    });
  },
  mutations: {
    'all the same': eachLine((line) => ({ ...line, custom_id: 'request' })),
    'the last is the first': inFilePart([UPLOAD], 'file', repeatedFirst),
  },
});

function repeatedFirst(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(`${text.trimEnd()}\n${text.slice(0, text.indexOf('\n'))}\n`);
}

/** In capital letters: methods of HTTP have a case. */
export const clientBatchesLineMethod = stated('client.batches.line-method', {
  says: 'Each line of the input of a batch has the method POST.',
  selector: withField('method'),
  check: (input) =>
    first(input, ({ at, value }) => {
      const method = textAt(value, 'method');
      return method === undefined || method === 'POST'
        ? null
        : { at: `${at} /method`, expected: 'POST', actual: method };
    }),
  mutations: {
    GET: eachLine((line) => ({ ...line, method: 'GET' })),
    'small letters': eachLine((line) => ({ ...line, method: 'post' })),
  },
});

/** The path as listed: no host, and with /v1. A dialect may excuse endpoints of later services. */
export const clientBatchesLineUrl = stated('client.batches.line-url', {
  says: 'Each line of the input of a batch names one of the three endpoints that batches take.',
  selector: withField('url'),
  check: (input) =>
    first(input, ({ at, value }) => {
      const url = textAt(value, 'url');
      return url === undefined || BATCH_ENDPOINTS.includes(url)
        ? null
        : { at: `${at} /url`, expected: BATCH_ENDPOINTS.join(' or '), actual: url };
    }),
  mutations: {
    'another endpoint': eachLine((line) => ({ ...line, url: '/v1/models' })),
    'without the version': eachLine((line) => ({ ...line, url: '/chat/completions' })),
    'a whole URL': eachLine((line) => ({ ...line, url: 'https://service.example/v1/chat/completions' })),
  },
});

const MOST_INPUTS = 1000;

interface BatchWithInput extends RequestEvidence {
  /** The place of the first line by endpoint: `request file file line 3`. */
  readonly endpoints: ReadonlyMap<string, string>;
}

const batchesWithInput: Selector<BatchWithInput> = {
  operations: ['createBatch', UPLOAD],
  variant: null,
  collect: () => {
    const inputs = new LruMap<ReadonlyMap<string, string>>(MOST_INPUTS);
    return {
      call: (call) => {
        const { requestJson: asked } = call;
        if (call.operation.id === 'createBatch') {
          const endpoints = inputs.get(textAt(asked, 'input_file_id') ?? '');
          if (endpoints === undefined || textAt(asked, 'endpoint') === undefined) return [];
          return [{ exchanges: [call.exchange], call, asked, endpoints }];
        }
        const id = textAt(call.responseJson, 'id');
        const endpoints = endpointsOf(batchLinesOf(call));
        if (id !== undefined && endpoints.size > 0) inputs.set(id, endpoints);
        return [];
      },
    };
  },
};

function otherEndpoint(endpoint: Json | undefined): Json {
  return endpoint === CHAT ? COMPLETIONS : CHAT;
}

function endpointsOf(lines: readonly BatchRequestLine[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { at, value } of lines) {
    const url = valueAtPath(value, 'url');
    if (typeof url === 'string' && BATCH_ENDPOINTS.includes(url) && !found.has(url)) found.set(url, at);
  }
  return found;
}

/**
 * Judged only if the trace contains the upload of the input. Whether a service runs lines of other endpoints is a choice; the
 * client has to keep to one.
 */
export const clientBatchesSameEndpoint = stated('client.batches.same-endpoint', {
  says: 'A client creates a batch for the endpoint that each line of its input names.',
  selector: batchesWithInput,
  check: ({ asked, endpoints }) => {
    const endpoint = textAt(asked, 'endpoint');
    const [other] = [...endpoints].filter(([url]) => url !== endpoint);
    if (other === undefined) return [];
    const [url, at] = other;
    const line = at.slice(at.indexOf('line'));
    return [{ at: 'request /endpoint', expected: `${url}, as in ${line} of the input`, actual: endpoint }];
  },
  mutations: {
    'another batch': inRequest(['createBatch'], setValue('/endpoint', otherEndpoint)),
    'other lines': eachLine((line) => ({ ...line, url: otherEndpoint(line['url']) })),
    'one line of another endpoint': inFilePart([UPLOAD], 'file', (bytes) =>
      Buffer.concat([
        bytes,
        Buffer.from('\n{"custom_id":"one-more","method":"POST","url":"/v1/embeddings","body":{}}\n'),
      ]),
    ),
  },
});
