// Words for stating requirements and choices.
export { choice, requirement, section, violation } from '../../judge/requirements/define.ts';
