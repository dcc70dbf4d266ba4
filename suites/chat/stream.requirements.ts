import { refusedStreamRequirement } from '../generate/refused-streams.ts';
import { type CodeOf, rowOf } from '../rows/rows.ts';
import { inEvents, setValue } from '../vocabulary/changes.ts';
import { editFrame, frameData } from '../vocabulary/exchanges.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { StreamEvidence, StreamFrame } from '../vocabulary/types.ts';
import { type StreamedText, wholeCharacters } from './characters.ts';
import { groupByChoice } from './completions.ts';
import { textsOfChoices } from './replies.ts';
import { type StreamedCalls, streamedCalls } from './streamed-calls.ts';

const CHAT = 'createChatCompletion';

export const chatStreamCallIdOnce = rowOf('chat.stream.call-id-once', fieldOnce('ids', 'id'));

export const chatStreamCallNameOnce = rowOf(
  'chat.stream.call-name-once',
  fieldOnce('names', 'function', 'name'),
);

function fieldOnce(field: 'ids' | 'names', ...path: readonly string[]): CodeOf<StreamedCalls> {
  return {
    evidence: streamedCalls,
    where: [that('with a call in several pieces', ({ joined }) => joined.some(({ pieces }) => pieces > 1))],
    check: ({ joined }) =>
      joined.flatMap(({ repeated }) =>
        repeated[field].map(({ at, value }) =>
          violation(at, 'none, because an earlier piece of the call has it', value),
        ),
      ),
    broken_by: {
      'in each piece': inEvents(CHAT, repeatInPieces(Number.POSITIVE_INFINITY, ...path)),
      'in two pieces': inEvents(CHAT, repeatInPieces(1, ...path)),
    },
  };
}

/** Another requirement judges missing and empty ids. */
export const chatStreamCallIdsDiffer = rowOf<StreamedCalls>('chat.stream.call-ids-differ', {
  evidence: streamedCalls,
  where: [
    that('with the ids of two calls in one choice', ({ choices }) =>
      choices.some(({ calls }) => calls.filter(({ id }) => id !== null).length > 1),
    ),
  ],
  check: ({ choices }) =>
    choices.flatMap(({ calls }) => {
      const seen = new Set<string>();
      return calls.flatMap(({ id }) => {
        if (id === null) return [];
        const isKnown = seen.has(id.value);
        seen.add(id.value);
        return isKnown ? [violation(id.at, 'an id that no other call of the choice has', id.value)] : [];
      });
    }),
});

function repeatInPieces(times: number, ...path: readonly string[]) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] => {
    const calls = new Map<string, { readonly text: string; left: number }>();
    return frames.map((frame) => {
      let edited = frame;
      for (const [i, choice] of arrayAt(frameData(frame), 'choices').entries())
        for (const [n, piece] of arrayAt(choice, 'delta', 'tool_calls').entries()) {
          const key = `${numberAt(choice, 'index')} ${numberAt(piece, 'index')}`;
          const call = calls.get(key);
          if (call === undefined) calls.set(key, { text: textAt(piece, ...path) ?? '', left: times });
          if (call === undefined || call.left === 0) continue;
          call.left -= 1;
          const pointer = `/choices/${i}/delta/tool_calls/${n}/${path.join('/')}`;
          edited = editFrame(edited, setValue(pointer, call.text));
        }
      return edited;
    });
  };
}

export const chatStreamRefusedByStatus = refusedStreamRequirement('chat.stream.refused-by-status', [CHAT]);

/** With fewer texts, one may be a prefix of the next by chance. */
const MIN_TEXTS = 3;

export const chatStreamDeltasAreNew = rowOf<StreamEvidence>('chat.stream.deltas-are-new', {
  where: [
    that('with three texts of a choice', ({ chunks }) =>
      textsOfChoices(chunks).some((texts) => texts.length >= MIN_TEXTS),
    ),
  ],
  check: ({ chunks }) =>
    textsOfChoices(chunks).flatMap((texts) => {
      const last = texts.at(-1);
      return last !== undefined && (isGrowing(texts) || repeatsAll(texts))
        ? [violation(last.at, 'the new piece alone', last.text)]
        : [];
    }),
  broken_by: {
    'the text so far': inEvents(CHAT, accumulateTexts('')),
    'the text so far behind a space': inEvents(CHAT, accumulateTexts(' ')),
    'the whole text at the end': inEvents(CHAT, repeatTextAtEnd),
  },
});

export const chatStreamWholeCharacters = rowOf<StreamEvidence>(
  'chat.stream.whole-characters',
  wholeCharacters(({ chunks }) => textsOfChoices(chunks)),
);

export const chatStreamChoiceIndexesCountUp = rowOf<StreamEvidence>('chat.stream.choice-indexes-count-up', {
  check: ({ chunks }) => {
    const choices = groupByChoice(chunks);
    return choices
      .filter(({ index }) => index < 0 || index >= choices.length)
      .map(({ index, parts }) =>
        violation(`${parts[0]?.at ?? ''}/index`, `from 0, and less than ${choices.length}`, index),
      );
  },
});

function isGrowing(texts: readonly StreamedText[]): boolean {
  return (
    texts.length >= MIN_TEXTS &&
    texts.every(({ text }, i) => {
      const before = texts[i - 1]?.text ?? '';
      return text.startsWith(before) && text.length > before.length;
    })
  );
}

/** False if the texts are all equal: a row of dashes may match by chance. */
function repeatsAll(texts: readonly StreamedText[]): boolean {
  const before = texts.slice(0, -1).map(({ text }) => text);
  const isWhole = texts.at(-1)?.text === before.join('');
  return isWhole && before.length >= MIN_TEXTS && new Set(before).size > 1;
}

function repeatTextAtEnd(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  let text = '';
  return frames.map((frame) => {
    const [choice] = arrayAt(frameData(frame), 'choices');
    if (numberAt(choice, 'index') !== 0) return frame;
    text += textAt(choice, 'delta', 'content') ?? '';
    return typeof textAt(choice, 'finish_reason') === 'string'
      ? editFrame(frame, setValue('/choices/0/delta/content', text))
      : frame;
  });
}

function accumulateTexts(start: string) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] => {
    let soFar = start;
    return frames.map((frame) =>
      editFrame(
        frame,
        setValue('/choices/0/delta/content', (old) => {
          soFar += typeof old === 'string' ? old : '';
          return typeof old === 'string' && old !== '' ? soFar : (old ?? null);
        }),
      ),
    );
  };
}
