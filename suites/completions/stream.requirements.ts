import { byChoice, endOfChoice, firstPiece, withTwoPieces } from '../chat/chunks.ts';
import { doneEndsStream, nothingAfterDone, oneDataLine, TEXT_KIND } from '../chat/completions.ts';
import { moveEvent, setInEvent } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import { streams, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';

const { implied } = section('2 Text completion');
const TEXTS = 'createCompletion';

export const textsNothingAfterFinishReason = implied('completions.stream.nothing-after-finish-reason', {
  says: 'No text of a choice follows its finish_reason.',
  selector: where(streams(TEXTS), withTwoPieces),
  check: ({ chunks }) =>
    byChoice(chunks).flatMap(({ index, parts }) => {
      const end = parts.findIndex(({ piece }) => textAt(piece, 'finish_reason') !== undefined);
      if (end === -1) return [];
      return parts
        .slice(end + 1)
        .filter(({ piece }) => (textAt(piece, 'text') ?? '') !== '')
        .map(({ at, piece }) =>
          violation(
            `${at}/text`,
            `nothing, choice ${index} ended at event ${parts[end]?.n}`,
            textAt(piece, 'text'),
          ),
        );
    }),
  mutations: {
    'set on the first piece': setInEvent(TEXTS, firstPiece, '/choices/0/finish_reason', 'stop'),
    'the end comes first': moveEvent(TEXTS, endOfChoice, 'front'),
  },
});

export const completionsStreamDoneEndsStream = doneEndsStream(TEXT_KIND);

export const completionsStreamNothingAfterDone = nothingAfterDone(TEXT_KIND);

export const completionsStreamOneDataLine = oneDataLine(TEXT_KIND);
