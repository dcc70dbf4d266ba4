import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations, schema } from '../schemas/index.ts';
import { modelRoles } from './model/catalogue.ts';
import { type Reference, serveReference } from './service.ts';
import { editJson, type JsonEdit } from './testing/edit-json.ts';

const SEED = 20_240_513;
const REQUEST_COUNT = 2_000;

let directory: string;
let reference: Reference;
let ids: Record<string, string>;
const examples = new Map<string, unknown[]>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-reference-fuzz-'));
  reference = await serveReference({ directory });
  ids = await populate(reference.url);
  const folder = join(createRequire(import.meta.url).resolve('#schemas/openapi.json'), '../examples');
  for (const name of bodySchemas()) {
    const exampleFile: { valid: { value: unknown }[] } = JSON.parse(
      await readFile(join(folder, `${name}.json`), 'utf8'),
    );
    examples.set(
      name,
      exampleFile.valid.map(({ value }) => withRealIds(name, value)),
    );
  }
});

afterAll(async () => {
  await reference.close();
  await rm(directory, { recursive: true });
});

const bodySchemas = () =>
  new Set(operations().flatMap(({ variants }) => variants.flatMap(({ body }) => body?.schema ?? [])));

function withRealIds(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const model = Reflect.get(Object(schema(name)['properties']), 'model');
  const role: unknown = Reflect.get(Object(model), 'x-model-role');
  const real: Record<string, unknown> = {
    model: Reflect.get(modelRoles, String(role)),
    training_file: ids['file_id'],
    file_ids: [ids['file_id']],
    file_id: ids['file_id'],
    assistant_id: ids['assistant_id'],
  };
  return Object.fromEntries(Object.entries(value).map(([key, invented]) => [key, real[key] ?? invented]));
}

async function populate(url: string): Promise<Record<string, string>> {
  const create = async (path: string, body: unknown): Promise<{ id: string }> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const form = new FormData();
  form.append('purpose', 'fine-tune');
  form.append('file', new Blob(['{"messages":[{"role":"user","content":"Hi"}]}']), 'a.jsonl');
  const file: { id: string } = await (await fetch(`${url}/files`, { method: 'POST', body: form })).json();
  const assistant = await create('/assistants', { model: 'chat-large' });
  const thread = await create('/threads', { messages: [{ role: 'user', content: 'Hi' }] });
  const run = await create(`/threads/${thread.id}/runs`, { assistant_id: assistant.id });
  const store = await create('/vector_stores', { file_ids: [file.id] });
  const job = await create('/fine_tuning/jobs', { model: 'chat-small', training_file: file.id });
  return {
    model: 'chat-large',
    file_id: file.id,
    assistant_id: assistant.id,
    thread_id: thread.id,
    run_id: run.id,
    vector_store_id: store.id,
    fine_tuning_job_id: job.id,
  };
}

type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array; readonly isCut: boolean }
  | { readonly kind: 'json'; readonly value: unknown; readonly isCut: boolean }
  | { readonly kind: 'mutated'; readonly base: number; readonly edits: readonly JsonEdit[] }
  | {
      readonly kind: 'form';
      readonly base: number;
      readonly edits: readonly JsonEdit[];
      /** Index of the content of every file part. */
      readonly file: number;
      readonly hasEnd: boolean;
      readonly isCut: boolean;
    };

const strange = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 0, 1e308, 2 ** 53, 0.5, '', ' ', '\u0000', '\ud800', '__proto__', 'x'.repeat(70_000)),
  fc.constantFrom(
    {},
    [],
    [[]],
    [null],
    JSON.parse('{"__proto__":null}'),
    { type: 'function' },
    { constructor: 1 },
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 1, max: 600 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))),
);
const edits = fc.array(fc.record({ at: fc.nat(40), to: strange }), { maxLength: 3 });
const types = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  '',
);
const rarelyTrue = fc.nat(5).map((n) => n === 0);
const payload: fc.Arbitrary<Payload> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc.record({
    kind: fc.constant('bytes' as const),
    type: types,
    bytes: fc.uint8Array({ maxLength: 300 }),
    isCut: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('json' as const), value: strange, isCut: fc.boolean() }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('mutated' as const), base: fc.nat(9), edits }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('form' as const),
      base: fc.nat(9),
      edits,
      file: fc.nat(4),
      hasEnd: rarelyTrue.map((isMissing) => !isMissing),
      isCut: rarelyTrue,
    }),
  },
);
const names = fc.oneof(
  fc.constantFrom('limit', 'order', 'after', 'before', 'purpose', 'filter', 'run_id', '__proto__', 'limit[]'),
  fc.string({ maxLength: 5 }),
);
const values = fc.oneof(
  fc.constantFrom('1', '0', '-1', '101', 'x', 'asc', 'desc', '', 'null', '1e3', '99999999999999999999'),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
);
const attempt = fc.record({
  operation: fc.constantFrom(...operations()),
  hasKnownIds: fc.boolean(),
  id: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom('%00', '..', '%', 'a'.repeat(5000)),
  ),
  query: fc.array(fc.tuple(names, values), { maxLength: 3 }),
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('PUT', 'PATCH', 'GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS') },
  ),
  beta: fc.constantFrom(undefined, 'assistants=v1', 'assistants=v2', 'assistants=v3', 'x, assistants=v1'),
  payload,
});
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

