// The text of a failure for formats that hold plain text: JUnit, CTRF, Allure. Values of the target in it are escaped by then.
import { type FailureContext, failureBlocks, failureText } from '../failure/failure.ts';
import type { ReportedRequirement } from '../report.ts';
import { coloursFor } from '../terminal/colours.ts';

/** A failure as in the terminal, without colours. */
export function failureWords(requirement: ReportedRequirement, context: FailureContext): string {
  const blocks = failureBlocks(failureText(requirement, context), coloursFor('off'));
  return blocks.map((block) => block.join('\n')).join('\n\n');
}
