import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { createSampleAssistant } from '../assistants/samples.ts';
import { createSampleThread } from '../threads/samples.ts';
import type { JsonObject } from '../vocabulary/types.ts';

type Path = Readonly<Record<string, string>>;

export async function addMessage(
  context: ScenarioContext,
  path: Path,
  fields: JsonObject = {},
): Promise<string> {
  const body = { role: 'user', content: 'Say assay.', ...fields };
  return (await context.need('createMessage', { path, body })).text('/id');
}

/** Creates a thread with an answered message; returns its path and the id of the run, empty if no event shows it. */
export async function createAnsweredThread(
  context: ScenarioContext,
): Promise<{ readonly path: Path; readonly run: string }> {
  const path = await createSampleThread(context);
  const assistant_id = await createSampleAssistant(context, 'served');
  await addMessage(context, path);
  const body = { assistant_id, stream: true, max_completion_tokens: 256 };
  const { response } = (await context.need('createRun', { path, body })).exchange;
  const stream = response === null ? '' : (decodedContent(response)?.text ?? '');
  const run = /"run_id":\s*"([^"]+)"/.exec(stream)?.[1] ?? '';
  return { path, run };
}
