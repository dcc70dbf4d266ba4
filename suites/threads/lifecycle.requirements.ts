import { relationRequirements } from '../generate/relations/relations.ts';
import { threadResource } from './resources.ts';

export const related = relationRequirements(threadResource);
