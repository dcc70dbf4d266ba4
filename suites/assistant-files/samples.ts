import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';

export async function attachFile(
  context: ScenarioContext,
  path: Readonly<Record<string, string>>,
): Promise<string> {
  const file_id = await uploadSample(context, 'assistants');
  await context.need('createAssistantFile', { path, body: { file_id } });
  return file_id;
}
