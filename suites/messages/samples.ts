import type { Stage } from '../../drive/scenario.ts';
import { assistant } from '../assistants/samples.ts';
import { type Fields, thread } from '../threads/samples.ts';

type Path = Readonly<Record<string, string>>;

/** Adds a message to a thread; gives its id. */
export async function message(stage: Stage, path: Path, fields: Fields = {}): Promise<string> {
  const body = { role: 'user', content: 'Say "assay".', ...fields };
  return (await stage.need('createMessage', { path, body })).text('/id');
}

/** A message in a thread of its own; gives the ids of its path. */
export async function ownMessage(stage: Stage, fields: Fields = {}) {
  const path = await thread(stage);
  return { ...path, message_id: await message(stage, path, fields) };
}

/** A thread with a question, and with the answer of a run that is over; the run's id is read from its stream. */
export async function answered(stage: Stage): Promise<{ readonly path: Path; readonly run: string }> {
  const [path, assistant_id] = [await thread(stage), await assistant(stage, 'v2')];
  await message(stage, path);
  const body = { assistant_id, stream: true, max_completion_tokens: 256 };
  const { exchange } = await stage.need('createRun', { path, body });
  const run = /"run_id":\s*"([^"]+)"/.exec(exchange.response?.body.text ?? '')?.[1] ?? '';
  return { path, run };
}
