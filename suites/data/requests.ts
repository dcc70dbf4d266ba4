// Constant parts of the valid requests of an operation, from `requests/<family>.json`.
import { readFileSync } from 'node:fs';
import type { ReadyRequest, RequestFields, RuleCase } from '../generate/base.ts';
import type { Json } from '../vocabulary/types.ts';
import { filesIn } from './family-data.ts';

/** The constants of one operation; `requests.schema.json` describes them, `ReadyRequest` their meaning. */
interface RequestConstants {
  readonly fields?: RequestFields;
  readonly cheap?: RequestFields;
  readonly companions?: Readonly<Record<string, RequestFields>>;
  readonly samples?: Readonly<Record<string, Json>>;
  readonly rules?: Readonly<Record<string, readonly RuleCase[]>>;
}

/** Read once for each process. */
let known: ReadonlyMap<string, RequestConstants> | undefined;

/** The constants of an operation; none where no file has it. */
function constantsOf(operation: string): RequestConstants {
  known ??= new Map(
    filesIn('data/requests').flatMap((path) => {
      const file: Readonly<Record<string, RequestConstants>> = JSON.parse(readFileSync(path, 'utf8'));
      return Object.entries(file).filter(([key]) => key !== '$schema');
    }),
  );
  return known.get(operation) ?? {};
}

/**
 * A request that is ready, with the constants of its operation. A field or rule that the request has itself counts, since it
 * depends on what was made for it.
 */
export function withConstants(operation: string, ready: ReadyRequest): ReadyRequest {
  const { fields, cheap, companions, samples = {}, rules } = constantsOf(operation);
  const values = Object.entries(samples).map(([path, value]) => [path, (i: number) => numbered(value, i)]);
  return {
    ...ready,
    ...(fields === undefined ? {} : { fields: { ...ready.fields, ...fields } }),
    ...(cheap === undefined ? {} : { cheap: { ...ready.cheap, ...cheap } }),
    ...(companions === undefined
      ? {}
      : {
          companions: (field, value) => ({ ...companions[field], ...ready.companions?.(field, value) }),
        }),
    samples: { ...Object.fromEntries(values), ...ready.samples },
    rules: { ...rules, ...ready.rules },
  };
}

/** A value with the index of its element in place of `{i}`. */
function numbered(value: Json, i: number): Json {
  const text = JSON.stringify(value);
  return text.includes('{i}') ? JSON.parse(text.replaceAll('{i}', `${i}`)) : value;
}
