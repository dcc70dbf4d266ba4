import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { behaviourSection } from '../judge/behaviours.ts';
import type { Catalogue, Infeasible, ProofException, ScenarioTraits } from '../judge/catalogue.ts';
import type { Life } from '../judge/lives.ts';
import { subjectOf } from '../judge/probe/constraints.ts';
import { probeSection } from '../judge/probe/section.ts';
import type { Benign } from '../judge/proof/benign/benign.ts';
import type { Exclusion } from '../judge/requirement.ts';
import { schemaSection } from '../judge/schema/section.ts';
import { isChoice, isRequirement } from '../judge/write.ts';
import { operation } from '../schemas/index.ts';
import type { Base } from './generate/base.ts';
import { variantOf } from './generate/probes.ts';
import { without } from './unshown.ts';

let gathered: Promise<Catalogue> | undefined;

/** Everything that the suites say, found by the names of their files: requirements, choices, exclusions, scenarios, states. */
export function catalogue(): Promise<Catalogue> {
  gathered ??= gather();
  return gathered;
}

async function gather(): Promise<Catalogue> {
  const written = (await exportsOf(/\.requirements\.[jt]s$/)).flat();
  const told = (await exportsOf(/^exclusions\.[jt]s$/)).flat();
  const { sections, excluded } = without(told.filter(isInfeasible), [
    schemaSection(),
    probeSection(),
    behaviourSection(written.filter(isRequirement)),
  ]);
  return {
    sections,
    choices: written.filter(isChoice),
    exclusions: [...told.filter(isExclusion), ...excluded],
    infeasible: (await exportsOf(/^base\.[jt]s$/)).flatMap(leftOut),
    proofExceptions: told.filter(isProofException),
    benign: (await exportsOf(/^benign\.[jt]s$/)).flat().filter(isBenign),
    scenarios: (await exportsOf(/\.suite\.[jt]s$/)).flat().filter(isScenario),
    lives: (await exportsOf(/^states\.[jt]s$/)).filter(isLife),
  };
}

async function exportsOf(file: RegExp): Promise<unknown[]> {
  const entries = await readdir(import.meta.dirname, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && file.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const modules = await Promise.all(
    // as: what a module exports is not known before it is looked at
    paths.map(async (path) => (await import(pathToFileURL(path).href)) as Record<string, unknown>),
  );
  return modules.flatMap((module) => Object.values(module));
}

/** What a family's base requests cannot probe, and why. */
function leftOut(value: unknown): readonly Infeasible[] {
  if (!isBase(value)) return [];
  const subject = subjectOf(operation(value.operation), variantOf(value));
  return Object.entries(value.leave ?? {}).map(([glob, reason]) => ({ id: `${subject}:${glob}`, reason }));
}

function isBase(value: unknown): value is Base {
  return isObject(value) && 'operation' in value && 'ready' in value;
}

function isExclusion(value: unknown): value is Exclusion {
  return isObject(value) && 'reason' in value && 'says' in value;
}

function isInfeasible(value: unknown): value is Infeasible {
  return isObject(value) && 'reason' in value && 'id' in value && !('says' in value) && !('expires' in value);
}

function isProofException(value: unknown): value is ProofException {
  return isObject(value) && 'reason' in value && 'expires' in value;
}

function isBenign(value: unknown): value is Benign {
  return isObject(value) && 'name' in value && 'apply' in value;
}

function isLife(value: unknown): value is Life {
  return isObject(value) && 'states' in value && 'ways' in value;
}

function isScenario(value: unknown): value is ScenarioTraits {
  return isObject(value) && 'shows' in value && 'name' in value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
