// Compiles the member `shown` of a row: how evidence shows the alternative of a choice.
import { arrayAt, numberAt } from '../../judge/trace/json.ts';
import type { Json } from '../../schemas/json.ts';
import { type AlternativeReader, bearers, equality, keysOf, stateOf } from './choice-values.ts';
import { groupsOf } from './expectations.ts';
import { type Conditions, conditionsOf } from './given.ts';
import { evidenceReader, type Place, readerOf, valueReader } from './places.ts';
import { dataTest, type Tests } from './test-words.ts';

/** `rows.schema.json` describes the members. */
export interface Shown {
  readonly value?: Place;
  readonly texts?: Place;
  readonly count?: Place;
  readonly state?: { readonly of: Place; readonly present?: string; readonly empty?: string };
  readonly keys?: Place;
  readonly form?: Place;
  readonly type?: Place;
  readonly outcome?: {
    readonly accepted: string;
    readonly otherwise?: string;
    readonly rejected_only?: true;
  };
  readonly change?: Place;
  readonly after?: { readonly of: Place; readonly value: string };
  readonly order?: string;
  readonly beyond?: { readonly of: Place; readonly known: readonly string[]; readonly none: string };
  readonly equal?: {
    readonly of: Place;
    readonly by: readonly Place[];
    readonly same: string;
    readonly other: string;
  };
  readonly bearers?: { readonly group: Place; readonly that: Tests };
  readonly cases?: Readonly<Record<string, Conditions>>;
  readonly names?: Readonly<Record<string, string>>;
  readonly otherwise?: string;
  readonly unless_refused?: true;
}

export function alternativeReader(shown: Shown): AlternativeReader {
  const read = compileShown(shown);
  const outcome = valueReader('outcome');
  const answer = valueReader('answer');
  const { names = {}, otherwise } = shown;
  return (evidence) => {
    if (shown.unless_refused === true) {
      if (isRejectedOrAbsent(outcome(evidence))) return 'refused';
      if (answer(evidence) === undefined) return null;
    }
    const name = read(evidence);
    if (name === null) return shown.value === undefined ? null : (otherwise ?? null);
    if (Object.hasOwn(names, name)) return names[name] ?? null;
    return shown.names === undefined ? name : (otherwise ?? name);
  };
}

export function compileShown(shown: Shown): AlternativeReader {
  if (shown.value !== undefined) return textOf(shown.value);
  if (shown.texts !== undefined) return distinctTexts(shown.texts);
  if (shown.count !== undefined)
    return valueNamed(shown.count, (list) => `${Array.isArray(list) ? list.length : 0}`);
  if (shown.state !== undefined) {
    const { of, present = null, empty = present } = shown.state;
    return valueNamed(of, (value) => stateOf(value, present, empty));
  }
  if (shown.keys !== undefined) return valueNamed(shown.keys, (value) => keysOf(value));
  if (shown.form !== undefined)
    return valueNamed(shown.form, (value) => keysOf(value) ?? stateOf(value, null));
  if (shown.type !== undefined)
    return valueNamed(shown.type, (value) => ((value ?? null) === null ? null : typeof value));
  if (shown.outcome !== undefined) return outcomeOf(shown.outcome);
  if (shown.change !== undefined) return changeOf(shown.change);
  if (shown.after !== undefined) return followerOf(shown.after);
  if (shown.order !== undefined) return orderBy(shown.order);
  if (shown.beyond !== undefined) return firstBeyond(shown.beyond);
  if (shown.equal !== undefined) return equalityOf(shown.equal);
  if (shown.bearers !== undefined) return bearersOf(shown.bearers);
  if (shown.cases !== undefined) return firstCase(shown.cases);
  throw new Error('"shown" does not say how evidence shows an alternative: add a member such as "value"');
}

function valueNamed(place: Place, name: (value: Json | undefined) => string | null): AlternativeReader {
  const read = valueReader(place);
  return (evidence) => name(read(evidence));
}

function textOf(place: Place): AlternativeReader {
  return valueNamed(place, (value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : null,
  );
}

function distinctTexts(place: Place): AlternativeReader {
  const read = evidenceReader(place);
  return (evidence) => {
    const texts = read(evidence).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    return texts.length === 0 ? 'none' : [...new Set(texts)].toSorted().join(', ');
  };
}

/** The specification leaves the status of a rejection open, so the class `absent` (404, 405, 501) counts as well. */
function isRejectedOrAbsent(outcome: unknown): boolean {
  return outcome === 'rejected' || outcome === 'absent';
}

function outcomeOf({
  accepted,
  otherwise = 'refused',
  rejected_only,
}: NonNullable<Shown['outcome']>): AlternativeReader {
  return valueNamed('outcome', (outcome) => {
    if (outcome === 'accepted') return accepted;
    return rejected_only !== true || isRejectedOrAbsent(outcome) ? otherwise : null;
  });
}

function changeOf(place: Place): AlternativeReader {
  const [earlier, later] = [valueReader(`before.${place}`), valueReader(`answer.${place}`)];
  return (evidence) => {
    const [from, to] = [earlier(evidence), later(evidence)];
    return typeof from !== 'string' || typeof to !== 'string' || from === to ? null : `${from} to ${to}`;
  };
}

function followerOf({ of, value }: NonNullable<Shown['after']>): AlternativeReader {
  const [earlier, later] = [valueReader(`before.${of}`), valueReader(`answer.${of}`)];
  return (evidence) => {
    const to = later(evidence);
    return earlier(evidence) === value && typeof to === 'string' && to !== value ? to : null;
  };
}

function orderBy(field: string): AlternativeReader {
  return valueNamed('answer', (answer) => {
    const times = arrayAt(answer, 'data').map((one) => numberAt(one, field) ?? 0);
    if (times.every((time) => time === times[0])) return null;
    const isSorted = (sign: 1 | -1): boolean =>
      times.every((time, i) => i === 0 || sign * ((times[i - 1] ?? 0) - time) <= 0);
    if (isSorted(-1)) return 'newest first';
    return isSorted(1) ? 'oldest first' : 'neither';
  });
}

function firstBeyond({ of, known, none }: NonNullable<Shown['beyond']>): AlternativeReader {
  const read = evidenceReader(of);
  return (evidence) => {
    const other = read(evidence).find(({ value }) => typeof value === 'string' && !known.includes(value));
    return other === undefined ? none : `also ${other.value}`;
  };
}

function equalityOf({ of, by, same, other }: NonNullable<Shown['equal']>): AlternativeReader {
  const read = evidenceReader(of);
  const readers = by.map(readerOf);
  return (evidence) => {
    const values = read(evidence).map(({ value }) =>
      readers.map((at) => at(value, '').map((place) => place.value ?? null)),
    );
    return equality(values, same, other);
  };
}

function bearersOf({ group, that }: NonNullable<Shown['bearers']>): AlternativeReader {
  const groups = groupsOf({ group });
  const passes = dataTest(that);
  return (evidence) => bearers((groups(evidence)[0] ?? []).map(({ value }) => passes(value ?? null)));
}

function firstCase(cases: Readonly<Record<string, Conditions>>): AlternativeReader {
  const compiled = Object.entries(cases).map(
    ([name, tests]) => [name, [tests].flat().flatMap(conditionsOf)] as const,
  );
  return (evidence) =>
    compiled.find(([, conditions]) => conditions.every((holds) => holds(evidence)))?.[0] ?? null;
}
