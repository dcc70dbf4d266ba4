import type { Json } from '../../exchange/body.ts';
import { mediaType } from '../../exchange/content.ts';
import { header, inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, number, text } from '../../judge/json.ts';
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
  examples: {
    'newest first': inAnswer('listFiles', put('/data', falling)),
    'oldest first': inAnswer(
      'listFiles',
      put('/data', (data) => list(falling(data)).toReversed()),
    ),
  },
});

export const status = choice({
  id: 'files.status.told',
  spec: '2 File',
  says: 'Whether the deprecated status of a file is still told.',
  places: ['file:status'],
  alternatives: ['told', 'not told'],
  on: answers(['createFile', 'retrieveFile']),
  taken: ({ answer }) => (get(answer, 'status') === undefined ? 'not told' : 'told'),
  examples: {
    'not told': inAnswer('createFile', remove('/status')),
  },
});

export const contentType = choice({
  id: 'files.content.media-type',
  spec: '2 Files',
  says: 'Which media type the content of a file is labelled with.',
  alternatives: ['application/octet-stream', 'application/binary', 'none'],
  on: only(requests('retrieveFileContent'), ({ call }) => call.outcome === 'accepted'),
  taken: ({ call }) => mediaType(call.exchange.response?.headers ?? [])?.essence ?? 'none',
  examples: {
    'application/binary': header('retrieveFileContent', 'content-type', 'application/binary'),
    none: header('retrieveFileContent', 'content-type', null),
  },
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
  examples: {
    'deleted again': succeedAnyway('deleteFile', () => ({ deleted: true })),
  },
});

/** Two files that were made one after the other, the later one first. */
function falling(data: Json | undefined): Json {
  const [file = null] = list(data);
  return [put('/created_at', 2)(file), put('/created_at', 1)(file)];
}

export const filename = choice({
  id: 'files.upload.filename',
  spec: '2 File',
  says: 'Which filename an uploaded file has.',
  alternatives: ['as sent', 'another'],
  on: only(answers('createFile'), ({ call }) => uploaded(call.exchange) !== null),
  taken: ({ call, answer }) => {
    const names = spellings(uploaded(call.exchange)?.filename ?? '');
    return names.includes(text(answer, 'filename') ?? '') ? 'as sent' : 'another';
  },
  examples: {
    another: inAnswer(
      'createFile',
      put('/filename', (name) =>
        String(name)
          .replaceAll(/[^\w.]/g, '_')
          .toUpperCase(),
      ),
    ),
  },
});

/** Names that a file sent under one may get: a recipient of a form drops folders, and may undo what a sender has escaped. */
function spellings(sent: string): readonly string[] {
  const unescaped = sent.replaceAll(/%(0A|0D|22)/g, (escaped) => decodeURIComponent(escaped));
  return [sent, unescaped].flatMap((name) => [name, name.split(/[/\\]/).at(-1) ?? name]);
}
