// Judges recorded traffic in several threads, each of which judges the exchanges about some of its resources.
import type { Worker } from 'node:worker_threads';
import { planColumns, TrafficPlan } from '../../judge/partial/traffic-plan.ts';
import { catalogue } from '../../suites/index.ts';
import { withDialect } from '../dialects.ts';
import type { JudgeRecordedOptions } from '../judging/judge-recorded.ts';
import { type JudgedTrace, TrafficJudge } from '../judging/traffic-judge.ts';
import { startWorker } from '../threads/worker.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { FromShare, ShareOptions, ToShare } from './share-messages.ts';

/**
 * The verdicts of cassettes, the same as of one judge. Every thread reads a span of the traffic before any can judge: exchanges belong together
 * by what later ones show.
 */
export async function judgeInShares(
  traffic: RecordedTraffic,
  { dialect, ...how }: JudgeRecordedOptions,
  { jobs, ...from }: Omit<ShareOptions, 'how'> & { readonly jobs: number },
): Promise<JudgedTrace> {
  const threads = Array.from({ length: jobs }, () => new ShareThread({ ...from, how }));
  try {
    const plan = new TrafficPlan(planColumns(traffic.size));
    const { columns } = plan;
    const each = Math.ceil(traffic.size / jobs);
    const found = await Promise.all(
      threads.map((thread, n) =>
        thread.answer({ kind: 'plan', columns, from: n * each + 1, to: (n + 1) * each + 1 }),
      ),
    );
    for (const answer of found) if (answer.kind === 'planned') plan.absorb(answer.part);
    const places = plan.places(jobs);
    const judged = await Promise.all(
      threads.map((thread, index) => thread.answer({ kind: 'judge', share: { places, index } })),
    );
    const { claims = traffic.header.claims, finds = 'stated', side = 'server' } = how;
    const header = { ...withDialect(traffic.header, dialect), claims };
    const judge = new TrafficJudge({ catalogue: await catalogue(side), header, dialect, finds });
    return judge.merge(judged.flatMap((answer) => (answer.kind === 'judged' ? [answer.part] : [])));
  } finally {
    await Promise.all(threads.map((thread) => thread.stop()));
  }
}

/** A thread that has opened the traffic. */
class ShareThread {
  readonly #worker: Worker;

  constructor(options: ShareOptions) {
    this.#worker = startWorker(new URL('./share-worker', import.meta.url), null);
    const { paths, how } = options;
    // Of the settings only these: others cannot be passed to a thread.
    const { dialect, extension } = options.settings;
    this.#post({ kind: 'open', options: { paths, how, settings: { dialect, extension } } });
  }

  /** The answer to one message; one is asked at a time. Rejects where the thread broke down. */
  answer(message: ToShare): Promise<FromShare> {
    return new Promise((resolve, reject) => {
      const settled = () => this.#worker.off('message', onMessage).off('error', onError);
      const onMessage = (answer: FromShare) => {
        settled();
        resolve(answer);
      };
      const onError = (error: unknown) => {
        settled();
        reject(error);
      };
      this.#worker.on('message', onMessage).on('error', onError);
      this.#post(message);
    });
  }

  /** Ends the thread. Its share has been received, or is of no use. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToShare): void {
    this.#worker.postMessage(message);
  }
}
