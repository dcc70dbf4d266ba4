import { ParameterSearch } from './parameter-search.ts';
import { Replacer } from './replacer.ts';

/** An equals sign that is percent-encoded. */
const ESCAPED_EQUALS = /%(?:25)*3d/i;
const replacer = new Replacer([(bytes, tail) => ParameterSearch.in(bytes, tail)]);

/** A URL with the secrets masked that stand in URLs within it, percent-encoded. */
export function withoutNestedSecrets(url: string): string {
  return ESCAPED_EQUALS.test(url) ? Buffer.from(replacer.replace(Buffer.from(url))).toString() : url;
}
