import type { Worker } from 'node:worker_threads';
import type { Settings } from '../../drive/configuration/configuration.ts';
import {
  createPlanColumns,
  type PlanColumns,
  type PlanPart,
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
import { requestReply, startWorker } from '../threads/worker.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';

/** Maximum ratio of the largest share of whole cassettes to the average. */
const MAX_UNEVENNESS = 1.5;
/** Above this fraction of exchanges that every part reads, cutting by resource costs more than it saves. */
const MAX_SHARED_FRACTION = 0.5;

export async function judgeInShares(
  traffic: RecordedTraffic,
  { dialect, ...judging }: JudgeRecordedOptions,
  { jobs, ...source }: Omit<ShareOptions, 'judging'> & { readonly jobs: number },
): Promise<JudgedTrace> {
  const spans = cutEvenly(traffic, jobs);
  const threads = Array.from({ length: spans?.length ?? jobs }, () => startThread({ ...source, judging }));
  try {
    const shares = spans ?? (await cutByResource(traffic, threads));
    const judged = await Promise.all(
      shares.flatMap((share, n) => {
        const thread = threads[n];
        return thread === undefined
          ? []
          : [requestReply<ShareRequest, TracePart>(thread, { kind: 'judge', share })];
      }),
    );
    const judge = await openTrafficJudge(traffic.header, { dialect, ...judging });
    return judge.merge(judged);
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

/** Shares of whole cassettes; null if the largest of them would be too far above the average. */
function cutEvenly({ sources, size }: RecordedTraffic, jobs: number): readonly CassetteSpan[] | null {
  const average = size / jobs;
  const countBefore = (place: number) => sources.filter((one) => one.before + one.size / 2 < place).length;
  const spans = Array.from({ length: jobs }, (_, n): CassetteSpan => {
    // Cassettes without exchanges may come last; their notes count, too.
    const to = n === jobs - 1 ? sources.length : countBefore((n + 1) * average);
    return { from: countBefore(n * average), to };
  });
  const sizes = spans.map(({ from, to }) =>
    sources.slice(from, to).reduce((sum, source) => sum + source.size, 0),
  );
  return Math.max(...sizes) <= average * MAX_UNEVENNESS ? spans.filter(({ from, to }) => from < to) : null;
}

/**
 * Cuts the traffic by resource. Each thread first reads a span of it, because later exchanges show which exchanges
 * belong together. If every part would read most of the traffic, as in a run of assay, one thread judges all of it.
 */
async function cutByResource(
  traffic: RecordedTraffic,
  threads: readonly Worker[],
): Promise<readonly TrafficShare[]> {
  const plan = new TrafficPlan(createPlanColumns(traffic.size));
  const { columns } = plan;
  const spanSize = Math.ceil(traffic.size / threads.length);
  const planParts = await Promise.all(
    threads.map((thread, n) =>
      requestReply<ShareRequest, PlanPart>(thread, {
        kind: 'plan',
        columns,
        from: n * spanSize + 1,
        to: (n + 1) * spanSize + 1,
      }),
    ),
  );
  for (const part of planParts) plan.absorb(part);
  const places = plan.assignPlaces(threads.length);
  if (sharedFraction(places) > MAX_SHARED_FRACTION) return [{ from: 0, to: traffic.sources.length }];
  return threads.map((_, index) => ({ places, index }));
}

function startThread({ paths, judging, settings: { dialect, extension } }: ShareOptions): Worker {
  const worker = startWorker(new URL('./share-worker', import.meta.url), null);
  const options = { paths, judging, settings: { dialect, extension } };
  worker.postMessage({ kind: 'open', options } satisfies ShareRequest);
  return worker;
}

export interface ShareOptions {
  readonly paths: readonly string[];
  readonly settings: Pick<Settings, 'dialect' | 'extension'>;
  readonly judging: Omit<JudgeRecordedOptions, 'dialect' | 'share'>;
}

/** Messages in order: `open`; to cut by resource, `plan`, which returns a `PlanPart`; `judge`, for a `TracePart`. */
export type ShareRequest =
  | { readonly kind: 'open'; readonly options: ShareOptions }
  | { readonly kind: 'plan'; readonly columns: PlanColumns; readonly from: number; readonly to: number }
  | { readonly kind: 'judge'; readonly share: TrafficShare };
