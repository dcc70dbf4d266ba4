import {
  allEdits,
  type Edit as JsonEdit,
  type NewValue,
  removeValue,
  setValue,
} from '../../proof/mutations/values.ts';
import { type Json, tryParseJson } from '../../schemas/json.ts';
import { dataTest, type Tests } from './test-words.ts';

/** Edits at JSON pointers, where `*` means every element; they are applied in the order of these members. */
export interface JsonEditRow {
  readonly remove?: readonly string[];
  readonly set?: Readonly<Record<string, Json>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly append?: Readonly<Record<string, string>>;
  readonly prepend?: Readonly<Record<string, string>>;
  readonly rewrite?: Readonly<Record<string, readonly [pattern: string, text: string]>>;
  readonly fill?: Readonly<Record<string, Json>>;
  readonly toggle?: Readonly<Record<string, readonly [Json, Json]>>;
  readonly repeat?: Readonly<Record<string, 'first' | 'last' | 'all'>>;
  readonly reverse?: readonly string[];
}

export function jsonEdit(row: JsonEditRow): JsonEdit {
  const each = <V>(
    values: Readonly<Record<string, V>> | undefined,
    make: (value: V) => NewValue,
  ): JsonEdit[] => Object.entries(values ?? {}).map(([pointer, value]) => setValue(pointer, make(value)));
  return allEdits(
    ...(row.remove ?? []).map(removeValue),
    ...each(row.set, (value) => value),
    ...each(row.add, (more) => ifPresent((old) => Number(old) + more)),
    ...each(row.append, (text) => ifPresent((old) => `${old}${text}`)),
    ...each(row.prepend, (text) => ifPresent((old) => `${text}${old}`)),
    ...each(row.rewrite, rewriteText),
    ...each(row.fill, (value) => (old) => old ?? value),
    ...each(row.toggle, toggleValue),
    ...each(row.repeat, (which) => ifPresent((old) => repeatElements(old, which))),
    ...(row.reverse ?? []).map((pointer) =>
      setValue(pointer, (old) => (Array.isArray(old) ? old.toReversed() : old)),
    ),
  );
}

function ifPresent(edit: JsonEdit): NewValue {
  return (old) => (old === undefined ? old : edit(old));
}

function toggleValue([one, other]: readonly [Json, Json]): NewValue {
  return (old) => (old === one ? other : one);
}

function rewriteText([pattern, text]: readonly [string, string]): NewValue {
  const matches = new RegExp(pattern, 'gu');
  return (old) => (typeof old === 'string' ? old.replaceAll(matches, text) : old);
}

function repeatElements(all: Json, which: 'first' | 'last' | 'all'): Json {
  if (!Array.isArray(all)) return all;
  if (which === 'all') return [...all, ...all];
  return [...all, ...(which === 'first' ? all.slice(0, 1) : all.slice(-1))];
}

/** Edits of a JSONL body if all its lines pass the tests in `jsonl`: of each line, and then of the list of lines. */
export interface LinesEdit extends JsonEditRow {
  readonly jsonl?: Tests;
  readonly lines?: 'first lost' | 'first twice' | 'cut';
}

export function editLines(tests: Tests, row: LinesEdit): (content: Uint8Array) => Uint8Array {
  const passes = dataTest(tests);
  const edit = jsonEdit(row);
  return (content) => {
    const text = Buffer.from(content).toString();
    const lines = text.split('\n').filter((line) => line !== '');
    const values = lines.map(tryParseJson);
    if (!values.every((value) => value !== undefined && passes(value))) return content;
    let edited = values.map((value) => JSON.stringify(edit(value ?? null)));
    if (row.lines === 'first lost') edited = edited.slice(1);
    else if (row.lines === 'first twice') edited = [...edited, ...edited.slice(0, 1)];
    else if (row.lines === 'cut') edited = edited.map((line) => line.slice(0, -3));
    return Buffer.from(edited.map((line) => `${line}\n`).join(''));
  };
}
