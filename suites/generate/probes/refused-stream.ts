// Probes of a request for a stream: the label is that of the same constraint of any request.
import type { ScenarioContext } from '../../../drive/scenario/scenario.ts';
import type { RequestFields } from '../base.ts';

/**
 * Asks for a stream with the greatest temperature, and then with a greater one, which has to be refused. `fields` are
 * those of a valid request.
 */
export async function callRefusedStream(
  context: ScenarioContext,
  operation: string,
  fields: RequestFields,
): Promise<void> {
  // The same request in one piece is probed elsewhere: only the stream is new.
  const label = { pointer: 'body.temperature', keyword: 'maximum' } as const;
  const id = `${operation}:body.temperature#maximum`;
  const body = { ...fields, stream: true };
  await context.call(operation, {
    body: { ...body, temperature: 2 },
    probe: { ...label, id: `${id}.streamed`, side: 'valid', control: null },
  });
  await context.call(operation, {
    body: { ...body, temperature: 2.5 },
    probe: { ...label, id: `${id}.refused-stream`, side: 'violation', control: `${id}.streamed` },
  });
}
