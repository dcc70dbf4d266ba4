// Words for stating requirements and choices.
export { choice, requirement, section, violation } from '../../judge/requirements/define.ts';
export type { BehaviourRequirement, Violation } from '../../judge/requirements/requirement.ts';
