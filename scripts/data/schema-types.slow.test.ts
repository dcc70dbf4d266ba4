import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaNames } from '../../schemas/index.ts';
import { renderTypes } from './schema-types.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-schema-types-'));
beforeAll(async () => writeFileSync(join(folder, 'types.d.ts'), await renderTypes()));
afterAll(() => rmSync(folder, { recursive: true }));

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

function linesWithErrors(program: string): readonly number[] {
  writeFileSync(join(folder, 'program.ts'), program);
  const flags = '--strict --noEmit --allowImportingTsExtensions --module nodenext --types'.split(' ');
  const { stdout } = spawnSync(process.execPath, [compiler, ...flags, '', 'program.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS'))
    .map((line) => Number(/^program\.ts\((\d+),/.exec(line)?.[1]));
}

test('every schema has a type under its name', () => {
  const program = `import type { Schemas } from './types.d.ts';
    const names: Record<keyof Schemas, true> = ${JSON.stringify(Object.fromEntries(schemaNames().map((name) => [name, true])))};
    export default names;`;
  expect(linesWithErrors(program)).toEqual([]);
});

test('values that the schemas allow fit the types, and others do not', () => {
  const program = `import type { ChatCompletionChunk, CreateChatCompletionRequest, FileObject } from './types.d.ts';
    export const file: FileObject = { id: 'file-1', bytes: 1, created_at: 1700000000, filename: 'a.txt', object: 'file', purpose: 'vision' };
    export const chunk: ChatCompletionChunk = {
      id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1700000000, model: 'model-1', system_fingerprint: 'fp_1',
      choices: [{ index: 0, delta: { content: 'Hi' }, logprobs: null, finish_reason: 'a reason of its own' }],
    };
    export const request: CreateChatCompletionRequest = {
      model: 'model-1', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } }, stop: ['a', 'b'],
    };
    export const purpose: FileObject['purpose'] = 'fun';
    export const stop: CreateChatCompletionRequest['stop'] = 7;`;
  expect(linesWithErrors(program)).toEqual([11, 12]);
});
