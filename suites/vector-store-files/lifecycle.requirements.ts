import { relationRequirements } from '../generate/relations/relations.ts';
import { vectorStoreFile } from './resources.ts';

export const related = relationRequirements(vectorStoreFile);
