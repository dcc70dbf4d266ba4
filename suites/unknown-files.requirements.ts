import { requests, where } from '../judge/evidence/selectors/answers.ts';
import { successions } from '../judge/evidence/selectors/relations.ts';
import { withStatusOf } from '../judge/mutations/mutations.ts';
import { section } from '../judge/requirements/define.ts';
import { showsExistence } from './files/file.ts';

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
    taken: ({ call }) => (call.responseClass === 'accepted' ? 'created' : 'refused'),
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
  taken: ({ after }) => (after.responseClass === 'accepted' ? 'stays' : 'gone'),
  examples: { gone: withStatusOf('retrieveFile', 404) },
});
