// The step after a run whose target did not answer, or stopped answering.
import type { StopReason } from '../../../exchange/note.ts';
import type { Stopped } from '../../../judge/verdict/scenario-history.ts';
import type { FailureContext } from '../../failure/failure.ts';
import type { Report } from '../../report.ts';
import type { NextStep } from './step.ts';

/** Exchanges that are named. */
const NAMED = 6;
/** Seconds of the wait that is proposed; of a longer one that was in vain, twice its seconds. */
const USUAL_WAIT = 60;

/** The requests that were under way when a target stopped answering: one of them may be why. */
export function afterDeath(report: Report, { cassette }: Pick<FailureContext, 'cassette'>): NextStep {
  const stop = stopOf(report, 'target-died');
  const calls = stop !== null && 'underWay' in stop ? (stop.underWay ?? []) : [];
  const shown = calls.flatMap(({ exchange }) => exchange ?? []).slice(0, NAMED);
  const intro = 'next: start the service again, and run it again';
  if (cassette === null || shown.length === 0) return { intro, command: null };
  const first = calls.some(({ invalid }) => invalid === true) ? ', invalid requests first' : '';
  return {
    intro: `${intro}; what was under way when it stopped answering${first}:`,
    command: `npx assay show ${cassette} ${shown.join(' ')}`,
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

/** Why the run stopped, of this reason. */
function stopOf({ summary }: Report, reason: StopReason): Stopped | null {
  const found = summary.causes.find((one) => one.kind === 'stopped' && one.reason === reason);
  return found?.kind === 'stopped' ? found.stop : null;
}
