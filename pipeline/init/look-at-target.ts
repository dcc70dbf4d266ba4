import {
  configureForTarget,
  type RunConfiguration,
  type Settings,
  specifiedModels,
} from '../../drive/configuration/configuration.ts';
import { narrowClaims, resolveClaims } from '../../drive/preflight/claims.ts';
import { configureModels } from '../../drive/preflight/models.ts';
import { PreflightClient, type PreflightListeners } from '../../drive/preflight/preflight-client.ts';
import { discoverScenarios, selectScenarios, suitesFolder } from '../../drive/preflight/select.ts';
import type { DriveEvent } from '../../drive/run.ts';
import { MODEL_ROLES } from '../../drive/scenario/scenario.ts';
import { claimedNames } from '../../exchange/claims.ts';
import { unreachable } from '../../reports/words/gate-reason.ts';
import { refusedKeyWords } from '../../reports/words/hint.ts';
import { loadDialect } from '../setup/dialects.ts';
import { UsageError } from '../setup/usage-error.ts';
import { requestDialectOf } from '../target.ts';

export interface TargetFindings {
  readonly event: Extract<DriveEvent, { kind: 'claimed' }>;
  readonly claim: readonly string[];
  /** Model ids by role, for the roles that the claim needs. */
  readonly models: Readonly<Record<string, string>>;
  /** A model that accepts images without any sign of looking at them, and so has no role; null for none. */
  readonly ignoresImages: string | null;
}

/** Detects what a target offers. Throws UsageError if it does not respond, refuses the key, or offers nothing known. */
export async function lookAtTarget(
  settings: Settings,
  listeners: PreflightListeners = {},
): Promise<TargetFindings> {
  const dialect = settings.dialect === null ? null : await loadDialect(settings.dialect);
  const configuration = withSearchOfOpenRoles(
    configureForTarget(settings, requestDialectOf(dialect, settings)),
    settings,
  );
  const { baseUrl } = configuration.target;
  const scenarios = await discoverScenarios(suitesFolder);
  const preflight = new PreflightClient(configuration, listeners);
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
    const { configuration: settled, hints } = await configureModels(
      configuration,
      scenarios,
      claim,
      preflight,
    );
    const needed = new Set<string>(
      selectScenarios(scenarios, settled, claim).run.flatMap(({ roles, optionalRoles = [] }) => [
        ...roles,
        ...optionalRoles,
      ]),
    );
    const blind = hints.flatMap((hint) =>
      hint.kind === 'models-found' ? hint.without.flatMap((one) => one.blind ?? []) : [],
    );
    const stated: Readonly<Record<string, string>> = specifiedModels;
    // A run uses the model that the specification names even if the target does not list it; a configuration file must not
    // claim that the target has it.
    const models = Object.entries(settled.models).filter(
      ([role, id]) => needed.has(role) && (stated[role] !== id || preflight.models?.includes(id) !== false),
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

/** Searches every role without a given model: a run does not search once one is given, so a second `init` would find fewer. */
function withSearchOfOpenRoles(configuration: RunConfiguration, { models }: Settings): RunConfiguration {
  const roles = MODEL_ROLES.filter((role) => models[role] === undefined);
  return { ...configuration, modelSearch: { ...configuration.modelSearch, roles } };
}
