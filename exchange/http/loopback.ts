/** Whether a host name is loopback on every machine (RFC 6761, 127.0.0.0/8). IPv6 addresses are in brackets. */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' || name === '[::1]' || name.endsWith('.localhost') || /^127(?:\.\d+){3}$/.test(name)
  );
}
