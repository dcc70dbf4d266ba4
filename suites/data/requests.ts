// Constant parts of the requests of each operation, from `requests/<family>.json`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../schemas/json.ts';
import { SUITES } from './family-data.ts';

type Fields = Readonly<Record<string, Json>>;

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

let constantsById: ReadonlyMap<string, RequestConstants> | undefined;

export function requestFiles(): readonly string[] {
  const folder = join(SUITES, 'data/requests');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(folder, name));
}

export function requestConstants(operation: string): RequestConstants {
  constantsById ??= new Map(
    requestFiles().flatMap((path) => {
      const file: Readonly<Record<string, RequestConstants>> = JSON.parse(readFileSync(path, 'utf8'));
      return Object.entries(file).filter(([key]) => key !== '$schema');
    }),
  );
  return constantsById.get(operation) ?? {};
}

/** Replaces `{i}` in the texts of a sample. */
export function fillIndex(value: Json, i: number): Json {
  const text = JSON.stringify(value);
  return text.includes('{i}') ? JSON.parse(text.replaceAll('{i}', `${i}`)) : value;
}
