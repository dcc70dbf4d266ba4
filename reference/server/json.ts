import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from './api-error.ts';

export { isJsonObject, type Json, type JsonObject } from '../../schemas/json.ts';

/** Most levels of nesting, more than any request needs; serializing deeper values would exhaust the stack. */
const deepest = 512;

/** Fatal: replacement characters would change the content silently. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The value of a JSON body, or undefined for an empty one.
 * @throws ApiError 400 when it is not UTF-8, not JSON, or nested deeper than 512 levels.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw ApiError.invalid(null, 'The body is not valid UTF-8; send JSON encoded as UTF-8.');
  }
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw ApiError.invalid(null, `The body is not valid JSON (${messageOf(error)}); send a JSON object.`);
  }
  if (nesting(text) > deepest) {
    throw ApiError.invalid(null, `The body is nested deeper than ${deepest} levels; send a flatter one.`);
  }
  return value;
}

/** How deep arrays and objects are nested in text that is known to be JSON. */
function nesting(text: string): number {
  let depth = 0;
  let most = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > most) most = depth;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return most;
}
