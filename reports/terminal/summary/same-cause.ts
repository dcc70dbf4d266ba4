// Says of a number that it is a part of another one in the report: what lacks its evidence for a cause is counted with the cause, then
// by what it lacks, and two numbers for one thing read as two things.
import { isConsequence } from '../../../judge/verdict/failure-count.ts';
import type { RequirementVerdict } from '../../../judge/verdict/verdict.ts';

/** Causes that are named; more are counted. */
const NAMED = 2;

/** `, all for createChatCompletion:accepts#body.tools` where all lack their evidence for causes which the report counts; else nothing. */
export function sameCauseWords(requirements: readonly RequirementVerdict[]): string {
  if (requirements.length === 0 || !requirements.every(isConsequence)) return '';
  const ids = [...new Set(requirements.flatMap(({ consequenceOf = [] }) => consequenceOf))];
  const causes = ids.length > NAMED ? `${ids.length} causes of failures` : ids.join(' and ');
  return `, ${requirements.length === 1 ? '' : 'all '}for ${causes}`;
}
