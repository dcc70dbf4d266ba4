import { refuseFeature } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { isJsonObject, type Json } from '../../http/json.ts';

const requirement = 'createChatCompletion:accepts';
const on = ['createChatCompletion'];

/** Requests that many real models refuse although they are valid. */
export const faults: readonly Fault[] = [
  {
    id: 'model-without-tools',
    says: 'refuses tools',
    requirement,
    on,
    does: refuseFeature('tools', ({ tools }) => tools !== undefined),
  },
  {
    id: 'model-without-json-mode',
    says: 'refuses the response format json_object',
    requirement,
    on,
    does: refuseFeature(
      'response_format',
      // as: a validated body is JSON
      ({ response_format: format }) =>
        isJsonObject(format as Json) && (format as { type?: Json }).type === 'json_object',
    ),
  },
  {
    id: 'model-without-images',
    says: 'refuses images in the content of messages',
    requirement,
    on,
    does: refuseFeature('messages', ({ messages }) => hasImage(messages as Json)), // as: a validated body is JSON
  },
  {
    id: 'model-without-logprobs',
    says: 'refuses logprobs',
    requirement,
    on,
    does: refuseFeature('logprobs', ({ logprobs }) => logprobs === true),
  },
  {
    id: 'model-without-n',
    says: 'refuses n greater than 1',
    requirement,
    on: [...on, 'createCompletion'],
    does: refuseFeature('n', ({ n }) => typeof n === 'number' && n > 1),
  },
];

function hasImage(messages: Json): boolean {
  if (!Array.isArray(messages)) return false;
  return messages.some((message: Json) => {
    const parts = isJsonObject(message) ? message['content'] : undefined;
    return (
      Array.isArray(parts) && parts.some((part: Json) => isJsonObject(part) && part['type'] === 'image_url')
    );
  });
}
