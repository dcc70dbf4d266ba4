import type { Hint } from '../../../exchange/note.ts';
import { type RunConfiguration, specifiedModels } from '../../configuration/configuration.ts';

/** Number of models of the target that the hint names; the others are counted. */
const NAMED = 8;

/** A hint on configured models that the target does not list; null where it lists all of them, or returns no list. */
export function unlistedModelsMessage(
  { models }: RunConfiguration,
  listed: readonly string[] | null,
): Hint | null {
  // Only a hint and never an error: services accept aliases and private models that their list leaves out.
  if (listed === null) return null;
  // The defaults that the specification names are not the user's choice, so they are not worth a hint.
  const stated: Readonly<Record<string, string>> = specifiedModels;
  const strangers = Object.entries(models).filter(
    ([role, id]) => stated[role] !== id && !listed.includes(id),
  );
  if (strangers.length === 0) return null;
  return {
    kind: 'models-not-listed',
    models: strangers.map(([role, id]) => ({ role, id })),
    listed: listed.slice(0, NAMED),
    total: listed.length,
  };
}
