import { resolve } from 'node:path';
import { allowedCosts, DEFAULT_BETA_HEADER, type Settings } from '../../drive/configuration/configuration.ts';
import { claimedNames } from '../../exchange/claims.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { packageInfo } from '../package-info.ts';
import { UsageError } from '../usage-error.ts';

/** A run is of one target, and of one set of models and claims. Throws UsageError that says what differs. */
export function refuseOtherRun(dir: string, header: TraceHeader, settings: Settings): void {
  // The advice is the same for all: the earlier run is the only source of these settings.
  const refuse = (what: string): never => {
    throw new UsageError(
      `--resume ${dir}: ${what} Remove the settings that differ: flags, ASSAY_ variables, assay.config.`,
    );
  };
  if (claimedNames(header.claims).length === 0 && header.claims.how === 'default')
    refuse('it holds traffic that assay recorded, and no run.');
  if (header.target.name === 'reference')
    refuse('its target was the reference service inside assay, which ended with the run.');
  const { version } = packageInfo();
  // Scenarios of another version may send other requests, which the recorded responses do not answer.
  if (header.tool.version !== version)
    refuse(`it is of assay ${header.tool.version}, and this is ${version}: go on with the same.`);
  for (const { what, was, is } of compared(header, settings)) {
    // Settings that are not given take the value of the run, so that `--resume DIR` alone is enough.
    if (is !== null && is !== was) refuse(`the run had ${what} ${was}, not ${is}.`);
  }
  if (settings.scenario.length > 0) refuse('the scenarios are those that wait, not --scenario.');
  if (settings.dryRun) refuse('there is nothing to rehearse, --dry-run is of whole runs.');
  if (resolve(settings.reportDir) !== resolve('assay-report') && resolve(settings.reportDir) !== resolve(dir))
    refuse(`its report is written there anew, not into ${settings.reportDir}.`);
  // The value of the earlier key is unknown, as only its presence is recorded.
  if (header.key && settings.apiKey === null)
    refuse('the run had an API key, which is missing now: set ASSAY_API_KEY, or name it by --api-key-env.');
  if (!header.key && settings.apiKey !== null)
    refuse('the run had no API key, and there is one now: unset ASSAY_API_KEY and OPENAI_API_KEY.');
}

/** Settings that decide which requests are sent: the value of the run, and the value given now, null where none is given. */
function compared(header: TraceHeader, settings: Settings) {
  const { claim, only, skip, allow, shard, models, baseUrl, betaHeader } = settings;
  // Values are compared as the command line writes them, and in any order, so that messages show what to
  // type.
  const part = (one: TraceHeader['shard']) => (one === null ? 'none' : `${one.index}/${one.of}`);
  const list = (all: readonly string[]) => all.toSorted().join(',');
  return [
    { what: 'the base URL', was: header.target.baseUrl, is: baseUrl },
    ...Object.entries(models).map(([role, id]) => ({
      what: `for ${role} the model`,
      was: header.models[role] ?? 'none',
      is: id,
    })),
    {
      what: '--claim',
      was: list(claimedNames(header.claims)),
      // `all` and `auto` are defaults or resolved anew; only a list of names can contradict.
      is: typeof claim === 'string' ? null : list(claim),
    },
    { what: '--only', was: list(header.filters.only), is: only.length === 0 ? null : list(only) },
    { what: '--skip', was: list(header.filters.skip), is: skip.length === 0 ? null : list(skip) },
    {
      what: '--allow',
      was: list(header.allow.filter((cost) => cost !== 'free')),
      is: allow === null ? null : list(allowedCosts(allow).filter((cost) => cost !== 'free')),
    },
    {
      what: '--beta-header',
      was: header.betaHeader,
      is: betaHeader === DEFAULT_BETA_HEADER ? null : betaHeader,
    },
    { what: 'shard', was: part(header.shard), is: shard === null ? null : part(shard) },
  ];
}
