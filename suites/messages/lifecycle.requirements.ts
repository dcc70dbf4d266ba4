import { relationRequirements } from '../generate/relations/relations.ts';
import { messageFile, messageResource } from './resources.ts';

export const ofMessages = relationRequirements(messageResource);

export const ofFiles = relationRequirements(messageFile);
