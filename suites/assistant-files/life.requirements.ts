import { relations } from '../generate/relations/relations.ts';
import { assistantFile } from './resources.ts';

export const related = relations(assistantFile);
