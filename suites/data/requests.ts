// Constant parts of the valid requests of an operation, from `requests/<family>.json`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../schemas/json.ts';
import { SUITES } from './family-data.ts';

type Fields = Readonly<Record<string, Json>>;

/** The constants of one operation; `requests.schema.json` describes them, `ReadyRequest` their meaning. */
export interface RequestConstants {
  readonly fields?: Fields;
  readonly cheap?: Fields;
  readonly companions?: Readonly<Record<string, Fields>>;
  /** Valid values by path; `{i}` in a text is replaced by the index of the element. */
  readonly samples?: Readonly<Record<string, Json>>;
  readonly rules?: Readonly<
    Record<string, readonly { readonly control: Fields; readonly violation?: Fields }[]>
  >;
}

/** By operation id; undefined until it is needed. */
let constantsById: ReadonlyMap<string, RequestConstants> | undefined;

/** The paths of the files, sorted. */
export function requestFiles(): readonly string[] {
  const folder = join(SUITES, 'data/requests');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(folder, name));
}

/** The constants of one operation; empty if no file has any. */
export function requestConstants(operation: string): RequestConstants {
  constantsById ??= new Map(
    requestFiles().flatMap((path) => {
      const file: Readonly<Record<string, RequestConstants>> = JSON.parse(readFileSync(path, 'utf8'));
      return Object.entries(file).filter(([key]) => key !== '$schema');
    }),
  );
  return constantsById.get(operation) ?? {};
}

/** Replaces `{i}` in the texts of a sample by `i`. */
export function numberSample(value: Json, i: number): Json {
  const text = JSON.stringify(value);
  return text.includes('{i}') ? JSON.parse(text.replaceAll('{i}', `${i}`)) : value;
}
