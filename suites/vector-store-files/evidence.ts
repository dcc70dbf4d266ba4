import { statusChanges } from './files.ts';

/** The evidence of rows. */
export const evidence = { 'new status of a stored file': statusChanges };
