import { choiceOf } from './rows/rows.ts';
import { withStatusOf } from './vocabulary/changes.ts';
import { outcome } from './vocabulary/choice-shapes.ts';
import { namesNothingIn, requests, settled, where } from './vocabulary/selectors.ts';

/** Requests with a list of files; what a service does with an id that no file has is not said of them. */
const USES = [
  ['messages', 'createMessage'],
  ['assistants', 'createAssistant'],
] as const;

export const unknownFiles = USES.map(([area, operation]) =>
  choiceOf(`${area}.create.unknown-file`, {
    selector: where(requests(operation), namesNothingIn('body.file_ids'), settled),
    taken: outcome('created'),
    examples: { refused: withStatusOf(operation, 400) },
  }),
);
