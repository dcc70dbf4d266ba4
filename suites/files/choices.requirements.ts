import { mediaType } from '../../exchange/content.ts';
import { get, list, number } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { tells, uploaded } from './file.ts';

export const order = choice({
  id: 'files.list.order',
  spec: '2 Files',
  says: 'In which order files are listed.',
  alternatives: ['oldest first', 'newest first', 'neither'],
  on: only(answers('listFiles'), ({ answer }) => list(answer, 'data').length > 1),
  taken: ({ answer }) => {
    const times = list(answer, 'data').map((one) => number(one, 'created_at') ?? 0);
    if (times.every((time) => time === times[0])) return null;
    if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time)) return 'oldest first';
    return times.every((time, i) => i === 0 || (times[i - 1] ?? 0) >= time) ? 'newest first' : 'neither';
  },
});

export const status = choice({
  id: 'files.status.told',
  spec: '2 File',
  says: 'Whether the deprecated status of a file is still told.',
  alternatives: ['told', 'not told'],
  on: answers(['createFile', 'retrieveFile']),
  taken: ({ answer }) => (get(answer, 'status') === undefined ? 'not told' : 'told'),
});

export const contentType = choice({
  id: 'files.content.media-type',
  spec: '2 Files',
  says: 'Which media type the content of a file is labelled with.',
  alternatives: ['application/octet-stream', 'application/binary', 'none'],
  on: only(requests('retrieveFileContent'), ({ call }) => call.outcome === 'accepted'),
  taken: ({ call }) => mediaType(call.exchange.response?.headers ?? [])?.essence ?? 'none',
});

export const jsonlOnly = choice({
  id: 'files.upload.jsonl-only',
  spec: '2 Limits',
  says: 'Whether an upload for training or a batch is refused if its name does not end in .jsonl.',
  alternatives: ['refused', 'accepted'],
  on: only(requests('createFile'), ({ call, asked }) => {
    const purpose = get(asked, 'purpose');
    const name = uploaded(call.exchange)?.filename;
    return (
      (purpose === 'fine-tune' || purpose === 'batch') && name?.endsWith('.jsonl') === false && tells(call)
    );
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'accepted' : 'refused'),
});

export const deletedTwice = choice({
  id: 'files.delete.again',
  spec: '2 Files',
  says: 'How the deletion of a file that is deleted already is answered.',
  alternatives: ['refused', 'deleted again'],
  on: only(successions({ first: 'deleteFile', later: 'deleteFile' }), ({ after }) => tells(after)),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'deleted again' : 'refused'),
});
