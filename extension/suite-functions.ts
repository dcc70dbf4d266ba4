// Removing a name here breaks suites of users. Functions of the built-in families are not included, because
// they concern built-in operations.
export { scenario } from '../drive/scenario/scenario.ts';
export { baseRequest } from '../suites/generate/requests.ts';
export { sendRuleProbes } from '../suites/generate/rule-probes.ts';
export { equality, sumState } from '../suites/rows/choice-values.ts';
export * from '../suites/vocabulary/changes.ts';
export * from '../suites/vocabulary/choice-shapes.ts';
export * from '../suites/vocabulary/collecting.ts';
export * from '../suites/vocabulary/equivalents.ts';
export * from '../suites/vocabulary/exchanges.ts';
export * from '../suites/vocabulary/json.ts';
export * from '../suites/vocabulary/selectors.ts';
export * from '../suites/vocabulary/statements.ts';
