import { shownTools, type Version } from '../assistants/tools.ts';
import { EventStreamResponse } from '../server/response.ts';
import { showMessage } from '../threads/message.ts';
import type { EngineEvent, Run, StoredMessage } from './objects.ts';

import { streamRun } from './record.ts';
import type { RunRecord } from './run-record.ts';

/** A run in the form that the version asks for: its tools and files are named as the assistant's. */
export function showRun({ file_ids, tools, ...run }: Run, version: Version) {
  // A copy: the stored run keeps both forms, and the next request may ask for the other one.
  const shown = { ...run, tools: shownTools(tools, version) };
  return version === 'v1' ? { ...shown, file_ids } : shown;
}

/** The event stream of a run, from `first` until it rests. */
export const runEvents = (
  record: RunRecord,
  first: Iterable<EngineEvent>,
  version: Version,
): EventStreamResponse =>
  new EventStreamResponse(streamRun(record, first, (event) => showData(event, version)));

/** The data of an event in its wire form; deltas are in that form already. */
function showData({ event, data }: EngineEvent, version: Version): unknown {
  // as: the engine names each event after the object it carries
  if (/^thread\.run\.[a-z_]+$/.test(event)) return showRun(data as Run, version);
  if (/^thread\.message\.(?!delta$)/.test(event)) return showMessage(data as StoredMessage, version);
  return data;
}
