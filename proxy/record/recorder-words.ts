import type { Quarantined } from '../../exchange/cassette/quarantine.ts';

/** Says which exchanges were left out of a cassette because of a known secret, and where they are. */
export function quarantineWords({ exchanges, place, aside }: Quarantined): string {
  return (
    `${exchanges} ${exchanges === 1 ? 'exchange holds' : 'exchanges hold'} a known secret in a form that could not be replaced, ` +
    `the first at ${place}. The cassette was written without ${exchanges === 1 ? 'it' : 'them'}; the whole recording is in ` +
    `${aside}: do not share it, and record again without that secret in the traffic.`
  );
}

/** Says that the disk refuses a recording, and what becomes of the traffic. */
export function diskWarning(message: string, onError: 'refuse' | 'pass'): string {
  const traffic =
    onError === 'refuse' ? 'New requests are refused with 500' : 'The traffic passes unrecorded';
  return `Warning: ${message} ${traffic} until the disk takes writes again.`;
}
