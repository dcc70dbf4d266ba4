import { baseUrl as parsed } from './base-url.ts';
import { type RunConfiguration, statedModels } from './configuration.ts';

/** Models of a target that are named; the others are counted. */
const NAMED = 8;

/** That nobody answers, and what may be meant. */
export function unreachable(baseUrl: string, why: string): string {
  const hint =
    baseUrl.startsWith('http:') && /other side closed|ECONNRESET/.test(why)
      ? '. If it speaks TLS, the URL begins with https://'
      : '';
  return `Nothing answers at ${baseUrl}: ${why}${hint}`;
}

/** That somebody answers, but knows none of the operations. */
export function notFound(baseUrl: string): string {
  const { origin, prefix } = parsed(baseUrl);
  const tried =
    prefix === ''
      ? 'it may have a path before /v1, as in http://host/api/v1'
      : `it is ${origin} and ${prefix}`;
  return (
    `Nothing is found under ${baseUrl}: GET ${prefix}/v1/models is answered 404 like any unknown address, and so is a ` +
    `first question to each family that is claimed. Is the path of --base-url right? ${tried}`
  );
}

/** That models were named which the target does not list; null where it lists all of them, or gives no list. */
export function unlisted(
  { models, target }: RunConfiguration,
  listed: readonly string[] | null,
): string | null {
  if (listed === null || target.embedded) return null;
  const stated: Readonly<Record<string, string>> = statedModels;
  const strangers = Object.entries(models).filter(
    ([role, id]) => stated[role] !== id && !listed.includes(id),
  );
  if (strangers.length === 0) return null;
  const flags = strangers.map(([role, id]) => `--model ${role}=${id}`).join(' ');
  const more = listed.length > NAMED ? ` and ${listed.length - NAMED} more` : '';
  const known = listed.length === 0 ? 'no model at all' : `${listed.slice(0, NAMED).join(', ')}${more}`;
  return `the target does not list the model of ${flags}: it lists ${known}. What needs it may fail for that alone`;
}
