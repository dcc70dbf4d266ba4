// The contribution of one part of recorded traffic to a report, as a file of bounded size.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { jsonSyntaxError } from '../../exchange/http/json-text.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { writeNamedFile } from '../../exchange/replace-file.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { createAjv } from '../../schemas/index.ts';
import type { TracePart } from '../judging/trace-part.ts';
import { packageInfo } from '../setup/package-info.ts';
import { UsageError } from '../setup/usage-error.ts';

const require = createRequire(import.meta.url);

export interface PartialSource {
  readonly path: string;
  readonly before: number;
  readonly size: number;
}

export interface PartialVerdict extends TracePart {
  readonly format: 1;
  /** assay's version: others may have other requirements. */
  readonly version: string;
  readonly side: JudgedSide;
  readonly finds: 'stated' | 'called';
  /** Claims that the traffic itself states: only a run of assay must exercise what it claims. */
  readonly recorded: TraceHeader['claims'];
  readonly sources: readonly PartialSource[];
  /** Unix time in milliseconds; null if unknown. */
  readonly began: number | null;
  /** The part of a partition, from 0; absent for whole cassettes. */
  readonly cut?: { readonly index: number; readonly parts: number };
}

export function writePartial(file: string, partial: Omit<PartialVerdict, 'format' | 'version'>): void {
  const { version } = packageInfo();
  mkdirSync(dirname(file), { recursive: true });
  writeNamedFile(file, `${JSON.stringify({ format: 1, version, ...partial })}\n`);
}

export function readPartial(file: string): PartialVerdict {
  const text = readRegularFile(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON: ${jsonSyntaxError(error)}`);
  }
  const validate = createAjv().compile<PartialVerdict>(require('#reports/partial.schema.json'));
  if (!validate(value)) {
    const [first] = validate.errors ?? [];
    const place = first?.instancePath || 'it';
    throw new UsageError(`${file} is not a partial verdict of assay: ${place} ${first?.message}.`);
  }
  const { version } = packageInfo();
  if (value.version !== version)
    throw new UsageError(
      `${file} is of assay ${value.version}, this is ${version}. Judge its traffic again, or merge it with the version that wrote it.`,
    );
  return value;
}
