// All words of suites together, as `assay/suite` exports them.
export { scenario } from '../drive/scenario/scenario.ts';
export { baseRequest } from '../suites/generate/base.ts';
export { sendRuleProbes } from '../suites/generate/probes/rule-probes.ts';
export * from '../suites/vocabulary/changes.ts';
export {
  echo,
  equality,
  fieldKeys,
  fieldState,
  fieldValue,
  follower,
  listOrder,
  numberState,
  outcome,
  refusal,
  sumState,
  transition,
} from '../suites/vocabulary/choice-shapes.ts';
export * from '../suites/vocabulary/collecting.ts';
export * from '../suites/vocabulary/exchanges.ts';
export * from '../suites/vocabulary/json.ts';
export * from '../suites/vocabulary/selectors.ts';
export * from '../suites/vocabulary/statements.ts';
