/** Whether a host name resolves to loopback on every machine (RFC 6761 and 127.0.0.0/8). An IPv6 address is in brackets, as in URLs. */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' || name === '[::1]' || name.endsWith('.localhost') || /^127(?:\.\d+){3}$/.test(name)
  );
}
