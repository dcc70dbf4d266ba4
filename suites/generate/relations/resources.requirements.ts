import { relationRequirements } from './relations.ts';
import { resources } from './resources.ts';

/** What the operations of each kind of object owe each other: retrieved as created, gone after deletion, and so on. */
export const related = resources().flatMap(relationRequirements);