function mutate(schemaName: string | null, base: number, changes: readonly JsonEdit[]): unknown {
  const bodies = examples.get(schemaName ?? '') ?? [{}];
  return editJson(bodies[base % bodies.length], changes);
}

const picture = PNG.sync.write(new PNG({ width: 16, height: 16 }));
const contents = [
  picture,
  Buffer.alloc(0),
  Buffer.from('{}'),
  picture.subarray(0, 60),
  Buffer.alloc(300_000, 1), // written to disk; smaller contents stay in memory
];

function encode({
  operation,
  payload: content,
}: Attempt): { type: string; bytes: Uint8Array; isCut: boolean } | null {
  const schemaName = operation.variants[0]?.body?.schema ?? null;
  switch (content.kind) {
    case 'none':
      return null;
    case 'bytes':
      return content;
    case 'json':
      return {
        type: 'application/json',
        bytes: Buffer.from(JSON.stringify(content.value) ?? ''),
        isCut: content.isCut,
      };
    case 'mutated': {
      const text = JSON.stringify(mutate(schemaName, content.base, content.edits)) ?? '';
      return { type: 'application/json', bytes: Buffer.from(text), isCut: false };
    }
    case 'form':
      return encodeForm(Object(mutate(schemaName, content.base, content.edits)), content);
  }
}

function encodeForm(
  fields: object,
  { file, hasEnd, isCut }: Extract<Payload, { kind: 'form' }>,
): { type: string; bytes: Uint8Array; isCut: boolean } {
  const parts = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    const isFile = ['file', 'image', 'mask'].includes(name);
    const head = `--x\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="a.png"' : ''}\r\n\r\n`;
    const content = isFile ? (contents[file] ?? picture) : Buffer.from(text);
    return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')]);
  });
  const end = hasEnd ? '--x--\r\n' : '';
  return {
    type: 'multipart/form-data; boundary=x',
    bytes: Buffer.concat([...parts, Buffer.from(end)]),
    isCut,
  };
}

function pathOf({ operation, hasKnownIds, id, query }: Attempt): string {
  const unknownId = /^%\w*$/.test(id) ? id : encodeURIComponent(id);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    hasKnownIds ? (ids[name] ?? 'none') : unknownId,
  );
  const parameters = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

function send(message: Attempt): Promise<{ status: number; text: string } | null> {
  const body = encode(message);
  const { hostname, port } = new URL(reference.url);
  const headers = {
    ...(message.beta === undefined ? {} : { 'vendor-beta': message.beta }),
    ...(body === null
      ? {}
      : { 'content-type': body.type, 'content-length': body.bytes.length + (body.isCut ? 10 : 0) }),
  };
  return new Promise((resolve, reject) => {
    const method = message.method ?? message.operation.method;
    const outgoing = request({ hostname, port, method, path: pathOf(message), headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => {
        outgoing.destroy();
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
      });
      answer.on('error', reject);
    });
    outgoing.on('error', (error) => (body?.isCut ? resolve(null) : reject(error)));
    if (body === null) outgoing.end();
    else if (!body.isCut) outgoing.end(body.bytes);
    // The connection closes before the declared length is reached; the service must not keep the bytes.
    else outgoing.write(body.bytes, () => outgoing.destroy());
  });
}

it(`the reference survives ${REQUEST_COUNT} strange requests`, async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(attempt, async (message) => {
      const answer = await send(message);
      if (answer === null) return;
      statuses.add(answer.status);
      expect(answer.status, answer.text).toBeLessThan(500);
      if (answer.status >= 400 && message.method !== 'HEAD') {
        expect(JSON.parse(answer.text)).toMatchObject({ error: { message: expect.stringMatching(/\w/) } });
      }
    }),
    { seed: SEED, numRuns: REQUEST_COUNT, endOnFailure: false },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404, 405, 415]));
});

it('after strange requests, the reference still responds, and the deletion of its files leaves no upload', async () => {
  for (const path of ['/models', `/files/${ids['file_id']}/content`, '/assistants', '/batches']) {
    expect((await fetch(reference.url + path)).status).toBeLessThan(500);
  }
  const { data }: { data: { id: string }[] } = await (await fetch(`${reference.url}/files`)).json();
  for (const { id } of data) await fetch(`${reference.url}/files/${id}`, { method: 'DELETE' });
  const listUploads = async () =>
    (await readdir(directory, { recursive: true })).filter((name) => name.includes('upload-'));
  await expect.poll(listUploads).toEqual([]);
});
