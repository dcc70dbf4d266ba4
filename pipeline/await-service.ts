import { configureForTarget, type Settings } from '../drive/configuration/configuration.ts';
import { PreflightClient } from '../drive/preflight/preflight-client.ts';
import { UsageError } from './usage-error.ts';

/** Waits until the service of the settings answers a request, at most `waitFor` seconds. Throws UsageError where it does not. */
export async function awaitService(settings: Settings): Promise<void> {
  const { waitFor, baseUrl } = settings;
  const client = new PreflightClient(configureForTarget(settings, null));
  try {
    const missing = await client.awaited(waitFor, new AbortController().signal);
    if (missing === null) return;
    throw new UsageError(
      `${baseUrl} did not respond within ${waitFor} s (${missing}): start the service, or raise --wait-for.`,
    );
  } finally {
    await client.close();
  }
}
