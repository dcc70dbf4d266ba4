import { isLoopback } from './loopback.ts';

/**
 * The proxy for a URL, and the variable that names it; null without one, or if the host needs none. Throws
 * InvalidProxy.
 */
export function proxyFor(
  target: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { readonly variable: string; readonly url: string } | null {
  const { protocol, hostname, port } = new URL(target);
  if (isLoopback(hostname)) return null;
  const findVariable = (upper: string) =>
    [upper.toLowerCase(), upper].find((name) => (env[name] ?? '').trim() !== '') ?? null;
  const variable = findVariable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (variable === null) return null;
  const exceptions = (env[findVariable('NO_PROXY') ?? ''] ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  const hostWithPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const isDirect = exceptions.some((exception) => {
    const name = exception.replace(/^\*?\./, '');
    const isNamed = (host: string) => host === name || host.endsWith(`.${name}`);
    // IPv6 addresses have brackets in URLs, and often none in NO_PROXY.
    return exception === '*' || isNamed(hostname) || isNamed(hostWithPort) || hostname === `[${name}]`;
  });
  if (isDirect) return null;
  const value = (env[variable] ?? '').trim();
  const url = /^\w+:\/\//.test(value) ? value : `http://${value}`;
  if (!isProxyUrl(url))
    throw new InvalidProxy(
      `${variable} does not name a usable proxy: set it to http://HOST:PORT, or unset it.`,
    );
  return { variable, url };
}

/** The message omits the value, because it may contain a password. */
class InvalidProxy extends Error {
  override readonly name = 'InvalidProxy';
}

function isProxyUrl(url: string): boolean {
  try {
    decodeURIComponent(url); // throws for a password that the proxy agent cannot decode
    return ['http:', 'https:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}
