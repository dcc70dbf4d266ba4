import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BorderViolation, borderViolations } from './borders.ts';

describe('the borders between the rooms', () => {
  it('hold in every tracked and new source file', () => {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
      encoding: 'utf8',
    });
    const found = borderViolations('.', existing(files));
    expect(found.map(line)).toEqual([]);
  });
});

describe('an offence', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'assay-borders-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it.each([
    ['reference/chat.ts', "import { openJudge } from '../judge/judge.ts';", 'reference/ may import'],
    ['judge/a.ts', "import {\n  x,\n} from '../drive/target/target.ts';", 'judge/ may import'],
    ['exchange/a.ts', "const x = await import('../judge/a.ts');", 'exchange/ may import'],
    ['proxy/replay/match.ts', "import httpProxy from 'http-proxy';", 'package http-proxy'],
    ['judge/a.ts', "import Ajv from 'ajv/dist/2020.js';", 'package ajv'],
    ['drive/a.ts', "import { main } from '../cli/main.ts';", 'cli/ is imported by no other folder'],
    ['drive/a.ts', "import { run } from '../pipeline/run.ts';", 'drive/ may import'],
    ['pipeline/a.ts', "import { main } from '../cli/main.ts';", 'cli/ is imported by no other folder'],
    ['drive/a.ts', "import { test } from 'vitest';", 'package vitest'],
    ['judge/utils.ts', '', 'name says nothing'],
    ['judge/long.ts', '\n'.repeat(301), 'at most 300'],
  ])('in %s is named with its line', (file, source, why) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `${source}\n`);
    const found = borderViolations(root, [file]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ file, why: expect.stringContaining(why) });
  });
});

function existing(listing: string): string[] {
  return [...new Set(listing.split('\n'))].filter((file) => file !== '' && !file.startsWith('dist/'));
}

function line(violation: BorderViolation): string {
  return `${violation.file}:${violation.line} ${violation.why}\n    ${violation.text}`;
}
