// Random cases are the same each time that the tests run, but that each commit tries others in CI (docs/proof.md).

import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ seed: inject('rotation') ?? 1 });
