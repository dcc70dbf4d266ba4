// Random test cases are the same in each run, except that CI tries different ones for each commit (docs/proof.md).
import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ seed: inject('rotation') ?? 1 });
