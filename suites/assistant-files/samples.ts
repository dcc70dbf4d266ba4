import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleAssistant } from '../assistants/samples.ts';
import { uploadSample } from '../files/samples.ts';

export type AssistantPath = Readonly<Record<'assistant_id', string>>;

export async function createOwner(context: ScenarioContext): Promise<AssistantPath> {
  return { assistant_id: await createSampleAssistant(context, 'v1') };
}

export async function attachFile(
  context: ScenarioContext,
  path: Readonly<Record<string, string>>,
): Promise<string> {
  const file_id = await uploadSample(context, 'assistants');
  await context.need('createAssistantFile', { path, body: { file_id } });
  return file_id;
}
