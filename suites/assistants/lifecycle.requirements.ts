import { relationRequirements } from '../generate/relations/relations.ts';
import { betaAssistant, legacyAssistant } from './resources.ts';

export const ofBeta = relationRequirements(betaAssistant);

export const ofLegacy = relationRequirements(legacyAssistant);
