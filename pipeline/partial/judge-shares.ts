// Judges recorded traffic in several threads, each of which judges some cassettes or the exchanges of some resources.
import type { Worker } from 'node:worker_threads';
import type { Settings } from '../../drive/configuration/configuration.ts';
import {
  type PlanColumns,
  type PlanPart,
  planColumns,
  sharedFraction,
  TrafficPlan,
} from '../../judge/partial/traffic-plan.ts';
import {
  type CassetteSpan,
  type JudgeRecordedOptions,
  openTrafficJudge,
  type TrafficShare,
} from '../judging/judge-recorded.ts';
import type { JudgedTrace, TracePart } from '../judging/traffic-judge.ts';
import { answerOf, startWorker } from '../threads/idle-thread.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';

/** Judges the traffic in several threads, and decides the same verdicts as a single judge would. */
export async function judgeInShares(
  traffic: RecordedTraffic,
  { dialect, ...how }: JudgeRecordedOptions,
  { jobs, ...from }: Omit<ShareOptions, 'how'> & { readonly jobs: number },
): Promise<JudgedTrace> {
  const threads = Array.from({ length: jobs }, () => startThread({ ...from, how }));
  try {
    const shares = evenSpans(traffic, jobs) ?? (await sharesOfResources(traffic, threads));
    const judged = await Promise.all(
      shares.flatMap((share, n) => {
        const thread = threads[n];
        return thread === undefined ? [] : [answerOf<ToShare, TracePart>(thread, { kind: 'judge', share })];
      }),
    );
    const judge = await openTrafficJudge(traffic.header, { dialect, ...how });
    return judge.merge(judged);
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

/** Maximum ratio of the largest share of whole cassettes to the average. */
const MAX_UNEVENNESS = 1.5;

/**
 * Spans of whole cassettes, which need no plan because each cassette is a trace of its own; null if they would leave
 * threads idle.
 */
function evenSpans({ sources, size }: RecordedTraffic, jobs: number): readonly TrafficShare[] | null {
  const each = size / jobs;
  const spans = Array.from({ length: jobs }, (_, n): CassetteSpan => {
    const places = [n, n + 1].map(
      (share) => sources.filter((one) => one.before + one.size / 2 < share * each).length,
    );
    const [from = 0, to = 0] = places;
    return { from, to };
  });
  const sizes = spans.map(({ from, to }) =>
    sources.slice(from, to).reduce((sum, source) => sum + source.size, 0),
  );
  return Math.max(...sizes) <= each * MAX_UNEVENNESS ? spans.filter(({ from, to }) => from < to) : null;
}

/** Above this fraction of exchanges that every part reads, cutting by resource costs more than it saves. */
const MAX_SHARED_FRACTION = 0.5;

/**
 * Cuts the traffic by resource. Each thread first reads a span of it, because later exchanges show which exchanges belong
 * together. If every part would read most of the traffic, as is the case for a run of assay, one thread judges all of it.
 */
async function sharesOfResources(
  traffic: RecordedTraffic,
  threads: readonly Worker[],
): Promise<readonly TrafficShare[]> {
  const plan = new TrafficPlan(planColumns(traffic.size));
  const { columns } = plan;
  const each = Math.ceil(traffic.size / threads.length);
  const found = await Promise.all(
    threads.map((thread, n) =>
      answerOf<ToShare, PlanPart>(thread, {
        kind: 'plan',
        columns,
        from: n * each + 1,
        to: (n + 1) * each + 1,
      }),
    ),
  );
  for (const part of found) plan.absorb(part);
  const places = plan.places(threads.length);
  if (sharedFraction(places) > MAX_SHARED_FRACTION) return [{ from: 0, to: traffic.sources.length }];
  return threads.map((_, index) => ({ places, index }));
}

/** Only these settings can be passed to a thread. */
function startThread({ paths, how, settings: { dialect, extension } }: ShareOptions): Worker {
  const worker = startWorker(new URL('./share-worker', import.meta.url), null);
  const message: ToShare = { kind: 'open', options: { paths, how, settings: { dialect, extension } } };
  worker.postMessage(message);
  return worker;
}

export interface ShareOptions {
  readonly paths: readonly string[];
  readonly settings: Pick<Settings, 'dialect' | 'extension'>;
  readonly how: Omit<JudgeRecordedOptions, 'dialect' | 'share'>;
}

/**
 * Messages in this order: open the traffic; for shares by resource, plan a span of exchange numbers, which is answered with a
 * `PlanPart`; judge a share, which is answered with a `TracePart`.
 */
export type ToShare =
  | { readonly kind: 'open'; readonly options: ShareOptions }
  | { readonly kind: 'plan'; readonly columns: PlanColumns; readonly from: number; readonly to: number }
  | { readonly kind: 'judge'; readonly share: TrafficShare };
