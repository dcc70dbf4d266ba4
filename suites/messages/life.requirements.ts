import { relations } from '../generate/relations/relations.ts';
import { aMessage, messageFile } from './resources.ts';

export const ofMessages = relations(aMessage);

export const ofFiles = relations(messageFile);
