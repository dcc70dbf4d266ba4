import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runAssay } from './run-assay.ts';

/** A field in `support.json`. */
export interface SupportRow {
  readonly operation: string;
  readonly field: string;
  readonly support: string;
  readonly why: string | null;
}

/** Runs claimed for chat and threads, each with its own folder of reports. The folders are deleted after the tests of the calling file. */
export function supportInReports() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-support-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The rows of a run, by operation and field. */
  const supportOf = async (
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
  return { folder, supportOf };
}
