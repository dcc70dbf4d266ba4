import { relationRequirements } from '../generate/relations/relations.ts';
import { vectorStoreResource } from './resources.ts';

export const related = relationRequirements(vectorStoreResource);
