import { isSearchedInBodies } from './alias.ts';

/** Endings of names of variables that hold secrets. */
const NAMED_LIKE_A_SECRET = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Values of environment variables that are named like a secret and long enough to be searched for. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && NAMED_LIKE_A_SECRET.test(name) && isSearchedInBodies(value) ? [value] : [],
  );
}
