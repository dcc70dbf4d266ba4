// Breakdowns: features of valid requests on which a target fails every time, so that repeating the run does not
// help.

import { withoutSizes } from '../judge/acceptance/body-size.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  type Breakdown,
  causeId,
  type FailedRequest,
  type RequestRow,
  shareOf,
} from '../judge/requirements/refusals.ts';
import { type Candidate, Candidates, CHANCE, withoutNulls } from './causes.ts';
import { noiseIn } from './moments.ts';

/** The id by which a baseline names a breakdown; a refusal of the same requests has the same id. */
export function breakdownId({ subject, features }: Pick<Breakdown, 'subject' | 'features'>): string {
  return causeId(subject, features.join('&'));
}

export function breakdownsIn(facts: AcceptanceFacts): readonly Breakdown[] {
  const times: FailureTimes = { failed: facts.failed, accepted: facts.acceptedTimes };
  const [accepted, repeats] = [facts.acceptedRows(), facts.repeatedRows()];
  const noise = noiseIn(repeatsOf(times.failed, repeats));
  const subjects = new Set(times.failed.map(({ subject }) => subject));
  return [...subjects].flatMap((subject) => {
    const own = times.failed.filter((one) => one.subject === subject);
    const operation: FailingOperation = {
      failed: own.filter(({ assumes }) => assumes !== null && facts.areProven(assumes)),
      accepted: accepted.get(subject) ?? [],
      differentAccepted: acceptedByText(repeats.get(subject) ?? []).size,
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

function repeatsOf(
  failed: readonly FailedRequest[],
  repeats: ReadonlyMap<string, readonly RequestRow[]>,
): ReadonlyMap<string, readonly RequestRow[]> {
  const failures = new Map<string, number>();
  for (const { fingerprint } of failed) failures.set(fingerprint, (failures.get(fingerprint) ?? 0) + 1);
  return new Map(
    [...repeats].map(([subject, rows]) => [
      subject,
      [...acceptedByText(rows)].map(([text, accepted]) => {
        return { features: [text], accepted, refused: failures.get(text) ?? 0, exchanges: [] };
      }),
    ]),
  );
}

function acceptedByText(rows: readonly RequestRow[]): ReadonlyMap<string, number> {
  const texts = new Map<string, number>();
  for (const { features, accepted } of rows) {
    const [text = ''] = features;
    if (accepted > 0) texts.set(text, (texts.get(text) ?? 0) + accepted);
  }
  return texts;
}

interface FailingOperation {
  /** Valid requests that failed, in the order in which they ended. */
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly RequestRow[];
  /** Number of distinct accepted requests. */
  readonly differentAccepted: number;
  /** The probability that a request fails whatever its content, estimated from equal requests. */
  readonly noise: number;
}

/** Failed requests of all operations, and the times of accepted ones. */
interface FailureTimes {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly AcceptedTime[];
}

/** Minimum number of outages, and of distinct requests, that a cause must explain: a single one may be chance. */
const LEAST = 2;

/**
 * Sets of features that only failed requests of an operation have, best explanation first. Failures (429, 5xx,
 * timeouts) also occur at random, under load and during outages; a set counts only if none of these is a likely
 * explanation.
 */
function breakdownCauses(
  { failed, accepted, differentAccepted, noise }: FailingOperation,
  times: FailureTimes,
): readonly Candidate[] {
  const found: Candidate[] = [];
  let [left, rows, open] = [
    failed,
    withoutSizes([...failed.map(rowOf), ...accepted.map(withoutNulls)]),
    times.failed,
  ];
  for (;;) {
    const { refused, total } = shareOf(rows);
    const rate = Math.max(noise, total === 0 ? 0 : refused / total);
    const best = new Candidates(rows, rate).best(rows.filter((row) => row.refused > 0));
    if (best === null) return found;
    const [covered, rest] = split(left, best);
    const [all, others] = split(open, best, covered[0]?.subject);
    const chances = [
      chanceInTime(all, { failed: open, accepted: times.accepted }),
      chanceInTime(all, timesOfSubject(covered[0]?.subject, { failed: open, accepted: times.accepted })),
      chanceUnderLoad(covered, left, times.accepted),
      chanceByText(covered, left, differentAccepted),
    ];
    if (best.among * Math.max(...chances) > CHANCE) return found;
    found.push(best);
    rows = rows.filter((row) => !best.holds(row));
    [left, open] = [rest, others];
  }
}

function rowOf({ features, exchange }: FailedRequest): RequestRow {
  return { features, accepted: 0, refused: 1, exchanges: [exchange] };
}

function split(
  failed: readonly FailedRequest[],
  cause: Candidate,
  subject = failed[0]?.subject,
): readonly [own: readonly FailedRequest[], others: readonly FailedRequest[]] {
  const own = failed.filter((one) => one.subject === subject && cause.holds(rowOf(one)));
  const ids = new Set(own.map(({ exchange }) => exchange));
  return [own, failed.filter(({ exchange }) => !ids.has(exchange))];
}

/**
 * The probability that outages hit exactly these requests. An outage can begin at any time and counts once, however
 * many requests it affects.
 */
function chanceInTime(covered: readonly FailedRequest[], { failed, accepted }: FailureTimes): number {
  const ids = new Set(covered.map(({ exchange }) => exchange));
  const outages = outagesOf(failed, accepted);
  const own = outages.filter((outage) => outage.some(({ exchange }) => ids.has(exchange)));
  return chanceOfDraw(own.length, outages.length, outages.length + accepted.length);
}

function timesOfSubject(subject: string | undefined, { failed, accepted }: FailureTimes): FailureTimes {
  const isOfIt = (one: { readonly subject: string }) => one.subject === subject;
  return { failed: failed.filter(isOfIt), accepted: accepted.filter(isOfIt) };
}

function chanceUnderLoad(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): number {
  const subject = covered[0]?.subject;
  const loads = new Map<number, { failed: number; total: number }>();
  const count = (inFlight: number, times: number) => {
    const known = loads.get(inFlight) ?? { failed: 0, total: 0 };
    loads.set(inFlight, { failed: known.failed + times, total: known.total + 1 });
  };
  for (const { inFlight } of failed) count(inFlight, 1);
  for (const one of accepted) if (one.subject === subject) count(one.inFlight, 0);
  return covered.reduce((chance, { inFlight }) => {
    const known = loads.get(inFlight);
    return known === undefined ? chance : chance * (known.failed / known.total);
  }, 1);
}

function chanceOfDraw(certain: number, failed: number, total: number): number {
  if (certain < LEAST) return 1;
  return Array.from({ length: certain }, (_, n) => (failed - n) / (total - n)).reduce((a, b) => a * b, 1);
}

/** Groups failures that may belong to one outage. A request sent after a failure and then accepted ends the outage. */
function outagesOf(
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): readonly (readonly FailedRequest[])[] {
  const outages: FailedRequest[][] = [];
  let [firstEnd, lastAccepted, place] = [0, 0, 0];
  for (const one of failed.toSorted((a, b) => a.after - b.after || a.at - b.at)) {
    for (; (accepted[place]?.at ?? Number.POSITIVE_INFINITY) <= one.after; place += 1)
      lastAccepted = Math.max(lastAccepted, accepted[place]?.after ?? 0);
    const isOther = outages.length === 0 || lastAccepted >= firstEnd;
    if (isOther) outages.push([]);
    firstEnd = isOther ? one.at : Math.min(firstEnd, one.at);
    outages.at(-1)?.push(one);
  }
  return outages;
}

function chanceByText(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  differentAccepted: number,
): number {
  const different = (some: readonly FailedRequest[]) => new Set(some.map((one) => one.fingerprint)).size;
  const all = different(failed);
  return chanceOfDraw(different(covered), all, all + differentAccepted);
}
