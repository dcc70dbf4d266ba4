// Requirements that lists, or kinds of objects, have in common. Their rows have parameters in braces: `{operation}`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOrMake } from '../../schemas/maps.ts';
import { SUITES } from '../data/family-data.ts';
import { holdsAt } from '../rows/place-conditions.ts';
import { type CodeOf, compileRequirement, type RequirementRow } from '../rows/rows.ts';
import type { Tests } from '../rows/test-words.ts';
import type { BehaviourRequirement, Evidence } from '../vocabulary/types.ts';

interface Template extends RequirementRow {
  /** Tests of the parameters: the row applies if all hold. */
  readonly when?: Tests;
}

/** Values that `when` tests, and that replace names in braces. */
export type TemplateParameters = Readonly<Record<string, unknown>>;

const knownTemplates = new Map<string, readonly Template[]>();

/** `codeOf` receives the id of a row without its part before the first dot, and returns the code of the row. */
export function requirementsFrom(
  file: string,
  parameters: TemplateParameters,
  codeOf: (rule: string) => CodeOf<Evidence>,
): readonly BehaviourRequirement<Evidence>[] {
  return getOrMake(knownTemplates, file, () => readTemplates(file))
    .filter(({ when = {} }) =>
      Object.entries(when).every(([place, test]) => holdsAt(place, test)(parameters)),
    )
    .map(({ when: _, ...template }) =>
      compileRequirement(
        JSON.parse(fillParameters(JSON.stringify(template), parameters)),
        codeOf(template.id.slice(template.id.indexOf('.') + 1)),
      ),
    );
}

function readTemplates(file: string): readonly Template[] {
  return JSON.parse(readFileSync(join(SUITES, 'generate', file), 'utf8')).requirements;
}

/** Erases the type of the evidence, so that rows with different evidence fit into one list. */
export function withAnyEvidence<E extends Evidence>(code: CodeOf<E>): CodeOf<Evidence> {
  return code as unknown as CodeOf<Evidence>; // as: the check receives only evidence of this selector
}

function fillParameters(text: string, parameters: TemplateParameters): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    JSON.stringify(String(parameters[name])).slice(1, -1),
  );
}
