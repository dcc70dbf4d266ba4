import type { ErratumCase } from './case.ts';
import { COMPATIBLE } from './compatible.ts';
import { ERRATA } from './errata.ts';
import { WIDER_LIMITS } from './limits.ts';
import { MISSING_FIELDS } from './missing-fields.ts';
import { NAMES } from './names.ts';
import { OLLAMA } from './ollama.ts';
import { POLICIES } from './policies.ts';
import { REFUSALS } from './refusals.ts';
import { UNSPECIFIED_REQUESTS } from './unspecified-requests.ts';

const OPENAI_CASES: readonly ErratumCase[] = [
  ...MISSING_FIELDS,
  ...ERRATA,
  ...WIDER_LIMITS,
  ...UNSPECIFIED_REQUESTS,
  ...NAMES,
  ...REFUSALS,
  ...POLICIES,
];

export const DIALECT_CASES: Readonly<Record<string, readonly ErratumCase[]>> = {
  openai: OPENAI_CASES,
  compatible: COMPATIBLE,
  ollama: OLLAMA,
};
