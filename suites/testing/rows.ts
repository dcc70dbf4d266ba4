import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { importModules } from '../../schemas/import-modules.ts';
import type { NamedEvidence } from '../rows/given.ts';
import { requirementsOfRows } from '../rows/rows.ts';

const modules = await importModules('suites', /^evidence\.[jt]s$/);
const named: NamedEvidence = Object.assign({}, ...[...modules.values()].map((module) => module['evidence']));
const rows = requirementsOfRows(named);

/** The requirement that a `requirements.json` states under this id, without code. */
export function requirementRow(id: string): BehaviourRequirement<Evidence> {
  const found = rows.find((row) => row.id === id);
  if (found === undefined) throw new Error(`No requirements.json has ${id}.`);
  return found;
}
