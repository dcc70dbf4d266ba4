// `npm run bench -- NAME [--json]`: a table of ratios to a peer, measured alternately in one run.
import { readdirSync } from 'node:fs';
import { scriptArguments } from '../scripts/words.ts';
import { type Row, rowsTable } from './row.ts';

interface Bench {
  readonly rows: (report: (row: Row) => void) => Promise<void>;
}

const names = readdirSync(import.meta.dirname)
  .flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? [])
  .sort();

const { values, positionals } = scriptArguments(
  { json: { type: 'boolean' } },
  'npm run bench -- NAME [--json]',
);
const [name] = positionals;
if (name === undefined || !names.includes(name)) {
  console.error(`Which bench? npm run bench -- NAME, one of ${names.join(', ')}; found ${name ?? 'none'}.`);
  process.exit(2);
}

const { rows }: Bench = await import(`./${name}.bench.ts`);
const found: Row[] = [];
await rows((row) => {
  found.push(row);
  if (!values.json) console.error(`measured: ${row.what}`);
});
console.log(values.json ? JSON.stringify({ name, rows: found }, null, 2) : rowsTable(name, found));
