import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import { disturbedLine, isHarmful } from '../../reports/words/disturbed.ts';
import { parseWholeNumber } from '../options/flag-values.ts';

/** The flags of a service whose answers can be disturbed. */
export interface DisturbFlags {
  /** Names, a file, or `list`. */
  readonly disturb?: string;
  /** Decides how many requests pass between two disturbances. */
  readonly disturbSeed?: number;
}

/** A service before which answers are disturbed. */
export interface DisturbedService {
  readonly url: string;
  /** The reactions of the client so far. */
  reactions(): readonly DisturbedAnswer[];
  /** Stops disturbing. */
  close(): Promise<readonly DisturbedAnswer[]>;
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
  const { DISTURBANCES } = await import('../../proxy/disturb/disturbances.ts');
  for (const { name, says } of DISTURBANCES) process.stdout.write(`  ${name}  ${says}\n`);
}

/**
 * Uses a service with the disturbances that are asked for, and prints what the client did. Resolves to the exit code: that of
 * the use, or 1 where that is 0 and the client did harm. `port`: of the disturber. Throws InvalidDisturbance.
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
    const reactions = await disturbed.close();
    process.stderr.write(reactions.map((one) => `${disturbedLine(one)}\n`).join(''));
    harm = reactions.some(isHarmful) ? 1 : 0;
  }
  return code || harm;
}

/** Puts a disturber before a service. Throws InvalidDisturbance. */
export async function disturbedService(
  service: { readonly url: string },
  { disturb, disturbSeed, port }: DisturbFlags & { readonly disturb: string; readonly port?: number },
): Promise<DisturbedService> {
  const [{ readDisturbances }, { startDisturber }] = await Promise.all([
    import('../../proxy/disturb/disturbances.ts'),
    import('../../proxy/disturb/disturber.ts'),
  ]);
  const disturber = await startDisturber({
    upstream: service.url,
    disturbances: readDisturbances(existsSync(disturb) ? readFileSync(disturb, 'utf8') : disturb),
    ...(disturbSeed !== undefined && { seed: disturbSeed }),
    ...(port !== undefined && { port }),
  });
  return { url: disturber.url, reactions: () => disturber.report(), close: () => disturber.close() };
}
