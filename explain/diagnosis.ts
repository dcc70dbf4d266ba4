import { hasAll } from '../judge/acceptance/body-size.ts';
import { type Explanation, exchangesOf, explain, type RequestRow, type Share, shareOf } from './causes.ts';

import { decisiveMoment, likelyMoment, noiseIn } from './moments.ts';

/** One cause for which a target refuses requests that keep the specification, however many they are. */
export interface Diagnosis {
  readonly kind: Explanation['kind'];
  /**
   * Names the cause within each of its operations: the features joined by `&`, else `everything`, `at-random` or
   * `unexplained`. Baselines and dialects name it behind the id of the requirement: `createChatCompletion:accepts#body.n>1`.
   */
  readonly feature: string;
  /** The features that only refused requests have, sorted; empty unless `kind` is `features`. */
  readonly features: readonly string[];
  /** Other sets of features that exactly these requests have. */
  readonly equivalent: readonly (readonly string[])[];
  /**
   * False where no accepted request shows that the credentials, the model or the files of the refused ones are good: then
   * it explains what other requirements report, and breaks none.
   */
  readonly proven: boolean;
  readonly operations: readonly DiagnosedOperation[];
}

/** An operation, with its variant, that refuses for one cause. */
export interface DiagnosedOperation {
  readonly subject: string;
  /** Of its requests those that the cause is about; for refusals at random all of them. */
  readonly with: Share;
  readonly without: Share;
  /** The refused exchanges that are known, oldest first. */
  readonly exchanges: readonly string[];
  /** Refused exchanges that the cause explains as well, though their requests need not be accepted; not counted. */
  readonly undecided: readonly string[];
}

/** A refusal of a request that need not be accepted. */
export interface UndecidedRefusal {
  readonly subject: string;
  readonly features: readonly string[];
  readonly exchange: string;
}

/** A cause with what else it explains: other requirements may fail by these refusals too. */
export function withUndecided(diagnosis: Diagnosis, refusals: readonly UndecidedRefusal[]): Diagnosis {
  const { features, kind } = diagnosis;
  const explained = refusals.filter((one) => kind !== 'unexplained' && hasAll(one.features, features));
  const operations = diagnosis.operations.map((operation) => ({
    ...operation,
    undecided: explained.flatMap(({ subject, exchange }) =>
      subject === operation.subject ? [exchange] : [],
    ),
  }));
  return { ...diagnosis, operations };
}

/** The share of nothing. */
const NONE: Share = { refused: 0, total: 0 };

/**
 * Explains what was refused, by operation; what has the same features in several operations is one cause. `repeats` are
 * the rows of requests that were sent several times, by operation, which show whether the target treats equal requests alike.
 */
export function diagnose(
  rows: ReadonlyMap<string, readonly RequestRow[]>,
  repeats: ReadonlyMap<string, readonly RequestRow[]>,
): readonly Diagnosis[] {
  const noise = noiseIn(repeats);
  const causes = new Map<string, Diagnosis>();
  const all = [...rows.values()].flat();
  const decisive = inSeveral(rows) ? decisiveMoment(all) : null;
  const isNoisy = [...rows.keys()].some((subject) => noise(subject) > 0);
  const moment = decisive ?? (isNoisy ? likelyMoment(all) : null);
  for (const [subject, own] of rows) {
    const rate = noise(subject);
    const found =
      moment === null
        ? explain(own, rate)
        : explainByMoment(own, moment, { rate, isPure: decisive !== null });
    for (const one of found) {
      const key = keyOf(one, subject);
      const known = causes.get(key);
      causes.set(key, known === undefined ? made(one, subject) : joined(known, made(one, subject)));
    }
  }
  return [...causes.values()].toSorted((a, b) => refusedBy(b) - refusedBy(a));
}

/**
 * The cause where operations refuse each of their requests, though nothing shows that these could be accepted: one for
 * all operations where the target accepts nothing at all, else one for each.
 */
export function refusesAll(
  rows: ReadonlyMap<string, readonly RequestRow[]>,
  extent: 'target' | 'operations',
): readonly Diagnosis[] {
  const each = [...rows].flatMap(([subject, own]): Diagnosis[] => {
    const all = shareOf(own);
    if (all.refused === 0) return [];
    const kind = 'everything' as const;
    return [{ ...made({ kind, all, exchanges: exchangesOf(own) }, subject), proven: false }];
  });
  const [first, ...others] = each;
  return first === undefined || extent === 'operations' ? each : [others.reduce(joined, first)];
}

/** Where one operation alone refuses, its own requests show the reason. */
function inSeveral(rows: ReadonlyMap<string, readonly RequestRow[]>): boolean {
  return [...rows.values()].filter((own) => shareOf(own).refused > 0).length > 1;
}

/**
 * The moment, and features that explain what is refused outside of it. Where it is not pure, refusals outside of it that
 * no feature explains belong to it as well: when a request was sent is known less exactly than what it says.
 */
function explainByMoment(
  own: readonly RequestRow[],
  moment: string,
  { rate, isPure }: { readonly rate: number; readonly isPure: boolean },
): readonly Explanation[] {
  const ofMoment = own.filter(({ features }) => features.includes(moment));
  const others = own.filter((row) => !ofMoment.includes(row));
  const found = explain(others, rate).filter(({ kind }) => isPure || kind === 'features');
  if (shareOf(ofMoment).refused === 0) return found;
  const momentary: Explanation = {
    kind: 'features',
    features: [moment],
    equivalent: [],
    with: shareOf(ofMoment),
    without: shareOf(others),
    exchanges: exchangesOf(isPure ? ofMoment : own),
  };
  return [momentary, ...found];
}

/** Equal for what is one cause in several operations: equal features, and refusals at random. */
function keyOf(one: Explanation, subject: string): string {
  const { feature } = made(one, subject);
  return one.kind === 'features' || one.kind === 'inconsistent' ? feature : `${feature} ${subject}`;
}

/** The cause of one explanation, in its only operation so far. */
function made(one: Explanation, subject: string): Diagnosis {
  const { kind, exchanges } = one;
  const proven = true;
  if (kind !== 'features') {
    const operations = [{ subject, with: one.all, without: NONE, exchanges, undecided: [] }];
    return { kind, feature: FEATURES[kind], features: [], equivalent: [], proven, operations };
  }
  const { features, equivalent, without } = one;
  const operations = [{ subject, with: one.with, without, exchanges, undecided: [] }];
  return { kind, feature: features.join('&'), features, equivalent, proven, operations };
}

/** Stands for the features of a cause that has none. */
const FEATURES = { everything: 'everything', inconsistent: 'at-random', unexplained: 'unexplained' } as const;
/** Causes of refusals that every operation may have, beside features of its requests. */
export const OTHER_CAUSES: readonly string[] = Object.values(FEATURES);

/** One cause in the operations of both; sets of features that the requests of either lack are not equivalent. */
function joined(one: Diagnosis, other: Diagnosis): Diagnosis {
  const words = new Set(other.equivalent.map((features) => features.join(' ')));
  return {
    ...one,
    equivalent: one.equivalent.filter((features) => words.has(features.join(' '))),
    operations: [...one.operations, ...other.operations],
  };
}

/** How many requests are refused for a cause, in all its operations. */
function refusedBy({ operations }: Diagnosis): number {
  return operations.reduce((sum, one) => sum + one.with.refused, 0);
}
