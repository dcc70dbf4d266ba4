// HAR files come from browsers, other proxies and strangers: every member that the import reads is checked.

import { isObject } from '../../schemas/json.ts';
import { validatorOf } from '../cassette/line-shape.ts';

/** Path of the first wrong member of an entry; `""` if the entry is not an object; null if all are right. */
export function wrongMember(entry: unknown): string | null {
  const validate = validatorOf('har', 'entry');
  if (validate(entry)) return null;
  const { instancePath = '', params = {} } = validate.errors?.at(-1) ?? {};
  const missing = 'missingProperty' in params ? [String(params['missingProperty'])] : [];
  const path = [...instancePath.split('/').slice(1), ...missing];
  return path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('');
}

export function isLogExtension(value: unknown): boolean {
  return validatorOf('har', 'log')(value) && isObject(value) && 'format' in value;
}
