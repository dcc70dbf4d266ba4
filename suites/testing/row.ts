import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { evidence as audio } from '../audio/evidence.ts';
import { evidence as batches } from '../batches/evidence.ts';
import { evidence as chat } from '../chat/evidence.ts';
import { evidence as client } from '../client/evidence.ts';
import { evidence as completions } from '../completions/evidence.ts';
import { evidence as fineTuning } from '../fine-tuning/evidence.ts';
import { evidence as images } from '../images/evidence.ts';
import { evidence as messages } from '../messages/evidence.ts';
import { evidence as models } from '../models/evidence.ts';
import { compileRequirement, requirementRows } from '../rows/rows.ts';
import { evidence as runSteps } from '../run-steps/evidence.ts';
import { evidence as runs } from '../runs/evidence.ts';
import { evidence as fileBatches } from '../vector-store-file-batches/evidence.ts';
import { evidence as storeFiles } from '../vector-store-files/evidence.ts';
import { evidence as stores } from '../vector-stores/evidence.ts';

export function requirementFromRow(id: string): BehaviourRequirement<Evidence> {
  const definition = requirementRows().get(id);
  if (definition === undefined) throw new Error(`No requirements.json has ${id}.`);
  return compileRequirement(
    definition.row,
    {},
    {
      ...audio,
      ...batches,
      ...chat,
      ...client,
      ...fineTuning,
      ...completions,
      ...images,
      ...messages,
      ...models,
      ...runs,
      ...runSteps,
      ...stores,
      ...storeFiles,
      ...fileBatches,
    },
  );
}
