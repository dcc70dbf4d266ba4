import { parentPort } from 'node:worker_threads';
import { type PlanPart, TrafficPlan } from '../../judge/partial/traffic-plan.ts';
import { catalogue } from '../../suites/index.ts';
import { judgePartOfRecorded } from '../judging/judge-recorded.ts';
import type { TracePart } from '../judging/traffic-judge.ts';
import { dialectOfTraffic } from '../setup/dialects.ts';
import { activateExtensions } from '../setup/extensions-in-effect.ts';
import { openRecordedTraffic, type RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { ShareOptions, ShareRequest } from './judge-shares.ts';
import { planTraffic } from './partition.ts';

interface OpenTraffic {
  readonly traffic: RecordedTraffic;
  readonly options: ShareOptions;
}

let openTraffic: OpenTraffic | null = null;

async function handle(message: ShareRequest): Promise<void> {
  if (message.kind === 'open') {
    await activateExtensions(message.options.settings.extension);
    openTraffic = { traffic: await openRecordedTraffic(message.options.paths), options: message.options };
  } else if (openTraffic !== null) {
    const reply =
      message.kind === 'plan'
        ? await planShare(openTraffic, message)
        : await judgeShare(openTraffic, message);
    parentPort?.postMessage(reply);
  }
}

async function planShare(
  { traffic }: OpenTraffic,
  { columns, from, to }: Extract<ShareRequest, { readonly kind: 'plan' }>,
): Promise<PlanPart> {
  const plan = new TrafficPlan(columns);
  const traces = traffic.traces((number) => number >= from && number < to);
  await planTraffic(plan, traces);
  return plan.toPart();
}

async function judgeShare(
  { traffic, options: { settings, judging } }: OpenTraffic,
  { share }: Extract<ShareRequest, { readonly kind: 'judge' }>,
): Promise<TracePart> {
  const dialect = await dialectOfTraffic(traffic.header, settings.dialect);
  return judgePartOfRecorded(traffic, { ...judging, dialect, share });
}

await catalogue();

/** Messages are handled one at a time. An error ends the thread. */
let queue: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: ShareRequest) => {
  queue = queue.then(() => handle(message));
});
