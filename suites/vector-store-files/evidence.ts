import { statusChanges } from './files.ts';

export const evidence = { 'new status of a stored file': statusChanges };
