import { allEdits, type Edit as JsonEdit, removeValue, setValue } from '../../proof/mutations/values.ts';
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

/**
 * Edits except `set` and `fill` create no members, and keep values of a type that they do not change. `append` and
 * `prepend` make numbers texts.
 */
export function jsonEdit(row: JsonEditRow): JsonEdit {
  return allEdits(
    ...(row.remove ?? []).map(removeValue),
    ...entries(row.set).map(([pointer, value]) => setValue(pointer, value)),
    ...changeEach(row.add, (more) => (old) => Number(old) + more),
    ...changeEach(row.append, (text) => (old) => (typeof old === 'object' ? old : `${old}${text}`)),
    ...changeEach(row.prepend, (text) => (old) => (typeof old === 'object' ? old : `${text}${old}`)),
    ...changeEach(row.rewrite, rewriteText),
    ...entries(row.fill).map(([pointer, value]) => setValue(pointer, (old) => old ?? value)),
    ...changeEach(row.toggle, toggleValue),
    ...changeEach(row.repeat, (which) => (old) => (Array.isArray(old) ? repeatElements(old, which) : old)),
    ...(row.reverse ?? []).map((pointer) =>
      setValue(pointer, (old) => (Array.isArray(old) ? old.toReversed() : old)),
    ),
  );
}

function entries<V>(byPointer: Readonly<Record<string, V>> = {}): [string, V][] {
  return Object.entries(byPointer);
}

function changeEach<V>(
  byPointer: Readonly<Record<string, V>> | undefined,
  make: (value: V) => (old: Json) => Json,
): JsonEdit[] {
  return entries(byPointer).map(([pointer, value]) => {
    const change = make(value);
    return setValue(pointer, (old) => (old === undefined ? old : change(old)));
  });
}

function toggleValue([one, other]: readonly [Json, Json]): JsonEdit {
  return (old) => (old === one ? other : one);
}

function rewriteText([pattern, text]: readonly [string, string]): JsonEdit {
  const matches = new RegExp(pattern, 'gu');
  return (old) => (typeof old === 'string' ? old.replaceAll(matches, text) : old);
}

function repeatElements(all: readonly Json[], which: 'first' | 'last' | 'all'): Json {
  if (which === 'all') return [...all, ...all];
  return [...all, ...(which === 'first' ? all.slice(0, 1) : all.slice(-1))];
}

/** Edits each line of a JSONL body, then the list of lines. Changes nothing unless all lines pass the tests in `jsonl`. */
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
