import type { Settings } from '../../drive/configuration/configuration.ts';
import { proxyFor } from '../../exchange/http/environment-proxy.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';

/** Throws UsageError if the environment names a proxy for a service to which this command connects directly. */
export function refuseEnvironmentProxy(url: string): void {
  const proxy = proxyFor(url);
  if (proxy === null) return;
  const { hostname } = new URL(url);
  throw new UsageError(
    `${proxy.variable} is set, and this command connects to ${hostname} without that proxy. If it can do so, set NO_PROXY=${hostname}.`,
  );
}

/** Like `resolveServiceUrl`, but also rejects with UsageError if `refuseEnvironmentProxy` refuses the service. */
export async function resolveDirectServiceUrl(settings: Settings): Promise<string> {
  if (settings.baseUrl !== null) refuseEnvironmentProxy(settings.baseUrl);
  return resolveServiceUrl(settings);
}

/** Resolves to the service's URL; with `--wait-for`, first waits for a response. Rejects if either is missing. */
export async function resolveServiceUrl(settings: Settings): Promise<string> {
  const { baseUrl, waitFor } = settings;
  if (baseUrl === null) {
    throw new UsageError(
      'No service: give --base-url URL, or set ASSAY_BASE_URL, or baseUrl in assay.config.json.',
    );
  }
  if (waitFor > 0) await (await import('../../pipeline/target.ts')).awaitService(settings);
  return baseUrl;
}
