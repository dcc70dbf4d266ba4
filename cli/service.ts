import type { Command } from 'commander';
import type { Settings } from '../drive/configuration/configuration.ts';
import { parseSeconds } from './flag-values.ts';

/** Adds the flags on the service behind a proxy; like those of `run`, they may also stand in the environment and in assay.config. */
export function addServiceFlags(command: Command): Command {
  return command
    .option('--base-url <url>', 'URL of the service, with or without /v1')
    .option('--wait-for <s>', 'seconds to wait until the service responds (default: 0)', parseSeconds);
}

/**
 * The URL of the service behind a proxy, with `/v1`, once it responds where `--wait-for` asks for that. Throws UsageError where
 * none is named, and where it does not respond in time.
 */
export async function serviceUrl(settings: Settings): Promise<string> {
  const { baseUrl, waitFor } = settings;
  if (baseUrl === null) {
    const { UsageError } = await import('../pipeline/usage-error.ts');
    throw new UsageError(
      'No service: give --base-url URL, or set ASSAY_BASE_URL, or baseUrl in assay.config.json.',
    );
  }
  if (waitFor > 0) await (await import('../pipeline/await-service.ts')).awaitService(settings);
  return baseUrl;
}
