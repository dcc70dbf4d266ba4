// Functions that state requirements and choices.
export { choice, fieldIs, requirement, section, violation } from '../../judge/requirements/define.ts';
