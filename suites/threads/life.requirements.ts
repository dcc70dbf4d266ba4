import { relations } from '../generate/relations/relations.ts';
import { aThread } from './resources.ts';

export const related = relations(aThread);
