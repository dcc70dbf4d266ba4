import type { Cassette } from '../../exchange/cassette/cassette.ts';
import { recordCommand } from './record-command.ts';
import type { Recordings } from './recordings.ts';

export interface StaleRecordings {
  /** Number of stale recordings in all cassettes. */
  readonly count: number;
  /** The allowed age as the caller gave it, such as `7d`. */
  readonly maxAge: string;
  /** Folder of the cassette with the oldest recording. */
  readonly cassette: string;
  /** Id of the exchange with the oldest recording, such as `e3`. */
  readonly exchange: string;
  /** When the oldest was recorded (ISO 8601); null if unknown, for example because the timing file is missing. */
  readonly recorded: string | null;
  /** The command that records the cassette of the oldest recording afresh. */
  readonly again: string;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Milliseconds of an age such as `7d` or `12h`; null for any other text. */
export function parseAge(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)([mhdw])$/.exec(text) ?? [];
  const milliseconds = UNIT_MS[unit];
  return milliseconds === undefined ? null : Number(count) * milliseconds;
}

/** Unix milliseconds before which a recording is stale; null without `maxAge`. Throws TypeError if it is no age. */
export function oldestTime(options: { maxAge?: string; now?: () => number }): number | null {
  const { maxAge, now = Date.now } = options;
  if (maxAge === undefined) return null;
  const age = parseAge(maxAge);
  if (age !== null) return now() - age;
  throw new TypeError(`maxAge ${JSON.stringify(maxAge)} is not an age such as 7d, 12h, 30m or 2w.`);
}

export function findStale(
  { cassettes }: Recordings,
  oldest: number,
  { maxAge, client }: { readonly maxAge: string; readonly client?: string | undefined },
): StaleRecordings | null {
  let oldestFound: { readonly began: number; readonly k: number; readonly cassette: Cassette } | null = null;
  let count = 0;
  for (const cassette of cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      const began = cassette.began(k);
      if (cassette.isKilled(k) || began >= oldest) continue;
      count += 1;
      if (oldestFound === null || began < oldestFound.began) oldestFound = { began, k, cassette };
    }
  }
  if (oldestFound === null) return null;
  const { began, k, cassette } = oldestFound;
  return {
    count,
    maxAge,
    cassette: cassette.dir,
    exchange: `e${k + 1}`,
    recorded: began === 0 ? null : new Date(began).toISOString(),
    again: recordCommand(cassette, 'record', client),
  };
}

export function staleText({ count, maxAge, cassette, exchange, recorded, again }: StaleRecordings): string {
  const when = recorded === null ? 'has no time' : `was recorded at ${recorded}`;
  return [
    `${count === 1 ? 'A recording is' : `${count} recordings are`} older than ${maxAge}, or of unknown age`,
    `      oldest    ${exchange} of ${cassette}, which ${when}`,
    `      again     ${again}`,
  ].join('\n');
}
