import { existsSync, readFileSync } from 'node:fs';
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
 * Uses a service with the requested disturbances and prints how the client reacted. Resolves to the exit code of `use`,
 * but 1 instead of 0 if the client created an object twice or used half a stream. Rejects with InvalidDisturbance.
 */
export async function withDisturbances(
  service: { readonly url: string },
  flags: DisturbFlags & { readonly port?: number },
  use: (service: { readonly url: string }) => Promise<number>,
): Promise<number> {
  const { disturb } = flags;
  if (disturb === undefined) return use(service);
  const disturber = await disturbService(service, { ...flags, disturb });
  let harmCode: 0 | 1 = 0;
  let code: number;
  try {
    code = await use(disturber);
  } finally {
    const reactions = await disturber.close();
    process.stderr.write(reactions.map((one) => `${disturbedLine(one)}\n`).join(''));
    harmCode = reactions.some(isHarmful) ? 1 : 0;
  }
  return code || harmCode;
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
