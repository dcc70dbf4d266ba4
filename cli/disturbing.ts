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

/** A service before which answers are disturbed. */
interface DisturbedService {
  readonly url: string;
  /** Stops disturbing, prints what the client did, and returns 1 where it did harm: an object twice, half a stream used. */
  close(): Promise<0 | 1>;
}

/** Uses a service until it is to be stopped, and resolves to an exit code. */
type ServiceUse = (service: { readonly url: string }) => Promise<number>;

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

/**
 * Uses a service with the disturbances that are asked for, and resolves to the exit code: that of the use, or 1 where that is 0
 * and the client did harm. `port`: of the disturber. Throws InvalidDisturbance.
 */
export async function withDisturbances(
  service: { readonly url: string },
  flags: DisturbFlags & { readonly port?: number },
  use: ServiceUse,
): Promise<number> {
  const { disturb } = flags;
  if (disturb === undefined) return use(service);
  const disturbed = await disturbedService(service, { ...flags, disturb });
  let harm: 0 | 1 = 0;
  let code: number;
  try {
    code = await use(disturbed);
  } finally {
    harm = await disturbed.close();
  }
  return code || harm;
}

/** Puts a disturber before a service. */
async function disturbedService(
  service: { readonly url: string },
  { disturb, disturbSeed, port }: DisturbFlags & { readonly disturb: string; readonly port?: number },
): Promise<DisturbedService> {
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
