import { existsSync, readFileSync } from 'node:fs';
import { printable } from '../../exchange/printable.ts';
import type { Disturber } from '../../proxy/disturb/disturber.ts';
import { disturbedLine, isHarmful } from '../../reports/words/disturbed.ts';

export interface DisturbFlags {
  readonly disturb?: string;
  readonly disturbSeed?: number;
}

export async function printDisturbances(): Promise<number> {
  const { DISTURBANCES } = await import('../../proxy/disturb/disturbances.ts');
  for (const { name, says } of DISTURBANCES) process.stdout.write(`  ${name}  ${says}\n`);
  return 0;
}

/**
 * Calls `use` with the service or, with `disturb`, with a proxy that disturbs it, and prints how the client reacted.
 * Resolves to the exit code of `use`, but 1 instead of 0 if the client created an object twice or used half a stream.
 * Rejects with InvalidDisturbance if `disturb` is invalid.
 */
export async function withDisturbances(
  service: { readonly url: string },
  flags: DisturbFlags & { readonly port?: number },
  use: (service: { readonly url: string }) => Promise<number>,
): Promise<number> {
  const { disturb } = flags;
  if (disturb === undefined) return use(service);
  const disturber = await disturbService(service, { ...flags, disturb });
  let isHarmed = false;
  const code = await use(disturber).finally(async () => {
    const reactions = await disturber.close();
    process.stderr.write(reactions.map((one) => `${printable(disturbedLine(one))}\n`).join(''));
    isHarmed = reactions.some(isHarmful);
  });
  return code || (isHarmed ? 1 : 0);
}

export async function disturbService(
  service: { readonly url: string },
  { disturb, disturbSeed, port }: DisturbFlags & { readonly disturb: string; readonly port?: number },
): Promise<Disturber> {
  const [{ readDisturbances }, { startDisturber }] = await Promise.all([
    import('../../proxy/disturb/disturbances.ts'),
    import('../../proxy/disturb/disturber.ts'),
  ]);
  return startDisturber({
    upstream: service.url,
    disturbances: readDisturbances(existsSync(disturb) ? readFileSync(disturb, 'utf8') : disturb),
    ...(disturbSeed !== undefined && { seed: disturbSeed }),
    ...(port !== undefined && { port }),
  });
}
