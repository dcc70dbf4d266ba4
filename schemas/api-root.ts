import { matchOperation } from './operations.ts';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

/**
 * The base URL that was meant if a given one ends with the path of an operation: `http://host/v1` for
 * `http://host/v1/chat/completions` and `http://host/v1/chat/completions/v1`. Null if it does not, or is not a URL.
 */
export function findApiRoot(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return null;
  const { origin, pathname } = new URL(baseUrl);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.at(-1) === 'v1') segments.pop();
  const start = segments.findIndex((_, n) => {
    const path = `/v1/${segments.slice(n).join('/')}`;
    return METHODS.some((method) => matchOperation(method, path) !== null);
  });
  if (start === -1) return null;
  const prefix = segments.slice(0, start);
  if (prefix.at(-1) === 'v1') prefix.pop();
  return [origin, ...prefix, 'v1'].join('/');
}
