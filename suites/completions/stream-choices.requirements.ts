import { textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { streams } from '../../judge/evidence/selectors/streams.ts';
import { dropEvent, eventsWhere, inEvent, inEvents, lastPicked } from '../../judge/mutations/mutations.ts';
import { editFrame, type StreamFrame } from '../../judge/mutations/streams.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { choice } from '../../judge/requirements/define.ts';
import {
  byChoice,
  CHUNK_USAGE,
  finishes,
  hasChoices,
  isUsage,
  tellsUsage,
  wantsUsage,
} from '../chat/selectors/chunks.ts';

const TEXTS = 'createCompletion';
const OBJECT = '2 Text completion';

export const completionsStreamUsage = choice({
  id: 'completions.stream.usage',
  spec: OBJECT,
  says: 'Which pieces of a stream tell usage, as completions in one piece do.',
  alternatives: ['an extra last one if asked', 'every one', 'the one that ends', 'none', 'none if asked'],
  selector: where(streams(TEXTS), (stream) => stream.ended && stream.chunks.length > 1),
  taken: ({ asked, chunks }) => {
    const telling = chunks.filter(tellsUsage);
    const [first] = telling;
    if (first === undefined) return wantsUsage(asked) ? 'none if asked' : null;
    if (telling.length === chunks.length) return 'every one';
    if (telling.length > 1 || first !== chunks.at(-1)) return 'some of them';
    if (hasChoices(first.data)) return 'the one that ends';
    return wantsUsage(asked) ? 'an extra last one if asked' : 'an extra last one unasked';
  },
  examples: {
    'every one': inEvent(TEXTS, eventsWhere(hasChoices), setValue('/usage', CHUNK_USAGE)),
    'the one that ends': inEvents(TEXTS, usageAtEnd),
    'none if asked': dropEvent(TEXTS, eventsWhere(isUsage)),
  },
});

export const completionsStreamSameHead = choice({
  id: 'completions.stream.same-head',
  spec: OBJECT,
  says: 'Whether every piece has the same id, created, model and system_fingerprint.',
  alternatives: ['the same', 'different ones'],
  selector: where(streams(TEXTS), ({ chunks }) => chunks.length > 1),
  taken: ({ chunks }) => {
    const heads = chunks.map(({ data }) =>
      JSON.stringify(
        ['id', 'created', 'model', 'system_fingerprint'].map((field) => valueAtPath(data, field) ?? null),
      ),
    );
    return new Set(heads).size === 1 ? 'the same' : 'different ones';
  },
  examples: {
    'different ones': inEvent(TEXTS, lastPicked(eventsWhere(hasChoices)), setValue('/created', 1)),
  },
});

export const completionsStreamLastPiece = choice({
  id: 'completions.stream.last-piece',
  spec: OBJECT,
  says: 'Whether the piece that ends a choice has text.',
  alternatives: ['no text', 'text'],
  selector: streams(TEXTS),
  taken: ({ chunks }) => {
    const ending = byChoice(chunks)
      .flatMap(({ parts }) => parts)
      .find(({ piece }) => textAt(piece, 'finish_reason') !== undefined);
    if (ending === undefined) return null;
    return (textAt(ending.piece, 'text') ?? '') === '' ? 'no text' : 'text';
  },
  examples: {
    text: inEvent(TEXTS, eventsWhere(finishes), setValue('/choices/0/text', '!')),
  },
});

/** Usage on the last piece that has choices, and on no piece of its own. */
function usageAtEnd(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const last = lastPicked(eventsWhere(hasChoices))(frames)[0];
  const extra = new Set(eventsWhere(isUsage)(frames));
  return frames
    .map((frame, i) => (i === last ? editFrame(frame, setValue('/usage', CHUNK_USAGE)) : frame))
    .filter((_, i) => !extra.has(i));
}
