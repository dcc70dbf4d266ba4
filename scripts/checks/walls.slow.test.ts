import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

function checkWalls(files: Readonly<Record<string, string>>): {
  readonly code: number | null;
  readonly output: string;
} {
  const root = mkdtempSync(join(tmpdir(), 'assay-walls-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    const { status, stderr, stdout } = spawnSync(process.execPath, ['scripts/checks/walls.mjs', root], {
      encoding: 'utf8',
    });
    return { code: status, output: stderr + stdout };
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('an import against each kind of rule is reported', () => {
  const { code, output } = checkWalls({
    'judge/a.ts': 'export const a = 1;',
    'reference/chat.ts': "import { a } from '../judge/a.ts'; a;",
    'exchange/a.ts': "await import('../judge/a.ts');",
    'drive/a.ts': "import type { Main } from '../cli/main.ts'; export type A = Main;",
    'cli/main.ts': 'export interface Main {}',
    'cli/undici.ts': "import { request } from 'undici'; request;",
    'judge/ajv.ts': "import Ajv from 'ajv/dist/2020.js'; Ajv;",
    'pipeline/judging/a.ts': "import '../../reports/a.ts';",
    'reports/a.ts': 'export const a = 1;',
    'schemas/a.ts': "export { b } from './b.ts';",
    'schemas/b.ts': "import type { a } from './a.ts'; export const b = 1;",
    'extension/a.ts': "import type { B } from './openapi/b.ts'; export interface A extends B {}",
    'extension/c.ts': 'export interface C {}',
    'extension/openapi/b.ts': "import type { C } from '../c.ts'; export interface B extends C {}",
  });
  expect(code).toBe(1);
  for (const line of [
    'reference/chat.ts → judge/a.ts: reference/ may import reference, schemas',
    'exchange/a.ts → judge/a.ts: exchange/ may import exchange, schemas',
    'drive/a.ts → cli/main.ts: drive/ may import drive, exchange, schemas',
    'cli/undici.ts → undici: undici belongs to drive/',
    'judge/ajv.ts → ajv/dist/2020.js: ajv belongs to schemas/',
    'pipeline/judging/a.ts → reports/a.ts: no report is needed to judge',
    'schemas/a.ts → schemas/b.ts → schemas/a.ts: no import cycle between files',
    'extension → extension/openapi → extension: no import cycle between folders',
  ])
    expect(output).toContain(`${line}\n`);
});

test('tests may import anything, and files of one folder may import each other', () => {
  const { code, output } = checkWalls({
    'schemas/a.ts': "import { b } from './b.ts'; b;",
    'schemas/b.ts': 'export const b = 1;',
    'schemas/a.test.ts': "import '../judge/a.ts'; import 'undici';",
    'schemas/testing/help.ts': "import '../../judge/a.ts';",
    'judge/a.ts': "import { b } from '../schemas/b.ts'; b;",
  });
  expect(output).toBe('0 violations in 3 modules\n');
  expect(code).toBe(0);
});
