import type { Json } from '../../exchange/body.ts';
import { inAnswer, status as setStatus } from '../../judge/edit/breaks.ts';
import { all, put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';

const SPEC = '1 Message';
const NEW = 'createMessage';

export const stringContent = choice({
  id: 'messages.content.of-a-string',
  spec: '1 Messages and message files',
  says: 'How content that was given as a string is answered.',
  alternatives: ['one text part', 'several parts'],
  on: only(answers(NEW), ({ asked }) => text(asked, 'content') !== undefined),
  taken: ({ answer }) => {
    const types = list(answer, 'content').map((part) => text(part, 'type'));
    if (types.length === 1) return types[0] === 'text' ? 'one text part' : 'another part';
    return types.length === 0 ? 'no part' : 'several parts';
  },
  examples: {
    'several parts': inAnswer(
      NEW,
      put('/content', (parts) => [...list(parts), ...list(parts)]),
    ),
  },
});

export const betaContent = choice({
  id: 'messages.content.as-parts',
  spec: '1 Messages and message files',
  says: 'Whether content is taken as a list of parts outside the legacy form.',
  alternatives: ['accepted', 'refused'],
  on: only(requests(NEW), ({ asked, call }) => {
    return (
      call.variant?.name === 'v2' && Array.isArray(get(asked, 'content')) && call.exchange.probe === null
    );
  }),
  taken: ({ call: { outcome } }) => {
    if (outcome === 'accepted') return 'accepted';
    return outcome === 'rejected' ? 'refused' : null;
  },
  examples: { refused: setStatus(NEW, 400) },
});

export const betaFields = choice({
  id: 'messages.form.beta-fields',
  spec: '1 Versioning',
  says: 'What a message outside the legacy form carries beside the fields that both have.',
  alternatives: ['nothing', 'file_ids', 'attachments'],
  on: answers([NEW, 'retrieveMessage', 'modifyMessage'], { variant: 'v2' }),
  taken: ({ answer }) => {
    const found = ['file_ids', 'attachments'].filter((field) => get(answer, field) !== undefined);
    return found.length === 0 ? 'nothing' : found.join(' and ');
  },
  examples: {
    nothing: inAnswer(NEW, remove('/attachments')),
    file_ids: inAnswer(NEW, all(remove('/attachments'), put('/file_ids', []))),
  },
});

export const status = choice({
  id: 'messages.create.status',
  spec: SPEC,
  says: 'The status of a message that a caller has made.',
  alternatives: ['completed', 'in_progress', 'incomplete'],
  on: answers(NEW),
  taken: ({ answer }) => text(answer, 'status') ?? null,
  examples: {
    in_progress: inAnswer(NEW, put('/status', 'in_progress')),
    incomplete: inAnswer(NEW, put('/status', 'incomplete')),
  },
});

export const completedAt = choice({
  id: 'messages.create.completed-at',
  spec: SPEC,
  says: 'Whether a message that a caller has made tells when it was completed.',
  places: ['thread.message:completed_at'],
  alternatives: ['a time', 'null'],
  on: answers(NEW),
  taken: ({ answer }) => {
    const time = get(answer, 'completed_at');
    return time === undefined ? 'absent' : time === null ? 'null' : 'a time';
  },
  examples: {
    null: inAnswer(NEW, put('/completed_at', null)),
  },
});

export const insertedAuthor = choice({
  id: 'messages.create.inserted-author',
  spec: SPEC,
  says: 'The assistant_id of a message that a caller inserts in the name of an assistant.',
  places: ['thread.message:assistant_id'],
  alternatives: ['null', 'an id'],
  on: only(answers(NEW), ({ asked }) => text(asked, 'role') === 'assistant'),
  taken: ({ answer }) => {
    const author = get(answer, 'assistant_id');
    return author === undefined ? 'absent' : author === null ? 'null' : 'an id';
  },
  examples: {
    'an id': inAnswer(NEW, put('/assistant_id', 'asst_of_somebody')),
  },
});

const SHOWN = ['retrieveMessage', 'listMessages'];

export const otherParts = choice({
  id: 'messages.content.other-parts',
  spec: SPEC,
  says: 'The form of a part of content that is no text.',
  alternatives: ['image_file: image_file', 'image_url: image_url'],
  several: true,
  on: only(answers(SHOWN), ({ answer }) => partsOf(answer).some(isOther)),
  taken: ({ answer }) => {
    const other = partsOf(answer).find(isOther);
    if (!isObject(other)) return null;
    const fields = Object.keys(other).filter((name) => name !== 'type');
    return `${text(other, 'type')}: ${fields.toSorted().join(', ')}`;
  },
  examples: {
    'image_url: image_url': inAnswer(
      'retrieveMessage',
      put('/content', [{ type: 'image_url', image_url: {} }]),
    ),
  },
});

export const annotations = choice({
  id: 'messages.content.annotations',
  spec: SPEC,
  says: 'The fields of an annotation of text.',
  alternatives: [
    'end_index, file_citation, start_index, text, type',
    'end_index, file_path, start_index, text, type',
  ],
  several: true,
  on: only(answers(SHOWN), ({ answer }) => annotationsOf(answer).length > 0),
  taken: ({ answer }) => {
    const [one] = annotationsOf(answer);
    return isObject(one) ? Object.keys(one).toSorted().join(', ') : 'no object';
  },
});

/** The parts of a message, or of all messages of a list. */
function partsOf(answer: Json): readonly Json[] {
  return [answer, ...list(answer, 'data')].flatMap((message) => list(message, 'content'));
}

function isOther(part: Json): boolean {
  return get(part, 'type') !== 'text';
}

function annotationsOf(answer: Json): readonly Json[] {
  return partsOf(answer).flatMap((part) => list(part, 'text', 'annotations'));
}
