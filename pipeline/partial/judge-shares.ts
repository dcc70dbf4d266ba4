import type { Settings } from '../../drive/configuration/configuration.ts';
import {
  type PlanColumns,
  type PlanPart,
  planColumns,
  TrafficPlan,
} from '../../judge/partial/traffic-plan.ts';
import type { JudgeRecordedOptions, TracePart } from '../judging/traffic-judge.ts';
import { type JudgedTrace, openTrafficJudge } from '../judging/traffic-judge.ts';
import { answerOf, startWorker } from '../threads/idle-thread.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';

/** Each thread first reads a span of the traffic: later exchanges show which exchanges belong together. */
export async function judgeInShares(
  traffic: RecordedTraffic,
  { dialect, ...how }: JudgeRecordedOptions,
  { jobs, ...from }: Omit<ShareOptions, 'how'> & { readonly jobs: number },
): Promise<JudgedTrace> {
  const {
    paths,
    settings: { dialect: given, extension },
  } = from;
  // Other settings cannot be passed to a thread.
  const options: ShareOptions = { paths, how, settings: { dialect: given, extension } };
  const threads = Array.from({ length: jobs }, () => {
    const worker = startWorker(new URL('./share-worker', import.meta.url), null);
    worker.postMessage({ kind: 'open', options } satisfies ToShare);
    return worker;
  });
  try {
    const plan = new TrafficPlan(planColumns(traffic.size));
    const { columns } = plan;
    const each = Math.ceil(traffic.size / jobs);
    const found = await Promise.all(
      threads.map((thread, n) =>
        ask(thread, { kind: 'plan', columns, from: n * each + 1, to: (n + 1) * each + 1 }),
      ),
    );
    for (const answer of found) if (answer.kind === 'planned') plan.absorb(answer.part);
    const places = plan.places(jobs);
    const judged = await Promise.all(
      threads.map((thread, index) => ask(thread, { kind: 'judge', share: { places, index } })),
    );
    const judge = await openTrafficJudge(traffic.header, { dialect, ...how });
    return judge.merge(judged.flatMap((answer) => (answer.kind === 'judged' ? [answer.part] : [])));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

const ask = answerOf<ToShare, FromShare>;

export interface ShareOptions {
  readonly paths: readonly string[];
  readonly settings: Pick<Settings, 'dialect' | 'extension'>;
  readonly how: Omit<JudgeRecordedOptions, 'dialect' | 'share'>;
}

/** In this order: open the traffic, plan a span of exchange numbers, judge a share. */
export type ToShare =
  | { readonly kind: 'open'; readonly options: ShareOptions }
  | { readonly kind: 'plan'; readonly columns: PlanColumns; readonly from: number; readonly to: number }
  | { readonly kind: 'judge'; readonly share: NonNullable<JudgeRecordedOptions['share']> };

export type FromShare =
  | { readonly kind: 'planned'; readonly part: PlanPart }
  | { readonly kind: 'judged'; readonly part: TracePart };
