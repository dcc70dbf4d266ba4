import { relations } from '../generate/relations/relations.ts';
import { vectorStoreFile } from './resources.ts';

export const related = relations(vectorStoreFile);
