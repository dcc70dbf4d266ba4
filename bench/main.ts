// Prints the figures of a bench as a table or as JSON, some with the ratio to a peer that was measured in the same run.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScriptArguments, rejectArguments } from '../scripts/script-arguments.ts';
import { stopServers } from './process.ts';
import { type Row, rowsTable } from './rows.ts';

const names = readdirSync(import.meta.dirname)
  .flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? [])
  .sort();

const USAGE = 'npm run bench -- NAME [--json]';
const { values, positionals } = parseScriptArguments({ json: { type: 'boolean' } }, USAGE);
const [name] = positionals;
if (name === undefined || positionals.length > 1 || !names.includes(name)) {
  const given = positionals.join(' ') || 'not given';
  rejectArguments(`NAME is one of ${names.join(', ')}, but was ${given}.`, USAGE);
}

const { rows }: { readonly rows: (folder: string) => AsyncIterable<Row> } = await import(
  `./${name}.bench.ts`
);
const measured: Row[] = [];
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
try {
  for await (const row of rows(folder)) {
    measured.push(row);
    if (!values.json) console.error(`measured: ${row.what}`);
  }
} finally {
  await stopServers().finally(() => rmSync(folder, { recursive: true, force: true }));
}
console.log(values.json ? JSON.stringify({ name, rows: measured }, null, 2) : rowsTable(name, measured));
