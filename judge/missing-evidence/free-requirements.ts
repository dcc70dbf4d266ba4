// The declarations of free evidence, spelled out for each requirement, as reports list them.
import { type Catalogue, requirementsOf } from '../requirements/catalogue.ts';
import { type FreeEvidence, freeEvidenceOf } from './expected-evidence.ts';

/** A MUST whose evidence rests on a free decision: where nothing shows it, it is untested. */
export interface FreeRequirement extends Pick<FreeEvidence, 'decides' | 'reason'> {
  /** Id of the requirement. */
  readonly requirement: string;
}

/** The MUSTs of a catalogue whose evidence is free, sorted by id. */
export function freeRequirements(catalogue: Catalogue): readonly FreeRequirement[] {
  const found = known.get(catalogue) ?? find(catalogue);
  known.set(catalogue, found);
  return found;
}

/** Thousands of ids are compared with patterns: once for all reports of a process. */
const known = new WeakMap<Catalogue, readonly FreeRequirement[]>();

function find(catalogue: Catalogue): readonly FreeRequirement[] {
  return [...requirementsOf(catalogue).values()].flatMap(({ id, level }) => {
    const free = level === 'MUST' ? freeEvidenceOf(catalogue.freeEvidence ?? [], id) : undefined;
    return free === undefined ? [] : [{ requirement: id, decides: free.decides, reason: free.reason }];
  });
}
