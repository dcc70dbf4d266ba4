/** Whether a host name is loopback on every machine (RFC 6761, 127.0.0.0/8). IPv6 addresses are in brackets. */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' || name === '[::1]' || name.endsWith('.localhost') || /^127(?:\.\d+){3}$/.test(name)
  );
}

/** The proxy for a URL and its environment variable; null if unset, exempt or loopback. Throws InvalidProxy. */
export function proxyFor(
  target: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { readonly variable: string; readonly url: string } | null {
  const { protocol, hostname, host } = new URL(target);
  if (isLoopback(hostname)) return null;
  const variableOf = (name: string) =>
    [name.toLowerCase(), name].find((one) => (env[one] ?? '').trim() !== '') ?? null;
  const variable = variableOf(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (variable === null) return null;
  const exceptions = (env[variableOf('NO_PROXY') ?? ''] ?? '').split(/[\s,]+/).filter((one) => one !== '');
  const isDirect = exceptions.some((exception) => {
    const name = exception.replace(/^\*?\./, '');
    return exception === '*' || [hostname, host].includes(name) || hostname.endsWith(`.${name}`);
  });
  if (isDirect) return null;
  const named = (env[variable] ?? '').trim();
  const url = /^\w+:\/\//.test(named) ? named : `http://${named}`;
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
    decodeURIComponent(url);
    return ['http:', 'https:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}
