import { lossesIn } from '../../generate/objects.ts';
import { valueAtPath } from '../../vocabulary/json.ts';
import { where } from '../../vocabulary/selectors.ts';
import { section } from '../../vocabulary/statements.ts';
import type { Violation } from '../../vocabulary/types.ts';
import { setInRunEvents } from '../streams/mutations.ts';
import { type RunStream, type RunStreamEvent, runStreams, withTwoStates } from '../streams/run-stream.ts';

const { implied } = section('1 Events');

/** Settings of a run, which do not change while it is processed. */
const SETTINGS = ['metadata', 'tool_resources', 'tools'];

export const runsStreamKeepsSettings = implied('runs.stream.keeps-settings', {
  says: 'No later event about a run shows settings as empty that its first event shows.',
  selector: where(runStreams, withTwoStates),
  check: lostSettings,
  mutations: {
    'no metadata when it is queued': setInRunEvents('thread.run.queued', '/metadata', {}),
    'no tools in the end': setInRunEvents('thread.run.completed', '/tools', []),
    'no resources in progress': setInRunEvents('thread.run.in_progress', '/tool_resources', {}),
  },
});

/** Losses in each event after the first, whatever its name. */
function lostSettings({ runs: [first, ...later] }: RunStream): Violation[] {
  if (first === undefined) return [];
  return later.flatMap((event) => SETTINGS.flatMap((field) => lostSince(first, event, field)));
}

/** Empty values of one field, which the first event shows with content. */
function lostSince(first: RunStreamEvent, event: RunStreamEvent, field: string): readonly Violation[] {
  const [before, after] = [valueAtPath(first.data, field), valueAtPath(event.data, field)];
  return lossesIn(before, after, { at: `${event.at}/${field}`, by: first.at });
}
