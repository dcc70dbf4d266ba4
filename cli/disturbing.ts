import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Reaction } from '../proxy/disturb/reactions.ts';
import { parseWholeNumber } from './flag-values.ts';

/** The flags of a service whose answers can be disturbed. */
export interface DisturbFlags {
  /** Names, a file, or `list`. */
  readonly disturb?: string;
  /** Decides how many requests pass between two disturbances. */
  readonly disturbSeed?: number;
}

/** A service before which answers are disturbed, where that was asked for. */
export interface DisturbedService {
  readonly url: string;
  /** Stops disturbing, prints what the client did, and returns 1 where it did harm: an object twice, half a stream used. */
  close(): Promise<0 | 1>;
}

/** Adds the flags. */
export function addDisturbFlags(command: Command): Command {
  return command
    .option(
      '--disturb <names>',
      'spoil one answer in each of these ways, separated by commas, or as a JSON file says; list prints all ways',
    )
    .option('--disturb-seed <n>', 'decides how many requests pass in between (default: 1)', parseWholeNumber);
}

/** Prints the ways to disturb. */
export async function printDisturbances(): Promise<void> {
  const { DISTURBANCES } = await import('../proxy/disturb/disturbances.ts');
  for (const { name, says } of DISTURBANCES) process.stdout.write(`  ${name}  ${says}\n`);
}

/** Puts a disturber before a service; without the flag, the service as it is. Throws InvalidDisturbance. */
export async function disturbed(
  service: { readonly url: string },
  { disturb, disturbSeed }: DisturbFlags,
  port?: number,
): Promise<DisturbedService> {
  if (disturb === undefined) return { url: service.url, close: async () => 0 };
  const [{ readDisturbances }, { startDisturber }] = await Promise.all([
    import('../proxy/disturb/disturbances.ts'),
    import('../proxy/disturb/disturber.ts'),
  ]);
  const disturbances = readDisturbances(existsSync(disturb) ? readFileSync(disturb, 'utf8') : disturb);
  const disturber = await startDisturber({
    upstream: service.url,
    disturbances,
    ...(disturbSeed !== undefined && { seed: disturbSeed }),
    ...(port !== undefined && { port }),
  });
  return {
    url: disturber.url,
    close: async () => {
      const reactions = await disturber.close();
      const left = disturbances.length - reactions.length;
      process.stderr.write(reactions.map(reactionLine).join(''));
      if (left > 0)
        process.stderr.write(`${left} of ${disturbances.length} disturbances met no request that fits\n`);
      return reactions.some(isHarmful) ? 1 : 0;
    },
  };
}

function isHarmful({ createdTwice, usedHalf }: Reaction): boolean {
  return createdTwice.length > 0 || usedHalf;
}

/** One line on a disturbance and the reaction of the client. */
function reactionLine(reaction: Reaction): string {
  const { disturbance, request, retries, retriedAfter, honoured, wentOn, createdTwice, usedHalf } = reaction;
  const waited = retriedAfter === null ? '' : ` after ${(retriedAfter / 1000).toFixed(2)} s`;
  const again =
    retries === 0 ? 'not repeated' : `repeated ${retries === 1 ? 'once' : `${retries} times`}${waited}`;
  const facts = [
    again,
    ...(honoured === null ? [] : [honoured ? 'Retry-After honoured' : 'Retry-After ignored']),
    ...(retries === 0 ? [wentOn ? 'other requests followed' : 'no request followed'] : []),
    ...(createdTwice.length === 0 ? [] : [`FAIL: the object exists twice, ${createdTwice.join(' and ')}`]),
    ...(usedHalf ? ['FAIL: half a stream was used as if it were whole'] : []),
  ];
  return `disturbed ${request} by ${disturbance}: ${facts.join(', ')}\n`;
}
