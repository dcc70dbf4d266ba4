import {
  configureForTarget,
  type RunConfiguration,
  type Settings,
  specifiedModels,
} from '../../drive/configuration/configuration.ts';
import { resolveClaims } from '../../drive/preflight/claims.ts';
import { configureModels } from '../../drive/preflight/models.ts';
import { narrowClaims } from '../../drive/preflight/narrow-claims.ts';
import { PreflightClient, type PreflightListeners } from '../../drive/preflight/preflight-client.ts';
import {
  discoverScenarios,
  selectScenarios,
  suitesFolder,
} from '../../drive/preflight/scenario-selection.ts';
import type { DriveEvent } from '../../drive/run.ts';
import { MODEL_ROLES } from '../../drive/scenario/model-roles.ts';
import { claimedNames } from '../../exchange/claims.ts';
import { refusedKeyWords } from '../../reports/words/hint.ts';
import { unreachableWords } from '../../reports/words/stop.ts';
import { findApiRoot } from '../../schemas/api-root.ts';
import { loadDialect } from '../setup/dialects.ts';
import { UsageError } from '../setup/usage-error.ts';
import { requestDialectOf } from '../target.ts';

export interface TargetFindings {
  readonly event: Extract<DriveEvent, { kind: 'claimed' }>;
  readonly claim: readonly string[];
  /** Model ids by role, for the roles that the claim needs. */
  readonly models: Readonly<Record<string, string>>;
  /** A model that accepts images without any sign of looking at them, and so is not the vision model; null for none. */
  readonly modelIgnoringImages: string | null;
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
    const obstacle = await preflight.awaitTarget(configuration.waitFor, new AbortController().signal);
    if (obstacle !== null) throw new UsageError(unreachableWords(baseUrl, obstacle));
    const detectedClaims = await resolveClaims('auto', preflight);
    const narrowing = await narrowClaims(detectedClaims, { configuration, scenarios, preflight });
    if (narrowing.refused !== null) throw new UsageError(refusedKeyWords(narrowing.refused));
    const claim = claimedNames(narrowing.claims);
    if (claim.length === 0) {
      const root = findApiRoot(baseUrl);
      const advice =
        root === null
          ? 'Check the base URL and the key'
          : `It ends with the path of an operation: try --base-url ${root}`;
      throw new UsageError(
        `${baseUrl} offers none of the operations that assay knows. ${advice}; assay list --profiles prints the operations.`,
      );
    }
    const { configuration: withModels, hints } = await configureModels(
      configuration,
      scenarios,
      claim,
      preflight,
    );
    const roles = new Set<string>(
      selectScenarios(scenarios, withModels, claim).run.flatMap(({ roles: required, optionalRoles = [] }) => [
        ...required,
        ...optionalRoles,
      ]),
    );
    const [modelIgnoringImages = null] = hints.flatMap((hint) =>
      hint.kind === 'models-found' ? hint.without.flatMap(({ blind }) => blind ?? []) : [],
    );
    const defaults: Readonly<Record<string, string>> = specifiedModels;
    // A run uses the model that the specification names even if the target does not list it; a configuration file must
    // not claim that the target has it.
    const models = Object.entries(withModels.models).filter(
      ([role, id]) => roles.has(role) && (defaults[role] !== id || preflight.models?.includes(id) !== false),
    );
    return {
      event: { kind: 'claimed', ...narrowing, models: preflight.models },
      claim,
      models: Object.fromEntries(models),
      modelIgnoringImages,
    };
  } finally {
    await preflight.close();
  }
}

/** Makes the search cover every role without a model, although a run searches nothing once any model is given. */
function withSearchOfOpenRoles(configuration: RunConfiguration, { models }: Settings): RunConfiguration {
  const roles = MODEL_ROLES.filter((role) => models[role] === undefined);
  return { ...configuration, modelSearch: { ...configuration.modelSearch, roles } };
}
