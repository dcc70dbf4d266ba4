// Requirements that all lists, or all kinds of objects, share: rows with parameters in braces, `{operation}`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUITES } from '../data/family-data.ts';
import { holdsAt } from '../rows/given.ts';
import type { Tests } from '../rows/places.ts';
import { type CodeOf, type RequirementRow, requirementOf } from '../rows/rows.ts';
import type { BehaviourRequirement, Evidence } from '../vocabulary/types.ts';

interface Template extends RequirementRow {
  /** Tests of the parameters: the row applies if all hold. */
  readonly when?: Tests;
}

/** Values that `when` tests, and that replace names in braces. */
export type Parameters = Readonly<Record<string, unknown>>;

const files = new Map<string, readonly Template[]>();

/**
 * The requirements of a file in this folder that apply to the parameters. `codeOf` returns the code of a row by its id without
 * the first part.
 */
export function requirementsFrom(
  file: string,
  parameters: Parameters,
  codeOf: (rule: string) => CodeOf<Evidence>,
): readonly BehaviourRequirement<Evidence>[] {
  const templates: readonly Template[] =
    files.get(file) ?? JSON.parse(readFileSync(join(SUITES, 'generate', file), 'utf8')).requirements;
  files.set(file, templates);
  return templates
    .filter(({ when = {} }) =>
      Object.entries(when).every(([place, test]) => holdsAt(place, test)(parameters)),
    )
    .map(({ when: _, ...template }) =>
      requirementOf(
        JSON.parse(fillParameters(JSON.stringify(template), parameters)),
        codeOf(template.id.slice(template.id.indexOf('.') + 1)),
      ),
    );
}

/** Erases the type of the evidence. */
export function ofAnyEvidence<E extends Evidence>(code: CodeOf<E>): CodeOf<Evidence> {
  return code as unknown as CodeOf<Evidence>; // as: the check receives only evidence of this selector
}

function fillParameters(text: string, parameters: Parameters): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    JSON.stringify(String(parameters[name])).slice(1, -1),
  );
}
