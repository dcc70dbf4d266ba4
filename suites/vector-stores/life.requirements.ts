import { relations } from '../generate/relations/relations.ts';
import { vectorStore } from './resources.ts';

export const related = relations(vectorStore);
