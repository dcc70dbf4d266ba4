import {
  configureForTarget,
  type RunConfiguration,
  type Settings,
  specifiedModels,
} from '../../drive/configuration/configuration.ts';
import { narrowClaims, resolveClaims } from '../../drive/preflight/claims.ts';
import { configureModels } from '../../drive/preflight/models.ts';
import { PreflightClient } from '../../drive/preflight/preflight-client.ts';
import { discoverScenarios, selectScenarios, suitesFolder } from '../../drive/preflight/select.ts';
import type { DriveEvent } from '../../drive/run.ts';
import { MODEL_ROLES } from '../../drive/scenario/scenario.ts';
import { claimedNames } from '../../exchange/claims.ts';
import { refusedKeyWords } from '../../reports/words/refused-key.ts';
import { unreachable } from '../../reports/words/stop.ts';
import { loadDialect } from '../dialects.ts';
import { requestDialectOf } from '../target.ts';
import { UsageError } from '../usage-error.ts';

/** What a run would find before it begins. */
export interface TargetFindings {
  /** The event of a run on the same. */
  readonly event: Extract<DriveEvent, { kind: 'claimed' }>;
  /** As `--claim` takes them. */
  readonly claim: readonly string[];
  /** Model id by role, for the roles that the claim needs. */
  readonly models: Readonly<Record<string, string>>;
  /** A model that was found by trial for images and shows no sign that it looks at them, and so has no role for them; null for none. */
  readonly ignoresImages: string | null;
}

/** Asks a target what it offers. Throws UsageError where it does not answer, refuses the key, or offers nothing that assay knows. */
export async function lookAtTarget(settings: Settings): Promise<TargetFindings> {
  const dialect = settings.dialect === null ? null : await loadDialect(settings.dialect);
  const configuration = searchingOpenRoles(configureForTarget(settings, requestDialectOf(dialect)), settings);
  const { baseUrl } = configuration.target;
  const scenarios = await discoverScenarios(suitesFolder);
  const preflight = new PreflightClient(configuration);
  try {
    const missing = await preflight.awaitTarget(configuration.waitFor, new AbortController().signal);
    if (missing !== null) throw new UsageError(unreachable(baseUrl, missing));
    const found = await resolveClaims('auto', preflight);
    const narrowed = await narrowClaims(found, { configuration, scenarios, preflight });
    if (narrowed.refused !== null) throw new UsageError(refusedKeyWords(narrowed.refused));
    const claim = claimedNames(narrowed.claims);
    if (claim.length === 0)
      throw new UsageError(
        `${baseUrl} offers none of the operations that assay knows: is the base URL right, and the key? assay list --profiles prints the operations.`,
      );
    const asked = { scenarios, claimed: claim, preflight };
    const { configuration: settled, hints } = await configureModels(configuration, asked);
    const needed = new Set<string>(
      selectScenarios(scenarios, settled, claim).run.flatMap(({ roles }) => roles),
    );
    const blind = hints.flatMap((hint) =>
      hint.kind === 'models-found' ? hint.without.flatMap((one) => one.blind ?? []) : [],
    );
    const models = Object.entries(settled.models).filter(
      ([role, id]) => needed.has(role) && !isUnlistedDefault(role, id, preflight.models),
    );
    return {
      event: { kind: 'claimed', ...narrowed, models: preflight.models },
      claim,
      models: Object.fromEntries(models),
      ignoresImages: blind[0] ?? null,
    };
  } finally {
    await preflight.close();
  }
}

/** Whether a run takes a model because the specification names it, though the target does not list it: a file with its name claims that it is there. */
function isUnlistedDefault(role: string, id: string, listed: readonly string[] | null): boolean {
  const stated: Readonly<Record<string, string>> = specifiedModels;
  return stated[role] === id && listed !== null && !listed.includes(id);
}

/**
 * A run searches no models where one is given by role. The configuration that an earlier `init` has written gives one, so that `init`
 * would find less each time: it searches the roles that have none.
 */
function searchingOpenRoles(configuration: RunConfiguration, { models }: Settings): RunConfiguration {
  const roles = MODEL_ROLES.filter((role) => models[role] === undefined);
  return { ...configuration, modelSearch: { ...configuration.modelSearch, roles } };
}
