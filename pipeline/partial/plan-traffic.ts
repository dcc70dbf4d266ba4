import { isNote } from '../../exchange/trace.ts';
import type { TrafficPlan } from '../../judge/partial/traffic-plan.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';

/**
 * Adds the exchanges of all traces to a plan, one trace after the other. Notes are left out, as they are about no resource.
 * One exchange is in memory at a time.
 */
export async function planTraffic(
  plan: TrafficPlan,
  traces: ReturnType<RecordedTraffic['traces']>,
): Promise<void> {
  for (const trace of traces) {
    for await (const item of trace) if (!isNote(item)) plan.add(item);
    plan.next();
  }
}
