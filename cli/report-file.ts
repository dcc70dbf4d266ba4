import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Report } from '../reports/report.ts';
import { newAjv } from '../schemas/index.ts';
import { UsageError } from './failing.ts';

const require = createRequire(import.meta.url);

/** Reads `report.json`, named itself or by its folder. Throws UsageError when it is none. */
export function readReport(path: string): Report {
  const file = statSync(path).isDirectory() ? join(path, 'report.json') : path;
  const text = readFileSync(file, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const ajv = newAjv();
  const validate = ajv.compile<Report>(require('#reports/report.schema.json'));
  // What a report of an earlier version did not have yet.
  if (validate(value)) return { ...value, states: value.states ?? [], proof: value.proof ?? null };
  const [first] = validate.errors ?? [];
  throw new UsageError(`${file} is no report of assay: ${first?.instancePath || 'it'} ${first?.message}.`);
}
