// Probes of a request for a stream: the label is that of the same constraint of any request.
import type { ScenarioContext } from '../../../drive/scenario/scenario.ts';
import { BASE_KEYWORD } from '../../../judge/probe/controls.ts';
import type { RequestFields } from '../base.ts';
import { ProbeSender } from './probe-sender.ts';

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
  const probe = { ...label, id: `${id}.streamed`, control: null };
  const sender = new ProbeSender(context, {
    operation,
    base: {
      probe: {
        pointer: 'body',
        keyword: BASE_KEYWORD,
        side: 'valid',
        id: `${id}.streamed.base`,
        control: null,
      },
      input: { body },
    },
  });
  await sender.send({ input: { body: { ...body, temperature: 2 } }, probe: { ...probe, side: 'valid' } });
  await context.call(operation, {
    body: { ...body, temperature: 2.5 },
    probe: { ...label, id: `${id}.refused-stream`, side: 'violation', control: `${id}.streamed` },
  });
}
