// The step after a run whose target did not answer, or stopped answering.
import type { Exchange } from '../../../exchange/exchange.ts';
import type { StopReason } from '../../../exchange/note.ts';
import type { Stopped } from '../../../judge/trace/scenario-history.ts';
import type { FailureContext } from '../../failure/failure.ts';
import type { Report } from '../../report.ts';
import type { NextStep } from './step.ts';

/** Exchanges that are named. */
const NAMED = 6;
/** Exchanges at the end of the traffic among which they are looked for: a target that is gone gets few more requests. */
const LOOKED_AT = 200;
/** Seconds of the wait that is proposed; of a longer one that was in vain, twice its seconds. */
const USUAL_WAIT = 60;

/** Where a target that stopped answering was last seen. */
type TrafficSource = Pick<FailureContext, 'cassette' | 'exchange' | 'timeline'>;

/** The requests that were under way when a target stopped answering: one of them may be why. */
export function afterDeath(report: Report, { cassette, exchange, timeline }: TrafficSource): NextStep {
  const last = timeline?.size ?? 0;
  const ids = Array.from({ length: Math.min(last, LOOKED_AT) }, (_, n) => `e${last - n}`);
  const silent = ids
    .flatMap((id) => exchange(id) ?? [])
    .filter((one) => one.response === null && isUnderWay(one, report))
    .toReversed();
  const shown = [...silent.filter(isInvalid), ...silent.filter((one) => !isInvalid(one))].slice(0, NAMED);
  const intro = 'next: start the service again, and run it again';
  if (cassette === null || shown.length === 0) return { intro, command: null };
  const first = shown.some(isInvalid) ? ', invalid requests first' : '';
  return {
    intro: `${intro}; what was under way when it stopped answering${first}:`,
    command: `npx assay show ${cassette} ${shown.map(({ id }) => id).join(' ')}`,
  };
}

/** Starts the service, or waits longer than it was waited for. */
export function unreachedWords(report: Report): string {
  const stop = stopOf(report, 'target-unreachable');
  const waited = stop !== null && 'waited' in stop ? (stop.waited ?? 0) : 0;
  const wait = `--wait-for ${waited * 2 > USUAL_WAIT ? waited * 2 : USUAL_WAIT}`;
  const how = waited > 0 ? `${wait} waits longer than ${waited} s` : `${wait} waits`;
  return `next: start the service or mend --base-url, and run it again (${how} for a service that is starting)`;
}

function isInvalid({ probe }: Exchange): boolean {
  return probe?.side === 'violation';
}

/** Whether an exchange is one of the calls that the stop names; of a stop without names, any is. */
function isUnderWay({ request }: Exchange, report: Report): boolean {
  const stop = stopOf(report, 'target-died');
  if (stop === null || !('underWay' in stop) || stop.underWay === undefined) return true;
  const path = request.target.split('?', 1)[0];
  return stop.underWay.some((call) => call.method === request.method && call.path === path);
}

/** Why the run stopped, of this reason. */
function stopOf({ summary }: Report, reason: StopReason): Stopped | null {
  const found = summary.causes.find((one) => one.kind === 'stopped' && one.reason === reason);
  return found?.kind === 'stopped' ? found.stop : null;
}
