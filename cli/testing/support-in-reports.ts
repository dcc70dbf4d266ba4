import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runAssay } from './run-assay.ts';

export interface SupportRow {
  readonly operation: string;
  readonly field: string;
  readonly support: string;
  readonly why: string | null;
}

export function prepareSupportRuns() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-support-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const runForSupport = async (
    name: string,
    ...flags: readonly string[]
  ): Promise<ReadonlyMap<string, SupportRow>> => {
    const dir = join(folder, name);
    await runAssay(['run', '--claim', 'chat,threads', '--report', 'support', '--report-dir', dir, ...flags]);
    const { fields } = JSON.parse(readFileSync(join(dir, 'support.json'), 'utf8')) as {
      fields: SupportRow[];
    }; // as: written by the command
    return new Map(fields.map((row) => [`${row.operation} ${row.field}`, row]));
  };
  return { folder, runForSupport };
}
