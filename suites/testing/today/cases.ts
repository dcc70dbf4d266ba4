// All cases of errata, by dialect.
import { COMPATIBLE } from './compatible.ts';
import { EARLIER } from './earlier-errata.ts';
import { ERRATA, type ErratumCase } from './errata.ts';
import { WIDER_LIMITS } from './limits.ts';
import { MODES } from './modes.ts';
import { NAMES } from './names.ts';
import { POLICIES } from './policies.ts';
import { REFUSALS } from './refusals.ts';

export const OPENAI_CASES: readonly ErratumCase[] = [
  ...EARLIER,
  ...ERRATA,
  ...WIDER_LIMITS,
  ...MODES,
  ...NAMES,
  ...REFUSALS,
  ...POLICIES,
];
export const COMPATIBLE_CASES: readonly ErratumCase[] = COMPATIBLE;
