import { relations } from '../generate/relations/relations.ts';
import { fileBatch } from './resources.ts';

export const related = relations(fileBatch);
