import { resources } from '../../data/resources.ts';
import { relationRequirements } from './relations.ts';

/** What the operations of each kind of object owe each other: retrieved as created, gone after deletion, and so on. */
export const related = resources().flatMap(relationRequirements);
