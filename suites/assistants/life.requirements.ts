import { relations } from '../generate/relations/relations.ts';
import { beta, legacy } from './resources.ts';

export const ofBeta = relations(beta);

export const ofLegacy = relations(legacy);
