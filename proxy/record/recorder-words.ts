import { omittedParts, type Quarantined } from '../../exchange/cassette/quarantine.ts';

export function quarantineWords(quarantined: Quarantined): string {
  const { exchanges, notes, place, aside } = quarantined;
  const isOne = exchanges + notes === 1;
  return (
    `${omittedParts(quarantined)} ${isOne ? 'holds' : 'hold'} a known secret in a form that could not be replaced, ` +
    `the first at ${place}. The cassette was written without ${isOne ? 'it' : 'them'}; the whole recording is in ` +
    `${aside}: do not share it, and record again without that secret in the traffic.`
  );
}

export function diskWarning(message: string, onError: 'refuse' | 'pass'): string {
  const traffic =
    onError === 'refuse' ? 'New requests are rejected with 500' : 'The traffic passes unrecorded';
  return `Warning: ${message} ${traffic} until the disk accepts writes again.`;
}
