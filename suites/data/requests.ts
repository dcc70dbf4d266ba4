// Constant parts of the valid requests of an operation, from `requests/<family>.json`.
import { readFileSync } from 'node:fs';
import type { Json } from '../../schemas/json.ts';
import { filesIn } from './family-data.ts';

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

/** By operation id; read once for each process. */
let constantsById: ReadonlyMap<string, RequestConstants> | undefined;

/** The constants of one operation; empty if no file has any. */
export function requestConstants(operation: string): RequestConstants {
  constantsById ??= new Map(
    filesIn('data/requests').flatMap((path) => {
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
