// Features of valid requests that a target never answers with success, because it fails itself: a fault of the service that no other
// run decides, though none of its answers is a refusal.

import { breakdownCauses, type FailingOperation, type FailureTimes } from './causes/breakdown-causes.ts';
import type { Candidate, RequestRow } from './causes/candidates.ts';
import { noiseIn } from './causes/noise.ts';
import { shareOf } from './causes/share.ts';
import { causeId } from './ids.ts';
import type { FailedRequest } from './sent/failed-requests.ts';

/** How many requests failed, of how many that failed or were accepted. */
export interface FailedShare {
  readonly failed: number;
  readonly total: number;
}

/** One set of features with which an operation fails, each time. */
export interface Breakdown {
  /** Operation and variant. */
  readonly subject: string;
  /** Sorted. */
  readonly features: readonly string[];
  /** With which it fails, ascending; null stands for no answer in time. */
  readonly statuses: readonly (number | null)[];
  readonly with: FailedShare;
  readonly without: FailedShare;
  /** All that failed and has these features, also requests that break a constraint, by their numbers. */
  readonly exchanges: readonly string[];
}

/** The id by which a baseline names it: that of a refusal of the same requests. */
export function breakdownId({ subject, features }: Pick<Breakdown, 'subject' | 'features'>): string {
  return causeId(subject, features.join('&'));
}

/** All requests beside those that failed. */
interface Answered {
  /** Rows of accepted requests, by operation. */
  readonly accepted: ReadonlyMap<string, readonly RequestRow[]>;
  /** A row for each moment of each request, whose first feature stands for the request, by operation. */
  readonly repeats: ReadonlyMap<string, readonly RequestRow[]>;
  /** Whether other requests have shown all of this to be good. */
  readonly areProven: (assumes: readonly string[]) => boolean;
}

/** Explains the failures of each operation, as far as they have a cause that a run can show. */
export function breakdownsIn(times: FailureTimes, answered: Answered): readonly Breakdown[] {
  const { accepted, areProven } = answered;
  const noise = noiseIn(repeatsOf(times.failed, answered.repeats));
  const subjects = new Set(times.failed.map(({ subject }) => subject));
  return [...subjects].flatMap((subject) => {
    const own = times.failed.filter((one) => one.subject === subject);
    const operation: FailingOperation = {
      failed: own.filter(({ assumes }) => assumes !== null && areProven(assumes)),
      accepted: accepted.get(subject) ?? [],
      differentAccepted: textsIn(answered.repeats.get(subject) ?? []).size,
      noise: noise(subject),
    };
    return breakdownCauses(operation, times).map((cause) => breakdownOf(cause, operation, own));
  });
}

function breakdownOf(
  { features }: Candidate,
  { failed, accepted }: FailingOperation,
  all: readonly FailedRequest[],
): Breakdown {
  const has = (one: Pick<FailedRequest, 'features'>) => features.every((name) => one.features.includes(name));
  const valid = failed.filter(has);
  const { total } = shareOf(accepted);
  return {
    subject: all[0]?.subject ?? '',
    features,
    statuses: [...new Set(valid.map(({ status }) => status))].toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    with: { failed: valid.length, total: valid.length },
    without: { failed: failed.length - valid.length, total: failed.length - valid.length + total },
    exchanges: all.filter(has).map(({ exchange }) => exchange),
  };
}

/** How often equal requests were accepted and failed: a row for each text. */
function repeatsOf(
  failed: readonly FailedRequest[],
  repeats: ReadonlyMap<string, readonly RequestRow[]>,
): ReadonlyMap<string, readonly RequestRow[]> {
  const failures = new Map<string, number>();
  for (const { fingerprint } of failed) failures.set(fingerprint, (failures.get(fingerprint) ?? 0) + 1);
  return new Map(
    [...repeats].map(([subject, rows]) => [
      subject,
      [...textsIn(rows)].map(([text, accepted]) => {
        return { features: [text], accepted, refused: failures.get(text) ?? 0, exchanges: [] };
      }),
    ]),
  );
}

/** How often each text was accepted; without those that never were. */
function textsIn(rows: readonly RequestRow[]): ReadonlyMap<string, number> {
  const texts = new Map<string, number>();
  for (const { features, accepted } of rows) {
    const [text = ''] = features;
    if (accepted > 0) texts.set(text, (texts.get(text) ?? 0) + accepted);
  }
  return texts;
}
