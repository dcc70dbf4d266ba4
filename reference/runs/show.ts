import { EventStream } from '../answer.ts';
import { shownTools, type Version } from '../assistants/tools.ts';
import { showMessage } from '../threads/message.ts';
import type { RunEvent } from './engine.ts';
import type { Message, Run } from './objects.ts';
import { type RunRecord, streamRun } from './record.ts';

/** A run in the form that the version asks for: its tools and files are named as the assistant's. */
export function showRun({ file_ids, tools, ...run }: Run, version: Version) {
  const shown = { ...run, tools: shownTools(tools, version) };
  return version === 'v1' ? { ...shown, file_ids } : shown;
}

/** The events of a run from `first` to its next rest. */
export const runEvents = (record: RunRecord, first: Iterable<RunEvent>, version: Version): EventStream =>
  new EventStream(streamRun(record, first, (event) => showData(event, version)));

function showData({ event, data }: RunEvent, version: Version): unknown {
  // as: the engine names each event after the object it carries
  if (/^thread\.run\.[a-z_]+$/.test(event)) return showRun(data as Run, version);
  if (/^thread\.message\.(?!delta$)/.test(event)) return showMessage(data as Message, version);
  return data;
}
