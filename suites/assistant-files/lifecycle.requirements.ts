import { relationRequirements } from '../generate/relations/relations.ts';
import { assistantFile } from './resources.ts';

export const related = relationRequirements(assistantFile);
