import { showsExistence } from './files/file.ts';
import { withStatusOf } from './vocabulary/changes.ts';
import { outcome } from './vocabulary/choice-shapes.ts';
import { requests, successions, where } from './vocabulary/selectors.ts';
import { section } from './vocabulary/statements.ts';

const { choice } = section('1 Assistant files');

/** Requests with a list of files; what a service does with an id that no file has is not said of them. */
const USES = [
  ['messages', 'createMessage', '1 Messages and message files'],
  ['assistants', 'createAssistant', '1 Assistants'],
] as const;

export const unknownFiles = USES.map(([area, operation, spec]) =>
  choice(`${area}.create.unknown-file`, {
    spec,
    says: `The response of ${operation} to a file that does not exist.`,
    alternatives: ['refused', 'created'],
    selector: where(requests(operation), ({ call: { exchange, responseClass: outcome } }) => {
      const { probe } = exchange;
      return (
        probe?.pointer === 'body.file_ids' &&
        probe.keyword === 'unknown' &&
        ['accepted', 'rejected', 'absent'].includes(outcome)
      );
    }),
    taken: outcome('created'),
    examples: { refused: withStatusOf(operation, 400) },
  }),
);

export const detachedFile = choice('assistant-files.delete.file-stays', {
  says: 'Whether a file that is detached from an assistant stays among the files.',
  alternatives: ['stays', 'gone'],
  selector: where(
    successions({ first: 'deleteAssistantFile', later: 'retrieveFile', until: ['deleteFile'] }),
    ({ after }) => showsExistence(after),
  ),
  taken: outcome('stays', 'gone'),
  examples: { gone: withStatusOf('retrieveFile', 404) },
});
