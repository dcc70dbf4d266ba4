// All cases of errata, by dialect.
import { COMPATIBLE } from './compatible.ts';
import { OLLAMA } from './documented.ts';
import { EARLIER } from './earlier-errata.ts';
import { ERRATA, type ErratumCase } from './errata.ts';
import { WIDER_LIMITS } from './limits.ts';
import { MODES } from './modes.ts';
import { NAMES } from './names.ts';
import { POLICIES } from './policies.ts';
import { REFUSALS } from './refusals.ts';

const OPENAI_CASES: readonly ErratumCase[] = [
  ...EARLIER,
  ...ERRATA,
  ...WIDER_LIMITS,
  ...MODES,
  ...NAMES,
  ...REFUSALS,
  ...POLICIES,
];

/** The cases of each dialect of the package, by its name. */
export const DIALECT_CASES: Readonly<Record<string, readonly ErratumCase[]>> = {
  openai: OPENAI_CASES,
  compatible: COMPATIBLE,
  ollama: OLLAMA,
};
