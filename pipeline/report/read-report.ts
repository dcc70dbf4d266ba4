import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseJsonFile } from '../../exchange/json-file.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { Report } from '../../reports/report.ts';
import { createAjv } from '../../schemas/index.ts';
import { UsageError } from '../setup/usage-error.ts';

const require = createRequire(import.meta.url);

/** Reads a `report.json`; `path` names the file or its folder. Throws UsageError if it is not a report. */
export function readReport(path: string): Report {
  if (!existsSync(path))
    throw new UsageError(`${path} does not exist. Name the report.json of a run, or its folder.`);
  return readValidated(statSync(path).isDirectory() ? reportFileIn(path) : path, 'report');
}

export function readValidated<T>(file: string, kind: 'report' | 'partial verdict'): T {
  const value: unknown = parseJsonFile(readRegularFile(file), file, UsageError);
  const schema = require(kind === 'report' ? '#reports/report.schema.json' : '#reports/partial.schema.json');
  const validate = createAjv().compile<T>(schema);
  if (validate(value)) return value;
  const [first] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not a ${kind} of assay: ${first?.instancePath || 'it'} ${first?.message}.`,
  );
}

function reportFileIn(folder: string): string {
  const file = join(folder, 'report.json');
  if (existsSync(file)) return file;
  const cassette = join(folder, 'cassette');
  if (!existsSync(cassette))
    throw new UsageError(`${folder} contains no report.json: name the folder of a run.`);
  throw new UsageError(
    `${folder} has no report.json, but a cassette. Write the report with npx assay check ${shellQuote(cassette)} --report json --report-dir ${shellQuote(folder)}`,
  );
}

/** The report to compare with, or null. Read it before the run, which may replace it. Throws UsageError. */
export function readEarlierReport(path: string | null): Report | null {
  if (path === null) return null;
  if (!existsSync(path))
    throw new UsageError(
      `--compare-to ${path} does not exist. Name the report.json of an earlier run, or its folder.`,
    );
  return readReport(path);
}
