import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import type { Call } from './call.ts';
import { isObject } from './json.ts';

const CONTEXT_ERROR = /exceed_?context|context[_ ](?:length|size|window)/i;

/** Messages of services that parse sampled output, such as llama.cpp: the next output may be valid. */
const INVALID_OUTPUT_ERROR =
  /\boutput (?:that )?does not match\b.{0,200}\bformat\b|failed to parse (?:the )?(?:model )?output/i;

/** A request body of this size may exceed a small context, such as 512 tokens. */
const LONG_REQUEST_BYTES = 1000;
/** A requested output of this many tokens may exceed a small context as well. */
const MANY_TOKENS = 256;
const FILTER_ERROR = /content_?(filter|policy)|responsible_?ai|moderation_blocked/i;

/**
 * Why an error does not show whether the request is valid: the request is too large for the service, or another model
 * or another output of the model could succeed. Null if there is no error or none of these applies.
 */
export function undecidedReason(call: Call): 'capacity' | 'model' | null {
  const { status } = call;
  if (status === 413) return 'capacity';
  if (status === null || status < 400) return null;
  const { code, type, message } = errorOf(call);
  if (status >= 500) return matchesAny(INVALID_OUTPUT_ERROR, message) ? 'model' : null;
  if (matchesAny(FILTER_ERROR, code, type)) return 'model';
  return exceedsContext(call) ? 'model' : null;
}

export function exceedsContext(call: Call): boolean {
  const { code, type, message } = errorOf(call);
  const namesContext = matchesAny(CONTEXT_ERROR, code, type, message);
  return call.responseClass === 'rejected' && namesContext && mayExceedContext(call);
}

function matchesAny(pattern: RegExp, ...values: readonly unknown[]): boolean {
  return values.some((value) => typeof value === 'string' && pattern.test(value));
}

/** The error in a response; some services send a text as `error`, which then counts as the message. */
function errorOf({ exchange }: Call): Readonly<Record<string, unknown>> {
  const answer = jsonContent(exchange.response);
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer;
  return isObject(error) ? { message: error['error'], ...error } : {};
}

/** A short request that asks for a short reply is assumed to fit every context. */
function mayExceedContext({ exchange: { request }, holdsRequest, sentJson }: Call): boolean {
  const content = holdsRequest ? decodedContent(request) : null;
  // Without the content, the number of requested tokens is unknown.
  if (content === null || content.size >= LONG_REQUEST_BYTES) return true;
  const caps = isObject(sentJson) ? [sentJson['max_tokens'], sentJson['max_completion_tokens']] : [];
  return caps.some((count) => typeof count === 'number' && count >= MANY_TOKENS);
}
