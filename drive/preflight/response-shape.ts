import type { IncomingResponse } from '../target/target.ts';

/** Path of a request for something that no service has: with it, a service shows how it answers unknown paths. */
export const UNKNOWN_PATH = '/v1/assay-no-such-address';

/**
 * Status and body of a response without the parts that repeat the path or an invented id, so that two answers of one handler
 * compare equal. Null when no response arrived: such an answer equals nothing.
 */
export function responseShape({ response }: Pick<IncomingResponse, 'response'>): string | null {
  if (response === null) return null;
  const text = response.body.text ?? '';
  return `${response.status} ${text.replaceAll(/\/v1\/[^\s"'<>&)]*/g, '').replaceAll(/assay-no-such-\w+/g, '')}`;
}

/** Whether a response is a 404 that the service gives to any path that it does not know. */
export function isUnknownPath(
  answer: Pick<IncomingResponse, 'response'>,
  unknown: Pick<IncomingResponse, 'response'>,
): boolean {
  return answer.response?.status === 404 && responseShape(answer) === responseShape(unknown);
}
