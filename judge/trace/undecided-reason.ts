import { jsonContent } from '../../exchange/http/content.ts';
import type { Call } from './call.ts';
import { isObject } from './json.ts';

const CONTEXT_ERROR = /exceed_?context|context[_ ](?:length|size|window)/i;

/** Messages of services that parse sampled output, such as llama.cpp: the next output may be valid. */
const INVALID_OUTPUT_ERROR =
  /\boutput (?:that )?does not match\b.*\bformat\b|failed to parse (?:the )?(?:model )?output/i;

/** A request body of this size, in bytes, may exceed a small context, such as 512 tokens. */
const LONG_REQUEST = 1000;
/** A requested output of this many tokens may exceed a small context as well. */
const MANY_TOKENS = 256;
const FILTER_ERROR = /content_?(filter|policy)|responsible_?ai|moderation_blocked/i;

/** Null if the error decides whether the request is accepted. */
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

function errorOf({ exchange }: Call): Readonly<Record<string, unknown>> {
  const answer = jsonContent(exchange.response);
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer;
  return isObject(error) ? error : {};
}

/** A short request fits every context. */
function mayExceedContext({ exchange: { request }, holdsRequest, sentJson }: Call): boolean {
  // Without a recorded body, the number of requested tokens is unknown.
  if (!holdsRequest || request.body.size >= LONG_REQUEST) return true;
  const caps = isObject(sentJson) ? [sentJson['max_tokens'], sentJson['max_completion_tokens']] : [];
  return caps.some((count) => typeof count === 'number' && count >= MANY_TOKENS);
}
