import { parentPort } from 'node:worker_threads';
import { type PlanPart, TrafficPlan } from '../../judge/partial/traffic-plan.ts';
import { catalogue } from '../../suites/index.ts';
import { partOfRecorded, type TracePart } from '../judging/traffic-judge.ts';
import { dialectOfTraffic } from '../setup/dialects.ts';
import { putIntoEffect } from '../setup/extensions-in-effect.ts';
import { openRecordedTraffic, type RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { ShareOptions, ToShare } from './judge-shares.ts';
import { planTraffic } from './partition.ts';

interface Opened {
  readonly traffic: RecordedTraffic;
  readonly options: ShareOptions;
}

let opened: Opened | null = null;

async function handle(message: ToShare): Promise<void> {
  if (message.kind === 'open') {
    await putIntoEffect(message.options.settings.extension);
    opened = { traffic: await openRecordedTraffic(message.options.paths), options: message.options };
  } else if (opened !== null) {
    const answer =
      message.kind === 'plan' ? await planShare(opened, message) : await judgeShare(opened, message);
    parentPort?.postMessage(answer);
  }
}

async function planShare(
  { traffic }: Opened,
  { columns, from, to }: Extract<ToShare, { readonly kind: 'plan' }>,
): Promise<PlanPart> {
  const plan = new TrafficPlan(columns);
  await planTraffic(
    plan,
    traffic.traces((number) => number >= from && number < to),
  );
  return plan.part();
}

async function judgeShare(
  { traffic, options: { settings, how } }: Opened,
  { share }: Extract<ToShare, { readonly kind: 'judge' }>,
): Promise<TracePart> {
  const dialect = await dialectOfTraffic(traffic.header, settings.dialect);
  return partOfRecorded(traffic, { ...how, dialect, share });
}

await catalogue();

/** Messages are handled one at a time. An error ends the thread. */
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: ToShare) => {
  last = last.then(() => handle(message));
});
