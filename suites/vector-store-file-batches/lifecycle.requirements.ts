import { relationRequirements } from '../generate/relations/relations.ts';
import { fileBatchResource } from './resources.ts';

export const related = relationRequirements(fileBatchResource);
