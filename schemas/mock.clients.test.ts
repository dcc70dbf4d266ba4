// A public mock server that uses openapi.json unchanged accepts our requests, and its responses conform to our
// schemas.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Operation, operation, operations, schemaValidator } from './index.ts';
import { schemaExamples } from './testing/examples.ts';

const require = createRequire(import.meta.url);

let server: ChildProcess;
let base: string;

beforeAll(async () => {
  const program = require.resolve('@stoplight/prism-cli/dist/index.js');
  const table = require.resolve('#schemas/openapi.json');
  const mock = spawn(process.execPath, [program, 'mock', '-h', '127.0.0.1', '-p', '0', table]);
  server = mock;
  base = await waitForAddress(mock.stdout);
});

afterAll(async () => {
  if (server.kill()) await once(server, 'exit');
});

/**
 * Operations whose responses this mock cannot make: it writes no binary content, and it generates values without regard
 * to `if`.
 */
const UNSUPPORTED_BY_MOCK = ['retrieveFileContent', 'createSpeech', 'listRunSteps', 'retrieveRunStep'];

describe('a mock of the table of operations', () => {
  const supported = operations().filter(({ id }) => !UNSUPPORTED_BY_MOCK.includes(id));

  test.each(supported)('answers $id with a response that conforms', async (operation) => {
    const response = await call(operation, bodyOf(operation));
    expect([response.status, response.headers.get('sl-violations')]).toEqual([200, null]);
    const answer = operation.variants[0]?.answers.find(
      ({ contentType }) => contentType === 'application/json',
    );
    expect(schemaValidator(answer?.schema ?? '')(await response.json())).toEqual([]);
  });

  test('accepts a request that conforms, and rejects one that breaks its schema', async () => {
    const body = { model: 'model-1', messages: [] };
    expect((await call(operation('createChatCompletion'), JSON.stringify(body))).status).toBe(200);
    const broken = JSON.stringify({ ...body, temperature: 3 });
    expect((await call(operation('createChatCompletion'), broken)).status).toBe(422);
  });
});

function waitForAddress(output: Readable): Promise<string> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const reader = createInterface(output);
    reader.on('line', (line) => {
      lines.push(line);
      const address = /listening on (http:\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
    reader.on('close', () => reject(new Error(`The mock server ended:\n${lines.join('\n')}`)));
  });
}

function call(operation: Operation, body: string | FormData | null): Promise<Response> {
  const path = operation.path.replaceAll(/\{\w+\}/g, 'one');
  const headers = { Authorization: 'Bearer key', Accept: 'application/json, */*;q=0.5' };
  const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  return fetch(`${base}${path}`, { method: operation.method, headers: { ...headers, ...type }, body });
}

function bodyOf({ variants }: Operation): string | FormData | null {
  const body = variants[0]?.body;
  if (!body) return null;
  const value = schemaExamples(body.schema).valid[0]?.value;
  if (body.carrier === 'json') return JSON.stringify(value);
  const form = new FormData();
  for (const [name, field] of Object.entries(Object(value))) {
    form.append(name, /^<.*>$/.test(String(field)) ? new Blob(['content']) : String(field));
  }
  return form;
}
