import { setValue } from '../vocabulary/changes.ts';
import { inAnswersOf } from '../vocabulary/equivalents.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import type { EquivalentMutant, Json } from '../vocabulary/types.ts';

const TELLING = ['createFile', 'retrieveFile', 'listFiles'];

/** Forms of files that the specification leaves open, each in the other way. */
export const mutants: readonly EquivalentMutant[] = [
  inAnswersOf(TELLING, 'filenames chosen by the service', renamed),
];

function renamed(answer: Json): Json {
  const own = (value: Json): Json =>
    textAt(value, 'filename') === undefined
      ? value
      : setValue('/filename', (name) =>
          String(name)
            .replaceAll(/[^\w.]/g, '_')
            .toUpperCase(),
        )(value);
  const data = arrayAt(answer, 'data');
  return data.length === 0 ? own(answer) : setValue('/data', data.map(own))(answer);
}
