// A partial verdict: everything that a report makes of one part of recorded traffic, in a file of bounded size.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { jsonSyntaxError } from '../../exchange/json-syntax-error.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { RefusedModelsPart } from '../../explain/rejected-configuration.ts';
import type { JudgementPart } from '../../judge/judged-traffic.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { createAjv } from '../../schemas/index.ts';
import type { UnknownModelsPart } from '../judging/unknown-models.ts';
import { packageInfo } from '../package-info.ts';
import { UsageError } from '../usage-error.ts';

const require = createRequire(import.meta.url);

/** A file or folder of recorded traffic, and how many exchanges are in front of it. */
export interface PartialSource {
  /** As it was given. */
  readonly path: string;
  /** Exchanges in front of it in all the traffic. */
  readonly before: number;
  /** Exchanges in it. */
  readonly size: number;
}

/** What one judge knows of its part of the traffic. */
export interface TracePart {
  /** The header of the traffic, with the claims that it was judged for. */
  readonly header: TraceHeader;
  /** Families of called operations, with the number of exchanges that had ended with the first call; empty where claims were stated. */
  readonly called: readonly (readonly [family: string, at: number])[];
  /** Configured models that the target refused. */
  readonly refusedModels: RefusedModelsPart;
  /** Models that a client asked the embedded reference for, and that it does not have. */
  readonly unknownModels: UnknownModelsPart;
  /** Sums, first facts and bounded findings. */
  readonly judgement: JudgementPart;
}

/** A partial verdict as it is stored. */
export interface PartialVerdict extends TracePart {
  /** Version of the format, which `reports/partial.schema.json` describes. */
  readonly format: 1;
  /** Version of assay: another one may know other requirements. */
  readonly version: string;
  /** Who is judged: parts of different sides are not added up. */
  readonly side: JudgedSide;
  /** How claims are found. */
  readonly finds: 'stated' | 'called';
  /** Claims that the traffic itself states: only a run of assay has to exercise what it claims. */
  readonly recorded: TraceHeader['claims'];
  /** Those of all parts are put in the order of their numbers. */
  readonly sources: readonly PartialSource[];
  /** Milliseconds since 1970; null where that is not known. */
  readonly began: number | null;
  /** Which part of a partition of its sources it is, from 0; absent where it is all of them. */
  readonly cut?: { readonly index: number; readonly parts: number };
}

/** Writes a partial verdict as JSON, in a folder that is made where it is missing. */
export function writePartial(file: string, partial: Omit<PartialVerdict, 'format' | 'version'>): void {
  const { version } = packageInfo();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ format: 1, version, ...partial })}\n`);
}

/** Reads a partial verdict. Throws UsageError where the file is not one, and where another version wrote it. */
export function readPartial(file: string): PartialVerdict {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
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
