import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import { readDisturbances } from '../disturb/disturbances.ts';
import { startDisturber } from '../disturb/disturber.ts';

export async function collectReactions(
  upstream: string,
  disturbances: string,
  client: (url: string) => Promise<unknown>,
): Promise<readonly DisturbedAnswer[]> {
  const disturber = await startDisturber({ upstream, disturbances: readDisturbances(disturbances) });
  try {
    await client(disturber.url);
    return disturber.report();
  } finally {
    await disturber.close();
  }
}
