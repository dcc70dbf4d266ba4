// Random cases are the same in each run of the tests, except that CI tries others for each commit (docs/proof.md).

import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ seed: inject('rotation') ?? 1 });
